# The switch: a bridge in a network namespace of its own, and the lab's name server.

# The first three numbers of the lab's network. A link names who took it, so that no two labs get the same.
net() { cat "$SWITCH/net" 2>/dev/null || die 'is down'; }
take_net() {
  local i seed candidate owner
  [[ ! -f $STATE/net ]] || return 0
  seed=$((16#$(printf %s "$NAME" | sha256sum | cut -c1-4)))
  for ((i = 0; i < 200; i++, seed++)); do
    candidate=${LAB_NET:-10.$((64 + seed / 256 % 64)).$((seed % 256))}
    if owner=$(readlink "$LABS/.net-$candidate"); then
      [[ $owner == "$NAME" || $(cat "$LABS/$owner/net" 2>/dev/null) != "$candidate" ]] || {
        [[ ! ${LAB_NET:-} ]] || die "the network $candidate is taken by lab $owner"
        continue
      }
      rm -f "$LABS/.net-$candidate"
    fi
    ln -s "$NAME" "$LABS/.net-$candidate" 2>/dev/null || continue
    echo "$candidate" >"$STATE/net"
    return 0
  done
  die 'found no free network; is there a lab to take down?'
}
address() { echo "$(net).$((BASE + $1))"; } # node

switch_up() {
  local pid i
  if [[ $SWITCH != "$STATE" ]]; then
    alive "$SWITCH/switch.pid" >/dev/null || die "shares the switch of lab ${SWITCH##*/}, which is down"
    return
  fi
  ! alive "$SWITCH/switch.pid" >/dev/null || return 0
  take_net
  (
    enter_cgroups switch
    exec env -i "PATH=$PATH" LAB="$NAME" setsid unshare --net sleep infinity
  ) </dev/null >/dev/null 2>&1 9>&- &
  pid=$!
  disown "$pid"
  for ((i = 0; i < 500; i++)); do
    [[ $(readlink "/proc/$pid/ns/net") != "$(readlink /proc/self/ns/net)" && $(command_of "$pid") == sleep ]] && break
    sleep 0.01
  done
  # A MAC of its own: the bridge would change it as ports come and go, and peers would lose packets.
  nsenter -t "$pid" -n sh -ec "
    ip link set lo up
    ip link add br0 address 02:4c:41:42:00:fe type bridge forward_delay 0
    ip addr add $(net).1/24 dev br0
    ip link set br0 up
    echo 0 >/proc/sys/net/bridge/bridge-nf-call-iptables 2>/dev/null || true"
  touch "$SWITCH/hosts"
  remember "$pid" "$SWITCH/switch.pid"
  name_server_up "$pid"
}

# Look-ups must fail at once: swarm tries to pull an image that is named by tag at every start of a task, and with a resolver
# that does not answer each start waits 20 s. Lines "ADDRESS NAME..." in the lab's `hosts` are answered.
name_server_up() { # pid of the switch
  local pid i
  (
    enter_cgroups switch
    exec env -i "PATH=$PATH" LAB="$NAME" setsid nsenter -t "$1" -n perl "$HERE/lib/name-server.pl" "$(net).1" "$SWITCH/hosts"
  ) </dev/null >"$SWITCH/name-server.log" 2>&1 9>&- &
  pid=$!
  disown "$pid"
  for ((i = 0; i < 500; i++)); do
    [[ ! -s $SWITCH/name-server.log ]] || break
    sleep 0.01
  done
  [[ $(cat "$SWITCH/name-server.log") == listening ]] || die "its name server does not start: $(cat "$SWITCH/name-server.log")"
  remember "$pid" "$SWITCH/name-server.pid"
}

switch_down() {
  local failed=0
  [[ $SWITCH == "$STATE" ]] || return 0
  end_process "$SWITCH/name-server.pid" || failed=1
  end_process "$SWITCH/switch.pid" || failed=1
  [[ ! -f $STATE/net ]] || rm -f "$LABS/.net-$(cat "$STATE/net")"
  return $failed
}

link() { # node up|down
  local pid
  pid=$(alive "$SWITCH/switch.pid") || die 'is down'
  nsenter -t "$pid" -n ip link set "p$((BASE + $1))" "$2"
}
link_state() { # node
  nsenter -t "$(alive "$SWITCH/switch.pid")" -n ip -br link show "p$((BASE + $1))" | awk '{ print $2 }'
}
