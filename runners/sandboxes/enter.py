"""Take the last step into the sandbox `unshare`: give up all ways to new rights, and become the command.

A script with nothing but the standard library (`python -I -S enter.py FILTER COMMAND...`), started by unshare.sh before it goes to the
root where there is no Python. FILTER is the number of an open file with a seccomp filter, or "-".
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, _PR_SET_NO_NEW_PRIVS = 22, 2, 38


class _Program(ctypes.Structure):
    """The kernel's `struct sock_fprog`: how many instructions of 8 bytes, and where they are."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def main(filter_: str, command: list[str]) -> None:
    """Wait for a signal to go on, install the filter, and become the command; nothing that is open goes along."""
    code = b"" if filter_ == "-" else os.read(int(filter_), 1 << 20)
    control = ctypes.CDLL(None, use_errno=True).prctl
    control.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)
    program = _Program(len(code) // 8, code)
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and what is ignored stays so for the command
        signal.signal(ignored, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSTOP)
    os.chdir("/")  # until here it may have been a folder of the host
    os.closerange(3, 1 << 16)
    steps = [(_PR_SET_NO_NEW_PRIVS, 1, 0)]
    if code:
        steps.append((_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(program)))
    for option, first, second in steps:
        if control(option, first, second, 0, 0) != 0:
            sys.exit(f"prctl({option}): {os.strerror(ctypes.get_errno())}")
    os.execv(command[0], command)  # noqa: S606 - that is what it is for, and no search: Python loads modules for it


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
