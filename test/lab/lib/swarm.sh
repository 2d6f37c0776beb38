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
node_list() { curl -s -m 5 --unix-socket "$STATE/n1/docker.sock" http://docker/nodes; }
ready_nodes() { node_list | grep -o '"State":"ready"' | wc -l; }
# A manager that was away is ready before its raft is there again; until then no other one can be demoted.
all_reachable() {
  local list
  list=$(node_list) && ! grep -q '"Reachability":"unreachable"' <<<"$list"
}

swarm_up() { # nodes managers
  local count=$1 managers=$2 i end=$((SECONDS + WAIT)) restart=$((SECONDS + WAIT / 3)) swarm pids=()
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
  until (($(ready_nodes) >= count)) && all_reachable; do
    if ((SECONDS >= restart && $(ready_nodes) < count)); then
      restart_daemons "$(describe_nodes)"
      end=$((SECONDS + WAIT)) restart=$((end + 1))
    fi
    ((SECONDS < end)) || die "its $count nodes are not all ready and reachable after $WAIT s: $(describe_nodes)"
    sleep 0.1
  done
}

# Swarm's own machinery can hang for good after its leader stood still; the way out is to restart the daemons (moby #42314,
# swarmkit #2949). Told in full: it is what a test's later failure may come from.
restart_daemons() { # why
  local i
  echo "lab $NAME: not every node is ready after $((WAIT / 3)) s, each daemon starts anew: $1"
  for i in $(nodes); do
    alive "$STATE/n$i/init.pid" >/dev/null || continue
    end_process "$STATE/n$i/dockerd.pid"
    daemon "$i"
    ready "$i"
  done
}

# What node 1 says of each node, and the last words of each daemon.
describe_nodes() {
  local i
  node_list | grep -oE '"Hostname":"[^"]*"|"State":"[a-z]*"|"Leader":true|"Reachability":"[a-z]*"' | tr '\n' ' '
  for i in $(nodes); do printf '\nnode %s: ' "$i" && tail -n 15 "$STATE/n$i/dockerd.log"; done
}
