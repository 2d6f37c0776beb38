#!/bin/bash
# busybox-image.sh OUT.tar NAME:TAG   The tests' image: this machine's static busybox with all its commands (sh, httpd, nc, wget, sleep, ...).
set -euo pipefail
out=$1 reference=$2

busybox=$(command -v busybox) || {
  echo 'needs busybox (Debian: apt-get install busybox-static)' >&2
  exit 1
}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,etc,tmp,www}
chmod 755 "$root"
chmod 1777 "$root/tmp"
install -m 755 "$busybox" "$root/bin/busybox"
for applet in $(busybox --list); do
  [[ -e $root/bin/$applet ]] || ln -s busybox "$root/bin/$applet"
done
printf 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
"$(dirname "${BASH_SOURCE[0]}")/mkimage.sh" "$out" "$reference" "$root" '{"Cmd":["sh"],"Env":["PATH=/bin"]}'
