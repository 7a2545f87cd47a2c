"""A process on a pseudo-terminal, and what it draws."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time


class Terminal:
    """A process on a pseudo-terminal; `drawn` is what came since something was last waited for."""

    def __init__(self, argv, folder, *, columns=150, rows=40):
        self.drawn, self.is_open = "", True
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            for one in (
                signal.SIGHUP,
                signal.SIGINT,
            ):  # tests that were started by nohup or in the background ignore them
                signal.signal(one, signal.SIG_DFL)
            os.chdir(folder)
            os.environ |= {"COLUMNS": str(columns), "LINES": str(rows), "TERM": "xterm"}
            os.execv(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, pattern, within_s=60.0):
        """Read until a pattern is drawn, from what came since the last time."""
        end = time.monotonic() + within_s
        while not (found := re.search(pattern, self.drawn)):
            assert time.monotonic() < end, f"{pattern!r} was not drawn: {self.drawn[-2000:]}"
            if select.select([self.fd], [], [], 0.2)[0]:
                self.drawn += os.read(self.fd, 1 << 16).decode("utf-8", "replace")
        self.drawn = self.drawn[found.end() :]
        return found

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def status(self, within_s=60.0):
        """Read to the end, and give the exit status."""
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            try:
                if select.select([self.fd], [], [], 0.2)[0]:
                    self.drawn += os.read(self.fd, 1 << 16).decode("utf-8", "replace")
            except OSError:  # nobody holds the other end any more
                break
        else:
            raise AssertionError(f"the process does not end: {self.drawn[-2000:]}")
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def hang_up(self):
        """Close the terminal, as a window that is closed does: the processes on it get SIGHUP."""
        os.close(self.fd)
        self.is_open = False
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return status

    def end(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self.is_open:
            os.close(self.fd)
