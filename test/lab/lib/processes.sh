# Processes of the lab. A pid file holds "pid starttime bootid", so that a reused pid is never taken for one of ours.
BOOT_ID=$(cat /proc/sys/kernel/random/boot_id)

start_time() { # pid
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  stat=${stat##*) } # the command's name, in brackets, may hold spaces
  # shellcheck disable=SC2086
  set -- $stat
  echo "${20}"
}

remember() { # pid file
  echo "$1 $(start_time "$1") $BOOT_ID" >"$2.new" && mv "$2.new" "$2"
}

# Prints the pid of a pid file whose process still lives.
alive() { # file
  local pid started boot stat
  [[ -f $1 ]] || return 1
  read -r pid started boot <"$1" || return 1
  [[ $boot == "$BOOT_ID" && $(start_time "$pid") == "$started" ]] || return 1
  stat=$(cat "/proc/$pid/stat" 2>/dev/null) || return 1
  stat=${stat##*) }
  [[ ${stat:0:1} != Z ]] || return 1
  echo "$pid"
}

# SIGKILL, and wait until it is gone.
end_process() { # file
  local pid i
  pid=$(alive "$1") || {
    rm -f "$1"
    return 0
  }
  kill -CONT "$pid" 2>/dev/null || true
  kill -KILL "$pid" 2>/dev/null || true
  for ((i = 0; i < 500; i++)); do
    alive "$1" >/dev/null || {
      rm -f "$1"
      return 0
    }
    sleep 0.02
  done
  echo "lab $NAME: process $pid does not end" >&2
  return 1
}

# The first child; the kernel's file ends without a newline, which `read` takes for a failure.
first_child() { # pid
  local child=
  read -r child _ 2>/dev/null <"/proc/$1/task/$1/children" || true
  [[ $child ]] && echo "$child"
}

command_of() { cat "/proc/$1/comm" 2>/dev/null; } # pid

signal_daemon() { # signal node
  local pid
  pid=$(alive "$STATE/n$2/dockerd.pid") || die "dockerd of node $2 is not running"
  kill "-$1" "$pid"
  [[ $1 != STOP ]] || within_5_s has_stopped "$pid" || die "dockerd of node $2 runs on 5 s after SIGSTOP"
}

# Whether no thread runs on: until the signal has come to all of them, one may still answer.
has_stopped() { # pid
  [[ $(cat "/proc/$1/task/"*/stat 2>/dev/null | grep -cv ') [TtZX] ') == 0 ]]
}

within_5_s() { # command...
  local i
  for ((i = 0; i < 250; i++)); do
    ! "$@" || return 0
    sleep 0.02
  done
  return 1
}
