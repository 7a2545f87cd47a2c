"""Whose a run's folder is: one process writes it at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from replay.errors import StoreError

_LOCKS = Path("/proc/locks")


def lock_folder(folder: Path) -> int:
    """Keep a run's folder for this process; the kernel gives it back when the process ends, however that happens.

    Gives the descriptor of the lock.

    Raises:
        StoreError: another process has it.

    """
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise StoreError(f"{folder}: another process writes this run: wait for it, or choose another --out") from error
    return lock


def is_locked(folder: Path) -> bool:
    """Whether a process keeps a folder now: the kernel's list of locks says so, without taking one."""
    status = folder.stat()
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        return any(" FLOCK " in line and f" {place} " in line for line in _LOCKS.read_text().splitlines())
    except OSError:  # not Linux, or a system that hides them
        return False
