"""Programs of this machine that lie outside of what every sandbox shows: under /opt, or in a home.

Of such a program only its own files are shown. A folder that holds a home, or everything that a user has installed, is no
program's own.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from runners.errors import ToolchainMissing
from runners.protocol import ENVIRONMENT, Mount
from runners.toolchains.protocol import SHOWN

_MANYS = frozenset(map(Path, ("/opt", "/srv", "/mnt", "/media", "/var", "/snap")))


def home() -> Path:
    """Return the user's home, also for a user without one."""
    return Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() fails for a user without one


def is_shown(path: Path) -> bool:
    """Say whether every sandbox shows the path anyway."""
    return f"{path}/".startswith(SHOWN)


def homes() -> set[Path]:
    """Return the homes of all users that this machine knows."""
    return {home(), *(Path(user.pw_dir) for user in pwd.getpwall() if user.pw_dir.startswith("/"))}


def is_shared(folder: Path, homes: Iterable[Path]) -> bool:
    """Say whether a folder holds more than a program: a home, a user's `.local`, or what many install into."""
    outer = folder.resolve()
    if outer in _MANYS:
        return True
    own = ((home.resolve(), (home / ".local").resolve()) for home in homes)
    return any(home.is_relative_to(outer) or outer == local for home, local in own)


def own_folder(root: Path, program: str) -> tuple[Mount, ...]:
    """Return the mount of a folder that is a program's own; none if it is shown anyway.

    Raises `ToolchainMissing` if the folder holds more.
    """
    if is_shown(root):
        return ()
    if is_shared(root, homes()):
        raise ToolchainMissing(
            f"{program} is in {root}, together with other programs: install it in a folder of its own"
        )
    return (Mount(root, str(root)),)


def program_files(program: str, *parts: str) -> tuple[Mount, ...]:
    """Return the mounts of a program and of what belongs to it, as patterns in the folder above its own.

    None if it is not on PATH, if it is shown anyway, and if a pattern finds nothing: then something else bears its name.
    """
    found = shutil.which(program)
    if found is None or is_shown(file := Path(found).resolve()):
        return ()
    matched = [sorted(file.parent.parent.glob(part)) for part in parts]
    if file.name != program or not all(matched):
        return ()
    return tuple(Mount(path, str(path)) for path in (file, *(path for paths in matched for path in paths)))


def path_variable(*folders: Path | str) -> str:
    """Return a PATH that begins with these folders, each once."""
    return ":".join(dict.fromkeys([*map(str, folders), ENVIRONMENT["PATH"]]))


def ask_program(program: str, *words: str) -> str:
    """Return what an installed program says of itself, asked in no project's folder.

    Raises `ToolchainMissing` if it does not answer.
    """
    try:
        done = subprocess.run([program, *words], capture_output=True, check=True, timeout=60, text=True, cwd="/")
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolchainMissing(f"{program} does not answer `{' '.join(words)}`: install it anew") from error
    return done.stdout.strip()
