"""Temporary folders for projects, which do not outlive their process even when that is killed."""

from __future__ import annotations

import fcntl
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from runners.files import remove_tree

_PREFIX = "ghosttape-project-"


@dataclass(frozen=True, slots=True)
class TemporaryFolder:
    """A folder and the lock that says it is in use; the kernel drops the lock with the process."""

    folder: Path
    lock: int

    def close(self) -> None:
        """Remove the folder; doing so twice does no harm."""
        if self.folder.exists():
            remove_tree(self.folder)
            os.close(self.lock)


def temporary_folder() -> TemporaryFolder:
    """Make a folder, and remove those that killed processes left behind."""
    parent = Path(tempfile.gettempdir())
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError), _locked(folder):
            remove_tree(folder)
    new = Path(tempfile.mkdtemp(prefix="ghosttape-new-", dir=parent))
    lock = os.open(new, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return TemporaryFolder(new.rename(parent / f"{_PREFIX}{secrets.token_hex(6)}"), lock)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock. Raises OSError if it is in use, or not ours."""
    handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        if os.fstat(handle).st_uid != os.geteuid():
            raise PermissionError(folder)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
