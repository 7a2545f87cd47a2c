"""Folders that stay from one run of the tests to the next: what was installed for one run is there for those behind it."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.places import ROOT

PLACE = "GHOSTTAPE_TEST_KEPT"
KEPT = Path(os.environ.get(PLACE, ROOT / ".pytest_cache" / "kept"))
SOURCES = {"layers": ROOT / "runners", "extension": ROOT / "vscode-ext" / "package-lock.json"}
"""Name of a folder → the file, or the folder of Python files, that decides over what is in it."""
DIGESTS = "GHOSTTAPE_TEST_DIGESTS"
_held = []
"""Handles of locks: nobody removes a folder before the last process that uses it ends."""


def take_digests():
    """Take the digests before a test runs, in the process that starts the workers: what is edited meanwhile counts in the next run."""
    if DIGESTS not in os.environ:
        os.environ[DIGESTS] = json.dumps({name: _digest(source) for name, source in SOURCES.items()})


def _digest(source):
    digest = hashlib.sha256(sys.version.encode())
    if node := shutil.which("node"):
        digest.update(subprocess.run([node, "--version"], capture_output=True, check=False).stdout)
    for file in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
        digest.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def kept_folder(name):
    """The folder of this name that stays while what decides over it stays as it is; with another content it begins empty."""
    folder = KEPT / f"{name}-{json.loads(os.environ[DIGESTS])[name]}"
    KEPT.mkdir(parents=True, exist_ok=True)
    _held.append(_locked(folder, fcntl.LOCK_SH))
    folder.mkdir(exist_ok=True)
    for other in KEPT.glob(f"{name}-*"):
        if other.is_dir() and other != folder and (lock := _locked(other, fcntl.LOCK_EX | fcntl.LOCK_NB)) is not None:
            shutil.rmtree(other, ignore_errors=True)
            os.close(lock)
    return folder


def _locked(folder, how):
    """The handle of a folder's lock; None if it is held otherwise and `how` does not wait."""
    handle = os.open(folder.with_name(f"{folder.name}.lock"), os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, how)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle
