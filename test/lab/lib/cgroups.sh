# Every process of the lab is in a cgroup below $CGROUP, in each hierarchy of v1 or in the one of v2: what a killed `up` did
# not get to write down is found there, and a node is frozen there.
hierarchies() { awk '$3 == "cgroup" || $3 == "cgroup2" { print $2 }' /proc/mounts; }

# Puts the calling process into the cgroups of a node (or of the switch). v2 allows processes in leaves only, and the node's
# containers come below the node: hence "sys".
enter_cgroups() { # nI|switch
  local hierarchy dir
  for hierarchy in $(hierarchies); do
    case $hierarchy in
      */cpuset) continue ;; # takes nobody before its cpus are set; runc does that for itself
      /sys/fs/cgroup/unified) continue ;; # beside v1 it has no controllers
      /sys/fs/cgroup) dir=$hierarchy$CGROUP/$1/sys ;;
      *) dir=$hierarchy$CGROUP/$1 ;;
    esac
    mkdir -p "$dir" && echo "$BASHPID" >"$dir/cgroup.procs" || true
  done
}

members() {
  local hierarchy
  for hierarchy in $(hierarchies); do
    find "$hierarchy$CGROUP" -name cgroup.procs -exec cat {} + 2>/dev/null || true
  done | sort -un | grep -vx 0 || true
}

# Ends whatever is in our cgroups.
sweep() {
  local i pids
  for ((i = 0; i < 40; i++)); do
    pids=$(members)
    [[ $pids ]] || return 0
    # shellcheck disable=SC2086
    kill -CONT $pids 2>/dev/null || true
    # shellcheck disable=SC2086
    kill -KILL $pids 2>/dev/null || true
    sleep 0.05
  done
  echo "lab $NAME: still running:" $pids >&2
  return 1
}

remove_cgroups() {
  local hierarchy dir i
  for hierarchy in $(hierarchies); do
    dir=$hierarchy$CGROUP
    for ((i = 0; i < 10; i++)); do
      [[ -d $dir ]] || break
      find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [[ ! -d $dir ]] || sleep 0.05
    done
    [[ ! -d $dir ]] || echo "lab $NAME: the cgroup $dir cannot be removed" >&2
  done
}

# Every process of the node stands still, or goes on, when this returns.
freezer() { # node FROZEN|THAWED
  local v1=/sys/fs/cgroup/freezer$CGROUP/n$1/freezer.state v2=/sys/fs/cgroup$CGROUP/n$1
  if [[ -e $v1 ]]; then
    echo "$2" >"$v1"
    within_5_s grep -qx "$2" "$v1"
  else
    local frozen=0
    [[ $2 != FROZEN ]] || frozen=1
    echo "$frozen" >"$v2/cgroup.freeze"
    within_5_s grep -qx "frozen $frozen" "$v2/cgroup.events"
  fi || {
    echo "lab $NAME: node $1 is not $2 after 5 s" >&2
    return 1
  }
}

# What a v1 freezer holds cannot be killed.
thaw_all() {
  local i
  for i in $(nodes); do freezer "$i" THAWED 2>/dev/null || true; done
}
