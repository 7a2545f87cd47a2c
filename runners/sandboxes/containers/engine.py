"""The container engine: its address, its features, and the removal of containers whose owner has ended."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

import docker
import requests
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.utils import kwargs_from_env

from runners.errors import RunnerError, SandboxFailed, SandboxMissing

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
