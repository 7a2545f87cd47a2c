"""Folders that stay from one run of the tests to the next: what was installed for one run is there for those behind it."""

import hashlib
import shutil
from pathlib import Path

from tests.support.places import ROOT

KEPT = ROOT / ".pytest_cache" / "kept"


def kept_folder(name, *sources):
    """A folder of this name that stays while these files and folders of the project stay as they are; with another content it begins empty."""
    digest = hashlib.sha256()
    for source in map(Path, sources):
        for file in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
            digest.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    folder = KEPT / f"{name}-{digest.hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    for other in KEPT.glob(f"{name}-*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return folder
