"""One container for one job: made, started, listened to, and removed. All of it blocks: call it from a thread."""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from typing import Any

import docker
import requests
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.types import LogConfig, Ulimit
from docker.types import Mount as Bind
from docker.utils import kwargs_from_env
from docker.utils.socket import frames_iter

from runners.errors import RunnerError, SandboxFailed, SandboxMissing
from runners.limits.seccomp import ArgumentTest, SyscallRule, rules
from runners.protocol import ENVIRONMENT, PROJECT, Job, Limits, Mount, environment
from runners.sandboxes.containers import base_image

_RUN = Path(__file__).with_name("run.sh").read_text()
_NOBODY = 65534
_OVERHEAD = 3
"""Processes of every container that are not the job's: the engine's init, and two shells."""

Take = Callable[[int, bytes], None]
"""Gets what a container writes, as it comes: the stream (1 or 2) and bytes; at the end stream 0 and nothing."""


@dataclass(frozen=True, slots=True)
class ContainerState:
    """How a container ended: its status, and whether the engine saw the kernel kill a process in it that ran out of memory."""

    status: int
    out_of_memory: bool


@dataclass(slots=True)
class Container:
    """A container for a job in the named image, or in the skeleton; `marker` is the first line on its standard error.

    With `first`, a command line, it does not run the job's command but that, as process 1.
    """

    engine: ContainerEngine
    image: str
    job: Job
    marker: str
    first: tuple[str, ...] = ()
    name: str = field(default_factory=lambda: f"ghosttape-{secrets.token_hex(8)}")

    def start(self, take: Take) -> None:
        """Make and start it. Raises `SandboxMissing` if there is no such image or engine, `SandboxFailed`."""
        image = self.engine.image(self.image) if self.image else {}
        user = give(self.job.project, rootless=self.engine.has("rootless"))
        with self.engine.client() as client:
            self._create(client, user, image)
            line = client.attach_socket(self.name, {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
            Thread(target=_listen, args=(line, take), name=self.name, daemon=True).start()
            client.start(self.name)

    def ended(self) -> ContainerState | None:
        """Return how it ended, or None if it still runs. Raises `SandboxFailed` if the engine is gone."""
        with self.engine.client() as client:
            state = client.inspect_container(self.name)["State"]
        return None if state["Running"] else ContainerState(state["ExitCode"], state["OOMKilled"])

    def processor_s(self) -> float:
        """Return the seconds of processor time that it has used so far. Raises `SandboxFailed` if the engine is gone."""
        usage: dict[str, float] = {}
        with self.engine.client() as client, suppress(APIError):  # there are none of a container that is just ending
            usage = client.stats(self.name, stream=False, one_shot=True)["cpu_stats"]["cpu_usage"]
        return usage.get("total_usage", 0) / 1e9

    def remove(self) -> bool:
        """Kill everything in it and remove it; return whether the engine says that this is done."""
        return self.engine.remove(self.name)

    def _create(self, client: docker.APIClient, user: str, image: Mapping[str, Any]) -> None:
        settings = self._settings(client, user, image)
        try:
            client.create_container(image.get("Id") or base_image.name(), name=self.name, **settings)
        except ImageNotFound:
            if self.image:
                raise
            base_image.build(client)
            client.create_container(base_image.name(), name=self.name, **settings)

    def _settings(self, client: docker.APIClient, user: str, image: Mapping[str, Any]) -> dict[str, Any]:
        config = image.get("Config") or {}
        command = ("sh", "-c", _RUN, self.marker, f"{PROJECT}/{self.job.cwd}", self.job.command)
        return {
            "entrypoint": self.first or command,
            "command": [],
            "environment": _environment(self.job, config.get("Env") or ()),
            "user": user,
            "hostname": "ghosttape",
            "working_dir": "/",
            "stdin_open": True,
            "labels": {OWNER: owner()},
            "healthcheck": {"test": ["NONE"]},
            "use_config_proxy": False,  # an address with a password, perhaps
            "host_config": {
                **client.create_host_config(
                    **_walls(self.job.limits, tuple(config.get("Volumes") or ())),
                    mounts=_binds(self.job, own=not self.image),
                    network_mode="host" if self.job.network else "none",
                    init=not self.first,
                    **({"userns_mode": "host"} if self.engine.has("userns") else {}),
                ),
                "ReadonlyPaths": ["/proc"],
            },
        }


def _walls(limits: Limits, volumes: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings that keep a job in; the image's own volumes, on the disk without a limit, become small."""
    size = f"size={limits.tmp_mb}m,mode=1777,nosuid,nodev"
    return {
        "ipc_mode": "none",
        "cgroupns": "private",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true", f"seccomp={profile()}"],
        "tmpfs": {**dict.fromkeys(volumes, size), "/tmp": f"{size},exec", "/dev/shm": f"{size},exec"},  # noqa: S108
        "mem_limit": limits.memory_mb << 20,
        "memswap_limit": limits.memory_mb << 20,
        "pids_limit": limits.processes + _OVERHEAD,
        "ulimits": _ulimits(limits),
        "log_config": LogConfig(type=LogConfig.types.NONE),  # the engine would write all output to its disk
    }


def _ulimits(limits: Limits) -> list[Ulimit]:
    cpu = math.ceil(limits.processor_s)
    alike = {"core": 0, "fsize": limits.file_bytes, "nofile": limits.open_files}
    return [
        *(Ulimit(name=name, soft=most, hard=most) for name, most in alike.items()),
        Ulimit(name="cpu", soft=cpu, hard=cpu + 1),  # first a signal that tells why, then the end
    ]


def _binds(job: Job, *, own: bool) -> list[Bind]:
    # The engine shows this machine's, which a job without network is not to see.
    unnamed = [] if job.network else [Mount(Path(os.devnull), "/etc/resolv.conf")]
    shown = [*(base_image.mounts(network=job.network) if own else ()), *unnamed, *job.mounts]
    return [
        *(Bind(mount.target, str(mount.source), type="bind", read_only=True) for mount in shown),
        Bind(PROJECT, str(job.project), type="bind"),
    ]


def _environment(job: Job, image: tuple[str, ...]) -> dict[str, str]:
    """Return the job's variables; an image's programs lie where the image says, not where this machine's do."""
    variables = environment(job)
    path = dict(entry.split("=", 1) for entry in image if "=" in entry).get("PATH")
    return variables | {"PATH": variables["PATH"].replace(ENVIRONMENT["PATH"], path)} if path else variables


def give(folder: Path, *, rootless: bool = False) -> str:
    """Let the container's user write to the project, and return who that is.

    Started by root it is nobody, who is given the folder. Started by anyone else it is the same user, who owns the folder
    anyway: to the kernel nothing but a number, without rights. In a rootless engine that user is called root.
    """
    if os.geteuid() != 0:
        return "0:0" if rootless else f"{os.geteuid()}:{os.getegid()}"
    os.chown(folder, _NOBODY, _NOBODY)
    for root, folders, files in os.walk(folder):
        for entry in (*folders, *files):
            os.chown(Path(root, entry), _NOBODY, _NOBODY, follow_symlinks=False)
    return f"{_NOBODY}:{_NOBODY}"


def _listen(line: Any, take: Take) -> None:
    """Hand on what comes until the line is cut: at the end of the container, of the engine, or by us."""
    try:
        for stream, data in frames_iter(line, tty=False):
            take(stream, data)
    except OSError:
        pass  # the engine was killed: the same as an end
    finally:
        line.close()
        take(0, b"")


# The filter of calls to the kernel, written as container engines read it: the rules that hold in every
# sandbox.


@cache
def profile() -> str:
    """Return the filter as JSON. Calls of other architectures than the machine's own are refused by the engine."""
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [_denied(rule) for rule in rules()]})


def _denied(rule: SyscallRule) -> dict[str, Any]:
    arguments = [_compared(argument) for argument in rule.when]
    return {"names": [rule.call], "action": "SCMP_ACT_ERRNO", "errnoRet": rule.error, "args": arguments}


def _compared(argument: ArgumentTest) -> dict[str, Any]:
    masked = argument.is_ == "MASKED_EQ"
    first, second = (argument.mask, argument.value) if masked else (argument.value, 0)
    return {"index": argument.index, "op": f"SCMP_CMP_{argument.is_}", "value": first, "valueTwo": second}


# The container engine: its address, its features, and the removal of containers whose owner has ended.

OWNER = "ghosttape.owner"
"""The label of every container: the process that started it."""

TIMEOUT_S = 30.0
"""How long the engine may take over one answer; a machine under load takes seconds to start a container."""


@dataclass(slots=True)
class ContainerEngine:
    """The engine at an address as in DOCKER_HOST (its usual socket, if empty); one a process, as it remembers.

    Every call has a time limit, and raises `SandboxMissing` if the engine never answered, `SandboxFailed` if it once did.
    """

    address: str = ""
    timeout_s: float = TIMEOUT_S
    images: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _version: str = ""
    _info: Mapping[str, Any] = field(default_factory=dict)
    _left: set[str] = field(default_factory=set)

    @contextmanager
    def client(self) -> Iterator[docker.APIClient]:
        """Open a connection: a new one each time, as an engine that shuts down still answers on old ones."""
        client = None
        try:
            self._version = self._version or self._meet()
            client = self._connect(self._version)
            yield client
        except (DockerException, requests.RequestException, OSError) as error:
            raise self._engine_error(error) from error
        finally:
            if client is not None:
                client.close()

    def has(self, feature: str) -> bool:
        """Say whether the engine has a security feature ("rootless", "userns", "seccomp")."""
        return any(one.startswith(f"name={feature}") for one in self._about().get("SecurityOptions") or ())

    def lacking(self) -> list[str]:
        """Return the limits that the engine cannot enforce here, because control groups are missing."""
        return [limit for key, limit in _LIMITS.items() if not self._about().get(key)]

    def image(self, name: str) -> Mapping[str, Any]:
        """Return what the engine knows of an image: always the first answer, so that a run does not change images."""
        if name not in self.images:
            with self.client() as client:
                try:
                    self.images[name] = client.inspect_image(name)
                except ImageNotFound as error:
                    hint = f"get it with `docker pull {name}`"
                    raise SandboxMissing(f"the container engine has no image {name!r}: {hint}") from error
        return self.images[name]

    def remove(self, name: str) -> bool:
        """Kill and remove a container; if the engine does not answer, return False, and do it with the next one."""
        todo = {name, *self._left}
        self._left -= todo
        with suppress(RunnerError), self.client() as client:
            for one in tuple(todo):
                _remove(client, one)
                todo.discard(one)
        self._left |= todo
        return name not in todo

    def _connect(self, version: str) -> docker.APIClient:
        where = kwargs_from_env(environment={**os.environ, "DOCKER_HOST": self.address})
        return docker.APIClient(version=version, timeout=self.timeout_s, **where)

    def _about(self) -> Mapping[str, Any]:
        if not self._info:
            with self.client():
                pass
        return self._info

    def _meet(self) -> str:
        """Ask the engine what it is like, and remove what killed processes of ours left on it."""
        client = self._connect("auto")
        try:
            self._info = client.info()
            for container in client.containers(all=True, filters={"label": OWNER}):
                if not _lives(container["Labels"][OWNER]):
                    _remove(client, container["Id"])
            return str(client.api_version)
        finally:
            client.close()

    def _engine_error(self, error: Exception) -> RunnerError:
        if isinstance(error, APIError):
            return SandboxFailed(f"the container engine refused: {error.explanation or error}")
        kind = SandboxFailed if self._version else SandboxMissing
        where = f"the container engine at {self.address or 'its usual socket'}"
        if _caused_by(error, PermissionError):
            return kind(f"you may not use {where}: become a member of the group docker")
        if _caused_by(error, TimeoutError) or isinstance(error, requests.Timeout):
            return kind(f"{where} gave no answer in {self.timeout_s:g} s")
        return kind(
            f"{where} cannot be reached: start it (as root: systemctl start docker), or name the right one in DOCKER_HOST"
        )


_LIMITS = {"MemoryLimit": "memory", "PidsLimit": "processes"}


@cache
def engine_at(address: str) -> ContainerEngine:
    """Return this process's engine at the address."""
    return ContainerEngine(address)


def _remove(client: docker.APIClient, name: str) -> None:
    try:
        client.remove_container(name, v=True, force=True)
    except NotFound:
        pass
    except APIError as error:
        if error.status_code != HTTPStatus.CONFLICT:  # somebody else is removing it just now
            raise


def _caused_by(error: BaseException, kind: type[BaseException]) -> bool:
    """Say whether an error is of that kind, or wraps one; requests and urllib3 put causes into their arguments."""
    inner = [one for one in (*error.args, error.__cause__, error.__context__) if isinstance(one, BaseException)]
    return isinstance(error, kind) or any(_caused_by(one, kind) for one in inner)


def owner() -> str:
    """Return what tells this process from all others: machine start, process space, number, time of start."""
    return ":".join((*_place(), str(os.getpid()), _begun(os.getpid())))


def _lives(name: str) -> bool:
    """Say whether the process of that name still runs, or may."""
    *place, process, begun = name.split(":")
    boot, space = _place()
    if place == [boot, space]:
        return _begun(int(process)) == begun
    return place[0] == boot  # in another container of this machine, perhaps


@cache
def _place() -> tuple[str, str]:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip(), str(Path("/proc/self/ns/pid").stat().st_ino)


def _begun(process: int) -> str:
    """Return when a process began, in ticks of the machine; "" if there is none."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    return ""
