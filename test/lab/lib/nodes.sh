# Nodes: namespaces with a link to the switch, and a dockerd in them.
nodes() {
  local dir
  for dir in "$STATE"/n[0-9]*; do [[ -d $dir ]] && echo "${dir##*/n}"; done | sort -n
}

# The engine of the lab: this machine's dockerd, or one from another Debian release. Kept for `start`.
choose_engine() {
  local wanted=${LAB_ENGINE:-} own rootfs
  if [[ -f $STATE/engine ]]; then
    [[ ! $wanted || $wanted == "$(head -1 "$STATE/engine")" ]] || die "runs engine $(head -1 "$STATE/engine"), not $wanted; take it down first"
    return
  fi
  own=$(dockerd --version | sed 's/^Docker version \([0-9]*\).*/\1/')
  if [[ ! $wanted || $wanted == "$own" ]]; then
    printf '%s\n\n' "$own" >"$STATE/engine.new"
  else
    rootfs=$("$HERE/engine.sh" "$wanted") || die "cannot run engine $wanted"
    printf '%s\n%s\n' "$wanted" "$rootfs" >"$STATE/engine.new"
  fi
  mv "$STATE/engine.new" "$STATE/engine"
}
engine_rootfs() { sed -n 2p "$STATE/engine"; }

boot() { # node
  local i=$1 dir=$STATE/n$1 switch pid init='' t
  ! alive "$dir/init.pid" >/dev/null || return 0
  switch=$(alive "$SWITCH/switch.pid") || die 'is down'
  mkdir -p "$dir/data" "$dir/etc"
  # a search domain, as machines of clouds and offices have one: containers get it, too
  printf 'nameserver %s\nsearch lab.test\noptions timeout:1 attempts:1\n' "$(net).1" >"$dir/resolv.conf"
  printf '%s\n' "${LAB_DAEMON_JSON:-{\}}" >"$dir/etc/daemon.json"
  rm -f "$dir/docker.sock" "$dir/dockerd.pid" "$dir/up"
  (
    enter_cgroups "n$i"
    exec setsid env -i "PATH=$PATH" HOME=/root LAB="$NAME" \
      unshare --fork --kill-child --pid --mount --uts --ipc --net --mount-proc \
      sh "$HERE/lib/boot-node.sh" "node$i" "$dir" "$(engine_rootfs)" "$CHECKOUT"
  ) </dev/null >"$dir/boot.log" 2>&1 9>&- &
  pid=$!
  disown "$pid"
  for ((t = 0; t < 500; t++)); do
    [[ -e $dir/up ]] && init=$(first_child "$pid") && [[ $(command_of "$init") == tini ]] && break
    [[ -e /proc/$pid ]] || die "node $i does not boot: $(cat "$dir/boot.log")"
    sleep 0.01
  done
  [[ -e $dir/up && $init ]] || {
    kill -KILL "$pid"
    die "node $i does not boot: $(cat "$dir/boot.log")"
  }
  remember "$init" "$dir/init.pid"
  connect "$i" "$switch" "$init"
}

# The fixed MAC keeps the others' ARP entries right when the node boots again. No default route: nothing gets out, at once.
connect() { # node, pid of the switch, pid of the node
  local port=p$((BASE + $1)) mac
  mac=$(printf '02:4c:41:42:00:%02x' "$((BASE + $1))")
  nsenter -t "$2" -n ip link del "$port" 2>/dev/null || true
  nsenter -t "$2" -n ip link add "$port" type veth peer name eth0 address "$mac" netns "$3"
  nsenter -t "$2" -n ip link set "$port" master br0 up
  nsenter -t "$3" -n sh -ec "ip addr add $(address "$1")/24 dev eth0; ip link set eth0 up"
}

daemon() { # node
  local i=$1 dir=$STATE/n$1 init pid='' t
  ! alive "$dir/dockerd.pid" >/dev/null || return 0
  init=$(alive "$dir/init.pid") || die "node $i is off"
  rm -f "$dir/docker.sock"
  nsenter -t "$init" -p -m -u -i -n rm -f /run/docker.pid
  # dockerd has to be a child of tini: nsenter as its parent would stop along with a paused dockerd and never reap it, and
  # the node's namespaces would not end.
  (
    enter_cgroups "n$i"
    # shellcheck disable=SC2086
    exec env -i "PATH=$PATH" HOME=/root LAB="$NAME" nsenter -t "$init" -p -m -u -i -n sh -c 'setsid dockerd "$@" &' sh \
      --data-root "$dir/data" --exec-root /run/docker --pidfile /run/docker.pid \
      -H unix:///run/docker.sock -H "unix://$dir/docker.sock" --cgroup-parent "$CGROUP/n$i" \
      --shutdown-timeout 2 ${LAB_DOCKERD_ARGS:-}
  ) </dev/null >>"$dir/dockerd.log" 2>&1 9>&-
  for ((t = 0; t < 500; t++)); do
    for pid in $(cat "/proc/$init/task/$init/children"); do [[ $(command_of "$pid") == dockerd ]] && break 2; done
    sleep 0.01
  done
  [[ $(command_of "$pid") == dockerd ]] || die "dockerd of node $i ends at once: $(tail -5 "$dir/dockerd.log")"
  remember "$pid" "$dir/dockerd.pid"
}

api() { # node METHOD PATH [curl arguments]: prints the body; fails on an HTTP error, with the daemon's words on stderr
  local i=$1 method=$2 path=$3 answer
  shift 3
  answer=$(curl -sS -m 120 --fail-with-body -X "$method" --unix-socket "$STATE/n$i/docker.sock" "$@" "http://docker$path") || {
    echo "lab $NAME: node $i: $method $path: $answer" >&2
    return 1
  }
  printf '%s\n' "$answer"
}

ready() { # node: waits for the API
  local i=$1 end=$((SECONDS + WAIT))
  until curl -s -m 2 -o /dev/null -f --unix-socket "$STATE/n$i/docker.sock" http://docker/_ping; do
    alive "$STATE/n$i/dockerd.pid" >/dev/null || die "dockerd of node $i ended: $(tail -5 "$STATE/n$i/dockerd.log")"
    ((SECONDS < end)) || die "dockerd of node $i does not answer after $WAIT s: $(tail -5 "$STATE/n$i/dockerd.log")"
    sleep 0.05
  done
}
has_image() { api "$1" GET "/images/$2/json" >/dev/null 2>&1; } # node image
engine_version() {
  local i
  for i in $(nodes); do
    curl -s -m 2 --unix-socket "$STATE/n$i/docker.sock" http://docker/version | grep -o '"Version":"[^"]*","ApiVersion"' | cut -d'"' -f4 && return
  done
  echo unknown
}

# Undoes freeze, pause and cut.
mend() { # node
  alive "$STATE/n$1/init.pid" >/dev/null || return 0
  freezer "$1" THAWED
  link "$1" up
  ! alive "$STATE/n$1/dockerd.pid" >/dev/null || signal_daemon CONT "$1"
}

# Everything on the node at once, but first the link, so that no FIN or RST tells the others.
off() { # node
  (link "$1" down) 2>/dev/null || true
  freezer "$1" THAWED 2>/dev/null || true
  end_process "$STATE/n$1/init.pid" || return 1
  rm -f "$STATE/n$1/dockerd.pid" "$STATE/n$1/docker.sock"
}
