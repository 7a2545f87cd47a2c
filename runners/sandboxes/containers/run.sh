# Run a command in a container, and say which limits it met. Usage: sh -c "$(cat run.sh)" MARKER FOLDER COMMAND
# Standard input is the line to ghosttape: when it breaks (ghosttape or the engine was killed), everything here ends.
exec 3<&0 </dev/null
(
    read -r _ <&3
    kill -s KILL -- -1
) &
exec 3<&-
unset HOSTNAME

met() { # FILE COUNTER LIMIT
    while read -r name count; do
        [ "$name" != "$2" ] || [ "$count" = 0 ] || echo "$marker$3" >&4
    done <"/sys/fs/cgroup/$1"
}

marker=$0
echo "$marker" >&2
cd -- "$1" || exit
exec 4>&2 2>/dev/null # what this shell remarks on the command's end is not the command's output
(exec 2>&4 4>&- sh -c "$2")
status=$?
met memory/memory.oom_control oom_kill memory
met memory.events oom_kill memory
met pids/pids.events max processes
met pids.events max processes
exit "$status"
