"""Begin a container that stays open: get the streams and open files of the first process from ghosttape, and become it.

A text for `python -I -S -c`, with the words SOCKET COMMAND...: the engine can hand on no open file, a socket can. What comes
over it says which number each file gets, and whether the command becomes process 1. Otherwise it is its only child, and
both end when ghosttape, which is gone then, lets go of the socket.
"""

import fcntl
import json
import os
import select
import socket
import sys

_FILES = 16


def begin(place: str, command: list[str]) -> None:
    """Take the place of this process, or keep a child in it."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(place)
    message, given, _, _ = socket.recv_fds(line, 1 << 12, _FILES)
    order = json.loads(message)
    above = max(order["numbers"]) + 1
    kept = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, above) for file in given]
    for file in given:
        os.close(file)
    for number, file in zip(order["numbers"], kept, strict=True):
        os.dup2(file, number)
    os.environ.pop("HOSTNAME", None)  # the engine's
    child = 0 if order["first"] else os.fork()
    if child == 0:
        os.execvp(command[0], command)  # noqa: S606 - that is what it is for
    either = select.poll()
    either.register(line, select.POLLIN)
    either.register(os.pidfd_open(child), select.POLLIN)
    either.poll()


if __name__ == "__main__":
    begin(sys.argv[1], sys.argv[2:])
