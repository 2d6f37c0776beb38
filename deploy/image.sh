#!/bin/bash
# image.sh OUT.tar NAME:TAG   The image of all services, as the Dockerfile makes it, without a registry or an engine: Node.js from
# node_modules, git, ssh and their libraries from this machine (Debian: git ca-certificates openssh-client busybox-static), and
# the built command. Load it on every node with `docker load -i OUT.tar`. The same files give the same image id.
set -euo pipefail
out=$(realpath -m "$1") reference=$2
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
"$checkout/hivekeep" version >&2 # builds when something has changed

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
mkdir -p "$root"/{bin,usr/bin,usr/lib/git-core,usr/share/git-core,lib64,etc/ssl/certs,tmp,run,opt/hivekeep,var/lib/hivekeep}
chmod 1777 "$root/tmp" "$root/var/lib/hivekeep"

node=$(readlink -f "$checkout/node_modules/.bin/node")
[[ $(head -c 2 "$node") != '#!' ]] || node=$(readlink -f "$("$node" -p process.execPath)")
install -m 755 "$node" "$root/usr/bin/node"
strip --strip-unneeded "$root/usr/bin/node" 2>/dev/null || true # smaller, where binutils is there
install -m 755 "$(command -v busybox)" "$root/bin/busybox"
for applet in sh ls cat env wget sleep; do ln -s busybox "$root/bin/$applet"; done

install -m 755 /usr/bin/git "$root/usr/bin/git"
install -m 755 /usr/lib/git-core/git-remote-http "$root/usr/lib/git-core/git-remote-http"
ln -s git-remote-http "$root/usr/lib/git-core/git-remote-https"
for command in git git-upload-pack git-index-pack; do ln -s ../../bin/git "$root/usr/lib/git-core/$command"; done
cp -a /usr/share/git-core/templates "$root/usr/share/git-core/"
[[ ! -x /usr/bin/ssh ]] || install -m 755 /usr/bin/ssh "$root/usr/bin/ssh"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
printf 'root:x:0:0:root:/:/bin/sh\nhivekeep:x:65532:65532::/:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\nhivekeep:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"

cp "$checkout"/apps/cli/out/*.js "$root/opt/hivekeep/"
install -m 755 "$checkout/deploy/entrypoint.sh" "$root/usr/bin/hivekeep"

# The libraries of every program, and what glibc loads by name to resolve hosts.
libraries() { for file in "$root"/usr/bin/* "$root"/usr/lib/git-core/git-remote-http; do ldd "$file" 2>/dev/null || true; done | grep -o '/[^ )]*'; }
for library in $(libraries | sort -u) /lib/*/libnss_{dns,files}.so.2; do
  [[ -e $library ]] || continue
  mkdir -p "$root${library%/*}"
  cp -L "$library" "$root$library"
done
"$checkout/test/lab/mkimage.sh" "$out" "$reference" "$root" \
  '{"Entrypoint":["/usr/bin/hivekeep"],"Env":["PATH=/usr/bin:/bin","SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt","GIT_SSL_CAINFO=/etc/ssl/certs/ca-certificates.crt"],"User":"65532","WorkingDir":"/"}'
