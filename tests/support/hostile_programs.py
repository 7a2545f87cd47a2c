"""Hostile programs, and a host for them to harm."""

import contextlib
import ctypes
import os
import platform
import pty
import signal
import socket
import stat
import subprocess
import sys
import tomllib
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from runners.limits.cgroups import Cgroup
from runners.protocol import Limits
from tests.support.places import ROOT

PROGRAMS = ROOT / "tests/support/containment_programs"
FAILING = "def test_it():\n    assert 1 == 2\n"
SECRET = "sk-very-secret"


@dataclass(frozen=True)
class Program:
    """A hostile program: one file, whose first lines say what it does, how it must end, and how its harm is seen."""

    name: str
    text: str
    does: str
    harm: str
    ends: tuple[str, ...] = ()
    file: str = ""
    command: str = ""
    without: str = "none"
    needs: str = ""
    limits: dict = field(default_factory=dict)

    @classmethod
    def read(cls, path):
        text = path.read_text()
        head = tomllib.loads("".join(line[2:] + "\n" for line in text.splitlines() if line.startswith("#:")))
        run = f"python {path.name}" if path.suffix == ".py" else f"sh {path.name}"
        return cls(path.stem, text, **{"file": path.name, "command": run, **head, "ends": tuple(head.get("ends", ()))})

    def lay_out(self, project):
        project.mkdir()
        (project / self.file).write_text(self.text)
        if "pytest" in self.command:
            (project / "test_it.py").write_text(FAILING)

    def lacks(self):
        """Return what is missing for the harm to be possible here, or ""."""
        group = Cgroup.create(Limits()) if self.needs == "cgroup" else None
        if group:
            group.remove()
        met = {
            "": True,
            "root": os.geteuid() == 0,
            "no root": os.geteuid() != 0,
            "cgroup": bool(group),
            "x86_64": platform.machine() == "x86_64",
        }
        return "" if met[self.needs] else self.needs


class Host:
    """What there is to harm: files, a victim, services, a terminal. `harms` says what has happened to them."""

    def __init__(self, folder):
        self.word = f"gt-{uuid.uuid4().hex}"
        self.folder = folder
        self.marker = folder / "marker"
        (folder / "home" / ".ssh").mkdir(parents=True)
        (folder / "home" / ".ssh" / "id_ed25519").write_text("PRIVATE KEY")
        (folder / "file").write_text("untouched")
        Path(f"/dev/shm/{self.word}").write_text("shared")
        self._key = (folder / "home" / ".ssh" / "id_ed25519").open()  # a file of the runner's, which stays open
        sleep = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
        self.victim = subprocess.Popen(sleep, env={"KEY": SECRET}, start_new_session=True)
        self._services = list(self._listen())
        self.terminal, self._typist = pty.openpty()

    def _listen(self):
        tcp = socket.create_server(("0.0.0.0", 0))
        self.port = tcp.getsockname()[1]
        yield tcp
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("0.0.0.0", self.port))
        yield udp
        for address in (str(self.folder / "socket"), "\0" + self.word):
            unix = socket.socket(socket.AF_UNIX)
            unix.bind(address)
            unix.listen()
            yield unix

    def addresses(self):
        own = [one.address for card in psutil.net_if_addrs().values() for one in card if one.family == socket.AF_INET]
        return ",".join(dict.fromkeys(["127.0.0.1", "127.0.0.2", *own]))

    def environment(self):
        return {
            "GT_HOST": str(self.folder),
            "GT_MARKER": str(self.marker),
            "GT_WORD": self.word,
            "GT_VICTIM": str(self.victim.pid),
            "GT_RUNNER": str(os.getpid()),
            "GT_PORT": str(self.port),
            "GT_ADDRESSES": self.addresses(),
            "GT_SOCKET": str(self.folder / "socket"),
            "GT_TERMINAL": os.ttyname(self._typist),
        }

    def harms(self, done, project):
        """Return all kinds of harm that can be seen after a run."""
        seen = {
            "said": "HARM" in done.stdout,
            "marker": self.marker.exists(),
            "changed": (self.folder / "file").read_text() != "untouched",
            "victim": self.victim.poll() is not None or psutil.Process(self.victim.pid).status() == "stopped",
            "connected": any(_called(service) for service in self._services),
            "typed": _typed(self._typist),
            "left": bool(self.leftovers()),
            "set-id": any(map(_runs_as_owner, project.iterdir())),
            "flooded": len(done.stdout) > 200_000,
        }
        return {kind for kind, happened in seen.items() if happened}

    def leftovers(self):
        """Return the processes that have our word on their command line or in their environment."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if self.word.encode() in (process / "cmdline").read_bytes() + (process / "environ").read_bytes():
                    found.append(int(process.name))
        return found

    def close(self):
        while pids := self.leftovers():
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self.victim.kill()
        self.victim.wait()
        for service in self._services:
            service.close()
        for terminal in (self.terminal, self._typist):
            os.close(terminal)
        self._key.close()
        Path(f"/dev/shm/{self.word}").unlink(missing_ok=True)


def _called(service):
    service.setblocking(False)
    try:
        service.recv(100) if service.type == socket.SOCK_DGRAM else service.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _typed(terminal):
    waiting = ctypes.c_int()
    ctypes.CDLL(None).ioctl(terminal, 0x541B, ctypes.byref(waiting))  # FIONREAD
    return waiting.value > 0


def _runs_as_owner(path):
    about = path.lstat()
    return stat.S_ISREG(about.st_mode) and bool(about.st_mode & (stat.S_ISUID | stat.S_ISGID))
