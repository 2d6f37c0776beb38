#!/bin/bash
# A real Docker Swarm of several nodes on one machine, as root.  Usage:
#   lab.sh up N [M]            nodes 1..N, joined into one swarm, the first M as managers (default 1 for N < 3, else 3);
#                              on a lab that is up it undoes every fault below and waits until all nodes are ready
#   lab.sh down                end every process and delete every file of the lab
#   lab.sh status | env I | pid I | ip I
#   lab.sh cut I | heal I      network partition: the node's port on the switch goes down / up
#   lab.sh pause I | resume I  SIGSTOP / SIGCONT of the node's dockerd; containerd and the containers go on
#   lab.sh freeze I | thaw I   the whole node: daemon, containerd, shims and containers
#   lab.sh crash I             SIGKILL of dockerd alone; its containers go on
#   lab.sh kill I              power failure: link down, then SIGKILL of everything on the node
#   lab.sh start I             a killed node boots with its state, a crashed one gets its daemon back
#   lab.sh exec I|sw CMD...    run CMD in all namespaces of the node, or in the network of the switch
#   lab.sh load FILE.tar [I..] load an image on all (or the given) nodes at once
# Environment:
#   LAB_NAME     which lab; default: a name of the checkout's own
#   LAB_ENGINE   20, 26 or 28: the engine's major version; default: this machine's
#   LAB_NET      the first three numbers of the lab's /24; default: derived from the name, free among the labs
#   LAB_ROOT     where state lies (default /tmp/hivekeep-lab; unix socket paths below it must stay short)
#   LAB_SWITCH   another lab whose switch to share, LAB_BASE: node I is LAB_NET.(LAB_BASE + I): two swarms on one network
#   LAB_WAIT     seconds to wait for a daemon or the swarm (90);  LAB_DOCKERD_ARGS, LAB_DAEMON_JSON
#
# A node is a set of namespaces held by one tini: its SIGKILL takes dockerd, containerd, shims, containers, mounts and the
# network with it. The bridge lies in a network namespace of its own, the "switch": the machine's own network gets no link,
# address or rule.
set -euo pipefail
export LC_ALL=C

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
CHECKOUT=$(cd "$HERE/../.." && pwd -P)
digest=$(printf %s "$CHECKOUT" | sha256sum)
NAME=${LAB_NAME:-hk-${digest:0:8}}
LABS=${LAB_ROOT:-/tmp/hivekeep-lab}
STATE=$LABS/$NAME
SWITCH=$LABS/${LAB_SWITCH:-$NAME}
BASE=${LAB_BASE:-10}
WAIT=${LAB_WAIT:-90}
CGROUP=/hivekeep-lab-$NAME
TEST_IMAGE=hivekeep-test/busybox:1

die() {
  echo "lab $NAME: $*" >&2
  exit 1
}
need_node() { [[ ${1:-} =~ ^[1-9][0-9]?$ ]] || die "expected a node number from 1 to 99, got '${1:-}'"; }
need_known_node() {
  need_node "${1:-}"
  [[ -d $STATE/n$1 ]] || die "has no node $1; it has: $(nodes | tr '\n' ' ')"
}

for part in processes cgroups switch nodes swarm; do
  # shellcheck source=/dev/null
  source "$HERE/lib/$part.sh"
done

# One command that changes the lab at a time. `down` removes the lock's file, so a lock on a removed file does not count.
lock() {
  [[ $EUID == 0 ]] || die 'needs root: namespaces, cgroups and engines; run it with sudo'
  while :; do
    mkdir -p "$LABS"
    exec 9>"$LABS/.$NAME.lock"
    flock -w 120 9 || die 'is locked by another command for 120 s'
    [[ $(stat -c %i "$LABS/.$NAME.lock" 2>/dev/null) == "$(stat -Lc %i "/proc/$$/fd/9")" ]] && return
  done
}

up() {
  local count=$1 managers=${2:-} i waiting=()
  [[ $managers ]] || managers=$((count < 3 ? 1 : 3))
  need_node "$managers"
  ((managers <= count)) || die "cannot have $managers managers with $count nodes"
  "$HERE/packages.sh" lab
  alive "$SWITCH/switch.pid" >/dev/null || [[ $SWITCH != "$STATE" ]] || down # what a killed run or a reboot left
  mkdir -p "$STATE" /etc/docker /opt/containerd
  choose_engine
  switch_up
  for i in $(nodes); do mend "$i"; done
  for ((i = 1; i <= count; i++)); do
    boot "$i"
    daemon "$i"
  done
  for ((i = 1; i <= count; i++)); do ready "$i"; done
  swarm_up "$count" "$managers"
  for ((i = 1; i <= count; i++)); do
    has_image "$i" "$TEST_IMAGE" || waiting+=("$i")
  done
  ((${#waiting[@]} == 0)) || load_test_image "${waiting[@]}"
}

down() {
  local i failed=0
  thaw_all
  for i in $(nodes); do off "$i" || failed=1; done
  switch_down || failed=1
  sweep || failed=1
  remove_cgroups
  ((failed == 0)) || return 1
  rm -rf "${STATE:?}" 2>/dev/null || {
    sleep 0.5
    rm -rf "${STATE:?}"
  }
}

load() {
  local file=$1 i pids=()
  [[ -f $file ]] || die "expected an image as FILE.tar, found no file '$file'"
  shift
  for i in ${*:-$(nodes)}; do
    api "$i" POST /images/load?quiet=1 -T "$file" -H 'Content-Type: application/x-tar' >/dev/null &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i" || die "could not load $file on every node"; done
}
load_test_image() {
  local tar=$STATE/busybox.tar
  "$HERE/busybox-image.sh" "$tar" "$TEST_IMAGE" >/dev/null
  load "$tar" "$@"
  rm -f "$tar"
}

status() {
  local i init daemon
  if alive "$SWITCH/switch.pid" >/dev/null; then echo "lab $NAME: $(net).1/24, engine $(engine_version)"; else echo "lab $NAME: down"; fi
  for i in $(nodes); do
    if ! init=$(alive "$STATE/n$i/init.pid"); then
      echo "node$i: off"
    elif ! daemon=$(alive "$STATE/n$i/dockerd.pid"); then
      echo "node$i: on (init $init), dockerd down"
    else
      echo "node$i: on (init $init), dockerd $daemon ($(awk '/^State/ { print $2 }' "/proc/$daemon/status")," \
        "$(awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$daemon/status") MB), $(address "$i"), link $(link_state "$i")," \
        "unix://$STATE/n$i/docker.sock"
    fi
  done
}

[[ $NAME =~ ^[a-z0-9][a-z0-9-]{0,30}$ ]] || die 'has a bad name: expected up to 31 of a-z, 0-9 and -'
command=${1:-}
shift || true
case $command in up | down | kill | start | crash) lock ;; esac
case $command in
  up)
    need_node "${1:-}"
    up "$@"
    ;;
  down)
    down
    rm -f "$LABS/.$NAME.lock"
    rmdir "$LABS" 2>/dev/null || true
    ;;
  status) status ;;
  exec)
    if [[ ${1:-} == sw ]]; then
      shift
      init=$(alive "$SWITCH/switch.pid") || die 'is down'
      exec nsenter -t "$init" -n "$@"
    fi
    need_known_node "${1:-}"
    init=$(alive "$STATE/n$1/init.pid") || die "node $1 is off"
    shift
    exec nsenter -t "$init" -p -m -u -i -n "$@"
    ;;
  load) load "${1:-}" "${@:2}" ;;
  env | ip | pid | pause | resume | freeze | thaw | cut | heal | kill | crash | start)
    need_known_node "${1:-}"
    case $command in
      env) echo "DOCKER_HOST=unix://$STATE/n$1/docker.sock" ;;
      ip) address "$1" ;;
      pid) alive "$STATE/n$1/dockerd.pid" || die "dockerd of node $1 is not running" ;;
      pause) signal_daemon STOP "$1" ;;
      resume) signal_daemon CONT "$1" ;;
      freeze) freezer "$1" FROZEN ;;
      thaw) freezer "$1" THAWED ;;
      cut) link "$1" down ;;
      heal) link "$1" up ;;
      kill) off "$1" ;;
      crash) end_process "$STATE/n$1/dockerd.pid" ;;
      start)
        boot "$1"
        daemon "$1"
        ready "$1"
        ;;
    esac
    ;;
  *)
    sed -n '2,/^#   lab.sh load/p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
