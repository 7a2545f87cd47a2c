"""Process 1 of a warm worker: starts one program at a time, ends all that it left, and tells the host how it went.

It runs inside the sandbox, beside hostile programs of the same user, and imports only the standard library. What keeps
it out of their reach: it is process 1 of its namespace (signals from inside cannot end it), it is not dumpable (no
ptrace, no /proc/1/mem, no /proc/1/fd), and its only channel is a socket that is closed before a program begins. When the host closes that
socket, the supervisor ends, and everything in the sandbox with it.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
from pathlib import Path

CONTROL = "GHOSTTAPE_CONTROL"
"""The variable that names the descriptor of the socket to the host, and the process namespace of the host."""

COMMAND = "GHOSTTAPE_COMMAND"
"""The variable of an order that holds the shell command to run, where the worker is not an interpreter itself."""

_SET_DUMPABLE, _SET_CHILD_SUBREAPER = 4, 36
_WRITABLE = ("/project", "/tmp", "/dev/shm")  # noqa: S108 - inside the sandbox, file systems of its own
_TABLES = ("sysvipc/shm", "sysvipc/sem", "sysvipc/msg", "net/tcp", "net/tcp6", "net/udp", "net/udp6")
_COUNTERS = (
    *(("memory/memory.oom_control", "oom_kill"), ("memory.events", "oom_kill")),
    *(("pids/pids.events", "max"), ("pids.events", "max")),
)
_LIMITS = tuple(sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")}))
_MESSAGE = 1 << 17
_GET_FLAGS = 0x80086601  # FS_IOC_GETFLAGS
_SWITCHES = ("oom_score_adj", "coredump_filter", "timerslack_ns", "autogroup", "comm")
"""Files of /proc/1 in which a process of the same user could change it."""


def supervise() -> dict[str, str]:
    """Serve the host's orders until it goes away; return only in a child, with the variables that its order adds.

    The child has null as its input, the order's pipes as its outputs, and nothing else of ours.
    """
    control = _open_control()
    begun = _standing()
    control.send(b'{"ready": true}')
    while True:
        message, pipes, _, _ = socket.recv_fds(control, _MESSAGE, 2)
        if not message:
            os._exit(0)
        child = os.fork()
        if child == 0:
            control.detach()
            _separate(pipes)
            order = json.loads(message)
            resource.setrlimit(resource.RLIMIT_CPU, (order["cpu_s"], order["cpu_s"] + 1))
            variables: dict[str, str] = order["variables"]
            return variables
        for pipe in pipes:
            os.close(pipe)
        status = _outlive(child)
        answer = {"status": status, "traces": _clean(begun), "met": _met_limits()}
        control.send(json.dumps(answer).encode())


def _open_control() -> socket.socket:
    """Return the socket to the host. Exits where killing all processes would kill the host's."""
    number, _, outside = os.environ.pop(CONTROL).partition(":")
    if str(Path("/proc/self/ns/pid").readlink()) == outside:
        sys.exit("this is the host's own process namespace: a warm worker kills everything that it sees")
    _prctl(_SET_DUMPABLE, 0)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    control = socket.socket(fileno=int(number))
    signal.signal(signal.SIGIO, lambda *_: _leave_if_alone(control))
    fcntl.fcntl(control, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(control, fcntl.F_SETFL, fcntl.fcntl(control, fcntl.F_GETFL) | os.O_ASYNC)
    return control


def _leave_if_alone(control: socket.socket) -> None:
    """Exit, also while a program runs, if the host is gone. A program can send this signal too; then the host still exists."""
    look = select.poll()
    look.register(control, 0)
    if look.poll(0):
        os._exit(0)


def _separate(pipes: list[int]) -> None:
    """Become a process that shares nothing with its parent that it could harm or be told by."""
    null = os.open(os.devnull, os.O_RDONLY)
    for number, source in enumerate((null, *pipes)):
        os.dup2(source, number)
    os.closerange(3, 1 << 20)
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))  # message queues would outlive it, where none can list them
    _prctl(_SET_DUMPABLE, 1)


def _outlive(child: int) -> int:
    """Wait for the child, kill all other processes there are, and bury every one; return the child's status.

    One signal is enough: the kernel lets no process fork that has it pending.
    """
    status = None
    while status is None:
        pid, ended = os.waitpid(-1, 0)
        status = ended if pid == child else None
    try:
        os.kill(-1, signal.SIGKILL)
        while True:
            os.waitpid(-1, 0)
    except (ProcessLookupError, ChildProcessError):
        return status


def _clean(begun: object) -> str:
    """Empty what programs can write; return what could not be undone, so that this worker must go."""
    try:
        for folder in _WRITABLE:
            _empty(folder)
    except (OSError, RecursionError) as error:
        return f"left behind: {error}"
    if _standing() != begun:
        return "changed the limits or the standing of process 1"
    left = [table for table in _TABLES if len(_lines(Path("/proc", table))) > 1]
    return f"left behind: entries in {', '.join(left)}" if left else ""


def _met_limits() -> bool | None:
    """Say whether the kernel has enforced a limit on the whole sandbox; None where that cannot be seen from inside."""
    lines = [(name, line) for file, name in _COUNTERS for line in _lines(Path("/sys/fs/cgroup", file))]
    counts = [line.split() for name, line in lines if line.split()[:1] == [name]]
    return any(count != "0" for _, count in counts) if counts else None


def _empty(folder: str) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)  # noqa: PTH108 - strings and os calls: this runs after every program
            elif not os.path.ismount(entry.path):
                shutil.rmtree(entry.path)


def _standing() -> object:
    """Return what another process of the same user can change in this one, or set on the writable folders."""
    limits = [resource.getrlimit(number) for number in _LIMITS]
    scheduling = (os.sched_getaffinity(0), os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0))
    switches = [_lines(Path("/proc/self", name)) for name in _SWITCHES]
    return limits, [_folder(folder) for folder in _WRITABLE], scheduling, switches, Path.cwd(), _mounts()


def _folder(folder: str) -> object:
    """Return what stays with a folder when it has been emptied: mode, owner, inode, extended attributes with ACLs, and inode flags."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        about = os.fstat(handle)
        attributes = [(name, _attribute(handle, name)) for name in os.listxattr(handle)]
        return about.st_mode, about.st_uid, about.st_gid, about.st_dev, about.st_ino, attributes, _flags(handle)
    finally:
        os.close(handle)


def _attribute(handle: int, name: str) -> bytes:
    try:
        return os.getxattr(handle, name)
    except OSError:  # some are listed for all and readable for few
        return b""


def _flags(handle: int) -> int | None:
    """Return the flags of an inode (`lsattr`); None where its file system has none, or the filter hides them."""
    try:
        return int.from_bytes(fcntl.ioctl(handle, _GET_FLAGS, bytes(8))[:4], sys.byteorder)
    except OSError:
        return None


def _mounts() -> list[str]:
    """Return the mounts with their options and propagation."""
    return _lines(Path("/proc/self/mountinfo"))


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    os.environ.update(supervise())
    os.execvp("sh", ["sh", "-c", os.environ.pop(COMMAND)])  # noqa: S606 - in the child
