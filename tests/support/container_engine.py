"""A real container engine of the tests' own, on a private socket, in a process space that takes all of it along when it ends."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path

import docker
import requests

from runners.processes.launch import dies_with_parent
from runners.processes.leftovers import children

# It sees no other engine's containerd, which it would use, and shares no folder of sockets with one.
# Started anew when it ends, as services are, but for as long as the file `hold` is there. "$@": the engine's options.
KEEP_RUNNING = """
folder=$1; shift
mkdir -p /run/containerd && mount -t tmpfs none /run/containerd || exit
while :; do
    if [ -e "$folder/hold" ]; then sleep 0.05; continue; fi
    rm -f "$folder/pid"
    dockerd --pidfile "$folder/pid" "$@" >>"$folder/log" 2>&1
done
"""
PATIENCE_S = 60.0


class DockerDaemon:
    """`dockerd` in namespaces of its own; without networks, so that it changes nothing of the machine's."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.address = f"unix://{self.folder}/sock"
        self._group = f"tests-{self.folder.name}"  # not one of ghosttape's, which it sweeps
        self._process = None

    @staticmethod
    def fault():
        """Return why there can be none here, or ""."""
        if os.geteuid() != 0:
            return "only root can start a container engine"
        lacking = [name for name in ("dockerd", "unshare") if shutil.which(name, path=_path()) is None]
        return f"not on PATH: {', '.join(lacking)} (on Debian: docker.io, util-linux)" if lacking else ""

    def start(self):
        options = [
            *("--host", self.address, "--data-root", self.folder / "data", "--exec-root", self.folder / "exec"),
            *("--iptables=false", "--ip6tables=false", "--bridge=none", "--exec-opt", "native.cgroupdriver=cgroupfs"),
            *("--cgroup-parent", f"/{self._group}"),
        ]
        spaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        shell = ["sh", "-c", KEEP_RUNNING, "sh", str(self.folder), *map(str, options)]
        self._process = subprocess.Popen(
            dies_with_parent([*spaces, *shell]), env={"PATH": _path()}, stdin=subprocess.DEVNULL
        )
        self.wait()

    def wait(self):
        """Wait until it answers."""
        deadline = time.monotonic() + PATIENCE_S
        while not self.answers():
            assert time.monotonic() < deadline, (self.folder / "log").read_text()[-2000:]
            time.sleep(0.02)

    def answers(self):
        with suppress(docker.errors.DockerException, requests.RequestException), self.client() as client:
            return client.ping()
        return False

    def client(self):
        return closing(docker.APIClient(base_url=self.address, version="1.41", timeout=PATIENCE_S))

    @property
    def daemon(self):
        """The process that is the engine itself."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            for shell in children(self._process.pid):
                for child in children(shell):
                    if Path(f"/proc/{child}/comm").read_text() == "dockerd\n":
                        return child
        raise AssertionError((self.folder / "log").read_text()[-2000:])

    def end(self, how=signal.SIGKILL):
        """End the engine, not its containers; it stays away until `revive`."""
        (self.folder / "hold").touch()
        daemon = self.daemon
        os.kill(daemon, how)
        deadline = time.monotonic() + PATIENCE_S
        while Path(f"/proc/{daemon}").exists() and time.monotonic() < deadline:
            time.sleep(0.02)

    def revive(self):
        (self.folder / "hold").unlink()
        self.wait()

    def containers(self):
        """Return the names of all containers, also of those that have ended."""
        with self.client() as client:
            return [name.strip("/") for container in client.containers(all=True) for name in container["Names"]]

    def runs(self):
        """Say whether a container has been started, and not only its first process."""
        with self.client() as client:
            return any(client.inspect_container(one["Id"])["State"]["Running"] for one in client.containers())

    def close(self):
        self._process.kill()  # with its process space, and that with everything in it
        self._process.wait()
        deadline = time.monotonic() + PATIENCE_S
        while self._remains() and time.monotonic() < deadline:  # the kernel buries processes and mounts in its own time
            time.sleep(0.02)

    def _remains(self):
        """Remove what can be removed; say whether anything is left."""
        shutil.rmtree(self.folder, ignore_errors=True)
        control = Path("/sys/fs/cgroup")
        groups = [*control.glob(self._group), *control.glob(f"*/{self._group}")]
        for folder in [*(inner for group in groups for inner in group.glob("*/")), *groups]:
            with suppress(OSError):
                folder.rmdir()
        return self.folder.exists() or any(group.exists() for group in groups)


def _path():
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


def rootfs():
    """Return a small root of a file system with the shell and a few programs of this machine in it, as a tar archive."""
    programs = [shutil.which(name) for name in ("sh", "cat", "id", "ls", "touch", "env", "head")]
    told = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    libraries = {word for word in told.split() if word.startswith("/") and not word.endswith(":")}
    files = sorted({*programs, *libraries})
    packed = ["tar", "--create", "--dereference", "--transform=s,^,/,", "--absolute-names", *files]
    return subprocess.run(packed, capture_output=True, check=True).stdout
