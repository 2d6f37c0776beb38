#!/bin/bash
# nats-image.sh OUT.tar NAME:TAG   This machine's nats-server as an image, with the busybox and flock that its start and health check run.
set -euo pipefail
out=$1 reference=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
mkdir -p "$root"/{bin,etc,tmp,data}
chmod 1777 "$root/tmp"
install -m 755 "$(command -v nats-server)" "$root/bin/nats-server"
install -m 755 "$(command -v busybox)" "$root/bin/busybox"
install -m 755 "$(command -v flock)" "$root/bin/flock"
for applet in sh wget cat nslookup grep cut hostname; do ln -s busybox "$root/bin/$applet"; done
for library in $({ ldd "$root/bin/nats-server"; ldd "$root/bin/flock"; } | sort -u | grep -o '/[^ )]*'); do
  mkdir -p "$root${library%/*}"
  cp -L "$library" "$root$library"
done
printf 'root:x:0:0:root:/:/bin/sh\n' >"$root/etc/passwd"
"$(dirname "${BASH_SOURCE[0]}")/mkimage.sh" "$out" "$reference" "$root" '{"Cmd":["nats-server"],"Env":["PATH=/bin"]}'
