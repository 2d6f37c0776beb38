#!/bin/bash
# packages.sh lab|engine|test   Sees to it that the Debian packages for a purpose are there: installs what is missing when run
# as root, else names the command to run.
set -euo pipefail

case ${1:-} in
  lab) wanted=(docker.io iproute2 iptables busybox-static tini curl perl-base util-linux) ;;
  engine) wanted=(debootstrap) ;;
  test) wanted=(git nats-server openssh-server openssh-client libfaketime) ;;
  *)
    echo 'usage: packages.sh lab|engine|test' >&2
    exit 2
    ;;
esac

exec 8<"$0" # one at a time: labs come up side by side
flock 8
missing=()
for package in "${wanted[@]}"; do
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

command="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
if [[ $EUID != 0 ]] || ! command -v apt-get >/dev/null; then
  echo "missing Debian packages: run as root: $command" >&2
  exit 1
fi
echo "installing Debian packages: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
# The packages must not start services of their own, a second dockerd or sshd: a policy of ours for the while, unless there is one.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi
log=$(mktemp)
(apt-get update -q && apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-confold -o DPkg::Lock::Timeout=120 "${missing[@]}") \
  </dev/null >"$log" 2>&1 8>&- 9>&- || {
  tail -20 "$log" >&2
  rm -f "$log"
  echo "could not install them; run as root: $command" >&2
  exit 1
}
rm -f "$log"
