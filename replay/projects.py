"""The project that a tape belongs to, as files."""

from __future__ import annotations

from pathlib import Path

from replay.errors import ProjectError
from replay.tape import Embedded, Folder, Git, Tape

LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".pytest_cache", ".mypy_cache"})


def starting_files(tape: Tape) -> dict[str, str]:
    """Path → text of the project before the tape begins, as far as no event of the tape opens it.

    Raises:
        ProjectError: the folder is not there, or the workspace is of a kind that cannot be laid out.

    """
    match tape.header.workspace:
        case Embedded(files):
            return dict(files)
        case Folder(path):
            return _folder(tape, path)
        case Git(url):
            raise ProjectError(
                f"{tape.source}: the project is the repository {url}; only folders and embedded projects are laid out"
            )


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
