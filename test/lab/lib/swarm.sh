# The nodes' swarm, through the engines' API: no docker command is needed.
swarm_state() { api "$1" GET /info | grep -o '"LocalNodeState":"[a-z]*"' | cut -d'"' -f4; } # node

# The heartbeat of 1 s (5 s by default) finds a dead node in 2 s where it would take 11 s.
swarm_init() {
  api 1 POST /swarm/init -H 'Content-Type: application/json' -d '{
    "ListenAddr": "0.0.0.0:2377", "AdvertiseAddr": "'"$(address 1)"':2377", "Spec": {"Dispatcher": {"HeartbeatPeriod": 1000000000}}}' >/dev/null
}
swarm_join() { # node token
  api "$1" POST /swarm/join -H 'Content-Type: application/json' -d '{
    "ListenAddr": "0.0.0.0:2377", "AdvertiseAddr": "'"$(address "$1")"':2377", "RemoteAddrs": ["'"$(address 1)"':2377"], "JoinToken": "'"$2"'"}' >/dev/null
}
token() { grep -o "\"$2\":\"SWMTKN[^\"]*\"" <<<"$1" | cut -d'"' -f4; } # answer of /swarm, Manager|Worker
ready_nodes() { curl -s -m 5 --unix-socket "$STATE/n1/docker.sock" http://docker/nodes | grep -o '"State":"ready"' | wc -l; }

swarm_up() { # nodes managers
  local count=$1 managers=$2 i end=$((SECONDS + WAIT)) swarm pids=()
  [[ $(swarm_state 1) != inactive ]] || swarm_init
  until swarm=$(api 1 GET /swarm 2>/dev/null); do
    ((SECONDS < end)) || die "its swarm has no leader after $WAIT s"
    sleep 0.1
  done
  for ((i = 2; i <= count; i++)); do
    [[ $(swarm_state "$i") == inactive ]] || continue
    if ((i <= managers)); then
      swarm_join "$i" "$(token "$swarm" Manager)" # one after the other, each changes the raft group
    else
      swarm_join "$i" "$(token "$swarm" Worker)" &
      pids+=($!)
    fi
  done
  for i in "${pids[@]}"; do wait "$i" || die 'a worker could not join'; done
  until (($(ready_nodes) >= count)); do
    ((SECONDS < end)) || die "only $(ready_nodes) of $count nodes are ready after $WAIT s"
    sleep 0.1
  done
}
