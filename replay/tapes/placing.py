"""Files that appear together or not at all: they are made in a workshop, and moved to their places at the end."""

from __future__ import annotations

import filecmp
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def workshop(out: Path, prefix: str) -> Iterator[Path]:
    """A folder that is removed again, on the disk on which `out` is or will be. Raises OSError if none can be made."""
    existing = next(folder for folder in (out, *out.absolute().parents) if folder.is_dir())
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=existing))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def would_change(file: Path, target: Path) -> bool:
    """Whether something stands at `target` that is another content than `file`."""
    return target.exists() and not (target.is_file() and filecmp.cmp(file, target, shallow=False))


def place(files: Mapping[Path, Path]) -> None:
    """Move files (from → to), all of them or none: what was made is removed again, and what was replaced comes back.

    Raises OSError if one cannot be moved.
    """
    with ExitStack() as undo:
        for file, target in files.items():
            _make_folder(target.absolute().parent, undo)
            if target.exists() or target.is_symlink():
                kept = file.with_name(f"{file.name}.replaced")
                shutil.copy2(target, kept, follow_symlinks=False)
                undo.callback(kept.replace, target)
            else:
                undo.callback(target.unlink, missing_ok=True)
            file.replace(target)
        undo.pop_all()


def _make_folder(folder: Path, undo: ExitStack) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir()
        undo.callback(each.rmdir)
