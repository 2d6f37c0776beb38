#!/bin/bash
# engine.sh 20|26|28   Prints a folder that holds a Debian system with that major version of the Docker engine, for a lab's nodes.
# Made once with debootstrap (about 30 s, 0.5 GB) and kept in the checkout's .lab folder. Debian 12 has 20.10, Debian 13 has 26.1;
# 28 comes from sid, which moves: what is found there must be 28.
set -euo pipefail

case ${1:-} in
  20) suite=bookworm ;;
  26) suite=trixie ;;
  28) suite=sid ;;
  *)
    echo "expected engine 20, 26 or 28, got '${1:-}'" >&2
    exit 2
    ;;
esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
cache=$(cd "$here/../.." && pwd -P)/.lab
dir=$cache/engine-$1
mkdir -p "$cache"
exec 8>"$cache/engine.lock"
flock 8

if [[ ! -d $dir ]]; then
  "$here/packages.sh" engine
  mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Identifier: Packages' 'Component: main' | awk '$1 == "Debian" { print $2; exit }')
  [[ $mirror ]] || {
    echo 'apt knows no Debian mirror to take another engine from' >&2
    exit 1
  }
  echo "getting Docker engine $1 from Debian $suite (once, into $dir)" >&2
  rm -rf --one-file-system "$dir.new"
  mkdir "$dir.new"
  # In a mount namespace: what debootstrap mounts goes away with it, however it ends. On /mnt: it takes no path with a space.
  # shellcheck disable=SC2016
  unshare --mount sh -ec 'mount --bind "$1" /mnt; debootstrap --variant=minbase --include="$2" "$3" /mnt "$4"' sh \
    "$dir.new" docker.io,iptables,iproute2,ca-certificates,tini "$suite" "$mirror" </dev/null >"$cache/engine-$1.log" 2>&1 9>&- || {
    tail -5 "$cache/engine-$1.log" >&2
    rm -rf --one-file-system "$dir.new"
    exit 1
  }
  rm -rf "$dir.new/var/cache/apt/archives" "$dir.new/var/lib/apt/lists" "$cache/engine-$1.log"
  version=$(chroot "$dir.new" dockerd --version)
  [[ $version == "Docker version $1."* ]] || {
    echo "expected Docker engine $1 in Debian $suite, found: $version" >&2
    rm -rf --one-file-system "$dir.new"
    exit 1
  }
  mv "$dir.new" "$dir"
fi
echo "$dir"
