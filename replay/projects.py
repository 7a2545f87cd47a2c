"""The project that a tape belongs to, as files."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from replay.errors import ProjectError
from replay.importers.git_environment import quiet_environment
from replay.tape import Embedded, Folder, Git, Tape

LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".pytest_cache", ".mypy_cache"})


class ProjectMissingError(ProjectError):
    """The project is a commit of a repository, of which no clone is at hand."""


def starting_files(tape: Tape, clones: Sequence[Path] = ()) -> dict[str, str]:
    """Path → text of the project before the tape begins, as far as no event of the tape opens it.

    A commit is looked for in `clones` of repositories; files that are no UTF-8 text are left out of it.

    Raises:
        ProjectMissingError: no clone has the commit.
        ProjectError: the folder is not there, or holds what cannot be laid out.

    """
    match tape.header.workspace:
        case Embedded(files):
            return dict(files)
        case Folder(path):
            return _folder(tape, path)
        case Git(url, commit):
            clone = next((clone for clone in clones if _has(clone, commit)), None)
            if clone is None:
                raise ProjectMissingError(
                    f"{tape.source}: the project is {url} at {commit[:10]}: name a clone that has this commit with "
                    "--project DIR, or play without its tests (--no-tests)"
                )
            return dict(_commit(clone, commit))


def _git(clone: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Ask git without running anything of the repository's own, and without a network."""
    command = ["git", "-C", str(clone), "-c", "core.fsmonitor=false", *words]
    try:
        return subprocess.run(command, input=given, capture_output=True, check=False, env=quiet_environment(os.environ))
    except OSError as error:
        raise ProjectError(f"git cannot be run ({error.strerror}): install it to lay out the project") from error


def _has(clone: Path, commit: str) -> bool:
    return _git(clone, "cat-file", "-e", "--end-of-options", f"{commit}^{{commit}}").returncode == 0


def _commit(clone: Path, commit: str) -> Iterator[tuple[str, str]]:
    """The texts of a commit; links and submodules are none."""
    listed = _git(clone, "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit).stdout.decode(
        "utf-8", "replace"
    )
    entries = [entry.partition("\t") for entry in listed.split("\0") if entry.startswith("100")]
    blobs = _git(
        clone, "cat-file", "--batch", given="".join(f"{about.split()[2]}\n" for about, _, _ in entries).encode()
    ).stdout
    at = 0
    for _, _, path in entries:
        head = blobs[at : at + 200].partition(b"\n")[0]
        start = at + len(head) + 1
        end = start + int(head.split()[2])
        at = end + 1
        try:
            yield path, blobs[start:end].decode()
        except UnicodeDecodeError:
            continue


def _folder(tape: Tape, path: str) -> dict[str, str]:
    base = Path(tape.source).resolve().parent
    folder = (base / path).resolve()
    if not folder.is_relative_to(base):
        raise ProjectError(f"{tape.source}: the project's folder {path!r} leads out of the tape's own folder")
    if not folder.is_dir():
        raise ProjectError(f"{tape.source}: its project is missing: there is no folder {folder}")
    inside = {file.relative_to(folder): file for file in sorted(folder.rglob("*")) if file.is_file()}
    return {
        name.as_posix(): _text(file, base) for name, file in inside.items() if not LEFT_OUT.intersection(name.parts)
    }


def _text(file: Path, base: Path) -> str:
    if not file.resolve().is_relative_to(base):
        raise ProjectError(f"{file}: is a link that leads out of the tape's own folder")
    try:
        return file.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ProjectError(f"{file}: is not UTF-8 text; the projects of tapes are text") from error
