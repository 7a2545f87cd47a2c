# Build a root of our own in fresh namespaces, go there, drop every right, and run a command.
# Usage: unshare.sh { mount SOURCE TARGET | link SAYS WHERE | project SOURCE TARGET | tmpfs TARGET MEBIBYTES | up INTERFACE - |
# first GATE - }... -- ENTER...
# ENTER is the command with enter.py in front of it; with `first` it becomes process 1, and waits at the pipe GATE. Runs as the root of a new user namespace.
# /sys is hidden by the new root while that is built: nothing in it is wanted.
set -eu
root=/sys
gate=

place() { # make an empty target of the same kind as the source
    if [ -d "$1" ]; then
        mkdir -p "$root$2"
    else
        mkdir -p "$root${2%/*}"
        : >"$root$2"
    fi
}

show() { # SOURCE TARGET OPTIONS
    place "$1" "$2"
    mount --bind "$1" "$root$2"
    # What the source forbids must stay forbidden: if nothing may be started from there, not here either.
    mount -o "remount,bind,nosuid,nodev$3" "$root$2" 2>/dev/null || mount -o "remount,bind,nosuid,nodev,noexec$3" "$root$2"
}

mount -t tmpfs -o size=1m,mode=755,nosuid,nodev tmpfs "$root"
mkdir -p "$root/proc" "$root/dev/pts" "$root/dev/shm" "$root/.host"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
for device in null zero full random urandom tty; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
    # Started by root, the command is the owner of the machine's devices: it may write to them, not change their modes.
    mount -o remount,bind,ro,nosuid "$root/dev/$device" 2>/dev/null || mount -o remount,bind,ro,nosuid,noexec "$root/dev/$device"
done
for file in kcore keys key-users timer_list sched_debug latency_stats kallsyms sysrq-trigger; do
    [ ! -e "$root/proc/$file" ] || mount --bind /dev/null "$root/proc/$file"
    [ ! -e "$root/proc/$file" ] || mount -o remount,bind,ro,nosuid,nodev,noexec "$root/proc/$file"
done
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,nosuid,noexec devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for stream in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${stream%:*}" "$root/dev/${stream#*:}"; done

while [ "$1" != -- ]; do
    case $1 in
    mount) show "$2" "$3" ,ro ;;
    project) show "$2" "$3" "" ;;
    link) ln -s "$2" "$root$3" ;;
    up) ip link set "$2" up ;;
    first) gate=$2 ;;
    tmpfs)
        mkdir -p "$root$2"
        mount -t tmpfs -o "size=${3}m,mode=755,nosuid,nodev" tmpfs "$root$2"
        ;;
    esac
    shift 3
done
shift

hostname ghosttape

# The command gets one more user namespace, in which it has another name and no rights; after that there are no more.
# To make it takes a writable /proc, and to filter what it may ask of the kernel takes a program of the host: so it starts
# here, and stops until both are gone. (A command started by root would still be root for the kernel's files in /proc/sys.)
cd /
echo 1 >"$root/proc/sys/user/max_user_namespaces"
# What the kernel counts for each user of the host: a run gets a part of it.
for count in max_inotify_instances:32 max_inotify_watches:16384; do
    file=$root/proc/sys/user/${count%:*}
    [ ! -w "$file" ] || echo "${count#*:}" >"$file"
done

enter() {
    exec unshare --user --map-user=65534 --map-group=65534 -- "$@"
}

leave() { # the machine's files, for all that run here
    cd "$root"
    pivot_root . .host
    cd /
    umount -l /.host
    rmdir /.host
    mount -o remount,bind,ro,nosuid,nodev,noexec /proc
    mount -o remount,bind,ro,nosuid,noexec /dev/pts
    mount -o remount,bind,ro,nosuid,nodev /
}

if [ "$gate" ]; then
    # Nobody can stop process 1: it says at a pipe when it may be left alone with the new root, and waits for this child.
    mkfifo "$gate"
    (
        read -r _ <"$gate"
        rm "$gate"
        leave
    ) &
    enter "$@"
fi

enter "$@" &
child=$!
until read -r _ _ state _ <"$root/proc/$child/stat" && [ "$state" = T ]; do
    [ "$state" != Z ] || exit 1
done
leave
kill -CONT "$child"

# This shell stays as process 1: it buries orphans, and when it ends the kernel ends all the others.
wait "$child" 2>/dev/null && status=0 || status=$? # what it remarks on a signal is not the command's output
exit "$status"
