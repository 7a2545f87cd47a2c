"""The image for containers that show this machine's own programs: empty folders and links, to mount those on."""

from __future__ import annotations

import hashlib
import io
import tarfile
from functools import cache

import docker

from runners.protocol import PROJECT, Mount
from runners.sandboxes import host_files

_REPOSITORY = "ghosttape/skeleton"
_INIT = "/sbin"  # the engine shows its init there, so it must not be a link into this machine's folders
_TEMPORARY = "/tmp"  # noqa: S108 - a folder of the image
_FOLDERS = (_INIT, "/usr", "/etc", "/proc", "/sys", "/dev", _TEMPORARY, PROJECT)


def mounts(*, network: bool = False) -> list[Mount]:
    """Return what of this machine is shown in the image's folders."""
    return [mount for mount in host_files.mounts(network=network) if mount.target != _INIT]


@cache
def name() -> str:
    """Return the image's name: by what is in it, so that those of several versions stand side by side."""
    return f"{_REPOSITORY}:{hashlib.sha256(_tar()).hexdigest()[:16]}"


def build(client: docker.APIClient) -> None:
    """Put the image into the engine."""
    repository, _, tag = name().partition(":")
    client.import_image_from_data(_tar(), repository=repository, tag=tag, changes=['LABEL ghosttape="skeleton"'])


@cache
def _tar() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for folder in _FOLDERS:
            # What is mounted on a folder gets its mode.
            tar.addfile(_entry(folder, tarfile.DIRTYPE, mode=0o1777 if folder == _TEMPORARY else 0o755))
        for says, where in host_files.links():
            if where != _INIT:
                tar.addfile(_entry(where, tarfile.SYMTYPE, says))
    return data.getvalue()


def _entry(path: str, kind: bytes, says: str = "", mode: int = 0o755) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path.lstrip("/"))
    entry.type, entry.mode, entry.linkname = kind, mode, says
    return entry
