# boot-node.sh NAME DIR ROOTFS CHECKOUT: runs as the first process of a node's new namespaces; ends as its tini.
# ROOTFS is a folder with another engine, to be the node's root, or empty. The node sees /tmp and the checkout either way.
set -eu
name=$1 dir=$2 rootfs=$3 checkout=$4

hostname "$name"
resolv=$(readlink -f /etc/resolv.conf)
mount -t tmpfs -o mode=755 none /run
mkdir -p /run/lock "${resolv%/*}"
[ -e "$resolv" ] || : >"$resolv"
mount --bind "$dir/resolv.conf" "$resolv"
mount -t tmpfs none /opt/containerd
mount --bind "$dir/etc" /etc/docker # with the machine's own, all nodes would have one key.json and one engine id
ip link set lo up

if [ "$rootfs" ]; then
  mount --bind "$rootfs" "$rootfs"
  cd "$rootfs"
  mkdir -p .old
  for seen in /proc /sys /dev /tmp /run /etc/docker /opt/containerd "$checkout"; do
    mkdir -p ".$seen"
    mount --rbind "$seen" ".$seen"
  done
  [ -e etc/resolv.conf ] || : >etc/resolv.conf
  mount --bind "$dir/resolv.conf" etc/resolv.conf
  pivot_root . .old
  cd /
  umount -l /.old
fi
: >"$dir/up"
exec tini -- sleep infinity
