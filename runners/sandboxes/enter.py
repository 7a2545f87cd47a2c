"""Take the last step into the sandbox `unshare`: give up all ways to new rights, and become the command.

A script with nothing but the standard library (`python -I -S enter.py [--first GATE HANDLES] FILTER COMMAND...`), started by unshare.sh
before it goes to the root where there is no Python. FILTER is the number of an open file with a seccomp filter, or "-". Process 1
has `--first`: GATE is the pipe at which it says that it is here, HANDLES are the numbers of the open files that the command
gets besides its streams, with commas.
"""

from __future__ import annotations

import ctypes
import os
import signal
import stat
import sys

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, _PR_SET_NO_NEW_PRIVS = 22, 2, 38


class _Program(ctypes.Structure):
    """The kernel's `struct sock_fprog`: how many instructions of 8 bytes, and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def main(gate: str, handles: str, filter_: str, command: list[str]) -> None:
    """Wait until the host's files are gone, install the filter, and become the command; nothing else that is open goes along."""
    code = b"" if filter_ == "-" else os.read(int(filter_), 1 << 20)
    control = ctypes.CDLL(None, use_errno=True).prctl
    control.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)
    program = _Program(len(code) // 8, code)
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and what is ignored stays so for the command
        signal.signal(ignored, signal.SIG_DFL)
    os.setsid()  # a signal to its group would reach those outside who started it
    _wait(gate)
    os.chdir("/")  # until here it may have been a folder of the host
    _close_all_but({int(number) for number in handles.split(",") if number})
    steps = [(_PR_SET_NO_NEW_PRIVS, 1, 0)]
    if code:
        steps.append((_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(program)))
    for option, first, second in steps:
        if control(option, first, second, 0, 0) != 0:
            sys.exit(f"prctl({option}): {os.strerror(ctypes.get_errno())}")
    os.execv(command[0], command)  # noqa: S606 - that is what it is for, and no search: Python loads modules for it


def _wait(gate: str) -> None:
    """Stop until told to go on; process 1, which cannot stop, waits for the child that goes when it has heard of it."""
    if not gate:
        os.kill(os.getpid(), signal.SIGSTOP)
        return
    # This is still the host's root, with the rights of who started it: nothing is made or written but a pipe.
    pipe = os.open(gate, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not stat.S_ISFIFO(os.fstat(pipe).st_mode):
        sys.exit(f"{gate} is not a pipe")
    os.write(pipe, b"here\n")
    os.close(pipe)
    if status := os.wait()[1]:
        sys.exit(f"the new root could not be entered: {status}")


def _close_all_but(handles: set[int]) -> None:
    first = 3
    for handle in sorted(handles):
        os.closerange(first, handle)
        first = handle + 1
    os.closerange(first, 1 << 16)


if __name__ == "__main__":
    words = sys.argv[1:]
    gate, handles = (words[1], words[2]) if words[0] == "--first" else ("", "")
    filter_, *command = words[3:] if gate else words
    main(gate, handles, filter_, command)
