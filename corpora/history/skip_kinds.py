"""Which commits are work on code that tests can notice: at least one file of code is changed, and not only its looks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from corpora.history.formatting import same_code
from corpora.history.reports import SkipKind
from corpora.history.repository.commits import SUBMODULE, SYMLINK, ChangedFile
from corpora.history.repository.files import DELETED, GENERATED, RENAMED, CommitFiles
from replay.tapes.file_kinds import is_generated, is_test_file
from syntax.languages import language_of

_KINDS: tuple[SkipKind, ...] = ("formatting", "tests", "text", "generated", "renames", "deletions", "nothing")
"""Where a commit changes several kinds of files and no code, the first of these is the reason."""
_LEFT_OUT: dict[str, SkipKind] = {GENERATED: "generated", RENAMED: "renames", DELETED: "deletions"}
_STATUS: dict[str, SkipKind] = {"R": "renames", "D": "deletions"}
_SETTINGS = re.compile(
    r"""(setup|noxfile|conftest)\.py$ | ([^/]*/)*[^/]+\.config\.[cm]?[jt]s$ | ([^/]*/)*\.[^/]*rc\.[cm]?js$ | (gulp|grunt)file\.[cm]?[jt]s$
    | (docs?|\.[^/]+)/
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Code that builds, checks or documents a project: `setup.py`, `vite.config.ts`, `docs/conf.py`, `.github/check.py`."""


def kind_by_paths(changes: Sequence[ChangedFile]) -> SkipKind | None:
    """Why a commit with these changes is left out, as far as that shows without their texts; None if it does not show."""
    return _first(_kind_of_change(change) for change in changes)


def kind_by_texts(files: CommitFiles) -> SkipKind | None:
    """Why a commit is left out; None if one of its documents is code, no test, and has other tokens than before."""
    return _first(_kinds_of(files))


def _first(kinds: Iterable[SkipKind | None]) -> SkipKind | None:
    found = set(kinds)
    return None if None in found else next((kind for kind in _KINDS if kind in found), "nothing")


def _kind_of_change(change: ChangedFile) -> SkipKind | None:
    if change.mode in {SYMLINK, SUBMODULE}:
        return "nothing"
    return _STATUS.get(change.status) or _kind_of_path(change.after)


def _kinds_of(files: CommitFiles) -> Iterator[SkipKind | None]:
    for document in files.documents:
        kind, language = _kind_of_path(document.path), language_of(document.path)
        alike = kind is None and language is not None and same_code(language, document.old, document.new)
        yield "formatting" if alike else kind
    yield from (_LEFT_OUT.get(each.reason, "nothing") for each in files.left_out)


def _kind_of_path(path: str) -> SkipKind | None:
    """The kind of a file by its path; None for code of the project."""
    if is_generated(path, ""):
        return "generated"
    if is_test_file(path):
        return "tests"
    return "text" if language_of(path) is None or _SETTINGS.match(path) else None
