"""The files of a commit: those that a session types, those that only belong to the project, and those left out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

import msgspec

from corpora.history.repository.commits import (
    EXECUTABLE,
    SUBMODULE,
    SYMLINK,
    ChangedFile,
    Commit,
    Repository,
    TreeEntry,
    Unreadable,
)
from replay.tapes.file_kinds import is_generated
from runners.other_files import NOTHING, OtherFiles, is_inside

FILE_LIMIT = 256 * 1024
"""Bytes; a larger file is neither typed nor part of the project on the tape."""
_HEADER_LIMIT = 1024 * 1024
"""The same for headers of C and C++: libraries for tests come as one."""
_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx"})
PROJECT_LIMIT = 8 * 1024 * 1024
"""Bytes of all files of a project that no event opens; the largest files are left out first."""

DELETED, RENAMED, GENERATED = (
    "deleted: a tape has no event for that",
    "renamed, and nothing else",
    "generated or vendored",
)
_LINK = "a symbolic link"
"""Reasons why a changed file is not typed; more are those of `_unfit` and of texts that are none."""


class LeftOutFile(msgspec.Struct, frozen=True):
    """A file that a commit changed and that its session does not type, and the reason."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class CommitDocument:
    """A file to type: its text in the parent (empty if it is new) and in the commit, and the SHA-256 of the latter."""

    path: str
    old: str
    new: str
    sha256: str


@dataclass(frozen=True, slots=True)
class CommitFiles:
    """The files of a commit, by what a session does with them."""

    documents: list[CommitDocument] = field(default_factory=list)
    """Files to type."""
    left_out: list[LeftOutFile] = field(default_factory=list)
    """Files that the commit changed and that are not typed."""
    project: dict[str, str] = field(default_factory=dict)
    """Path → text of the files of the commit's tree that the session does not open."""
    others: OtherFiles = NOTHING
    """What the commit's tree has beside texts."""
    elsewhere: list[str] = field(default_factory=list)
    """Texts of the parent, from which code may have been copied."""
    lacking: Counter[str] = field(default_factory=Counter)
    """Reason → number of files of the tree that are not on the tape."""


def files_of(repository: Repository, commit: Commit) -> CommitFiles:
    """Read a commit and its first parent.

    Raises:
        HistoryError: an object is not in this clone.

    """
    tree = repository.tree(commit.sha)
    before = repository.tree(commit.parents[0]) if commit.parents else {}
    repository.forget([entry.blob for entry in (*tree.values(), *before.values())])
    files = CommitFiles()
    for change in repository.changes([commit])[commit.sha]:
        taken = _document(repository, change, before, tree)
        if isinstance(taken, CommitDocument):
            files.documents.append(taken)
        else:
            files.left_out.append(LeftOutFile(_shown(change.after), taken))
    files.elsewhere.extend(text for _, text in _texts(repository, before, Counter()))
    files.project.update(_project(repository, tree, {document.path for document in files.documents}, files.lacking))
    return replace(files, others=_others(repository, tree, files))


def _others(repository: Repository, tree: Mapping[str, TreeEntry], files: CommitFiles) -> OtherFiles:
    """What is no text, as far as `PROJECT_LIMIT` allows, the small ones first; links that stay in the project; what can be executed."""
    links, blobs, room = dict(_links(repository, tree)), dict[str, bytes](), PROJECT_LIMIT
    files.lacking[_LINK] -= len(links)
    for path, entry in sorted(tree.items(), key=lambda item: (item[1].size, item[0])):
        text = "" if _unfit(path, entry) else repository.text(entry.blob)
        if isinstance(text, Unreadable) and (room := room - entry.size) >= 0:
            blobs[path] = repository.blob(entry.blob)
            files.lacking[text.reason] -= 1
    kept = {*files.project, *(document.path for document in files.documents), *blobs}
    executable = frozenset(path for path in kept if tree[path].mode == EXECUTABLE)
    for reason in [reason for reason, number in files.lacking.items() if not number]:
        del files.lacking[reason]
    return OtherFiles(dict(sorted(blobs.items())), links, executable)


def _links(repository: Repository, tree: Mapping[str, TreeEntry]) -> Iterator[tuple[str, str]]:
    """Path and target of the links that stay in the project, and whose names a tape can hold."""
    for path, entry in tree.items():
        if entry.mode == SYMLINK and not _odd(path):
            target = repository.text(entry.blob)
            if isinstance(target, str) and is_inside(path, target):
                yield path, target


def _document(
    repository: Repository, change: ChangedFile, before: Mapping[str, TreeEntry], tree: Mapping[str, TreeEntry]
) -> CommitDocument | str:
    """The document to type for a changed file, or the reason why it is not typed."""
    if change.status == "D":
        return DELETED
    entry, was = tree[change.after], before.get(change.before)
    if reason := _unfit(change.after, entry) or (_unfit(change.before, was) if was else ""):
        return reason
    new, old = repository.text(entry.blob), repository.text(was.blob) if was else ""
    if isinstance(new, Unreadable) or isinstance(old, Unreadable):
        return new.reason if isinstance(new, Unreadable) else f"was {old.reason}"  # type: ignore[union-attr]
    if new == old:
        return RENAMED if change.status == "R" else "only its mode changed" if was else "empty"
    if is_generated(change.after, new):
        return GENERATED
    return CommitDocument(change.after, old, new, hashlib.sha256(repository.blob(entry.blob)).hexdigest())


def _unfit(path: str, entry: TreeEntry) -> str:
    """Why an entry of a tree cannot be a document, according to the tree; empty if it can."""
    if entry.mode == SYMLINK:
        return _LINK
    if entry.mode == SUBMODULE:
        return "a submodule"
    if _odd(path):
        return "a path that a tape cannot hold"
    limit = _HEADER_LIMIT if PurePosixPath(path).suffix in _HEADERS else FILE_LIMIT
    return f"over {limit // 1024} KiB" if entry.size > limit else ""


def _odd(path: str) -> bool:
    """Whether a tape cannot hold a path."""
    parts = PurePosixPath(path).parts
    outside = path.startswith("/") or not {"..", ".git"}.isdisjoint(part.lower() for part in parts)
    return outside or "\\" in path or any("\ud800" <= letter <= "\udfff" for letter in path)


def _texts(repository: Repository, tree: Mapping[str, TreeEntry], lacking: Counter[str]) -> Iterator[tuple[str, str]]:
    """Path and text of the files of a tree; files that are not usable text are counted in `lacking`."""
    for path, entry in tree.items():
        reason = _unfit(path, entry)
        text = Unreadable(reason) if reason else repository.text(entry.blob)
        if isinstance(text, Unreadable):
            lacking[text.reason] += 1
        else:
            yield path, text


def _project(
    repository: Repository, tree: Mapping[str, TreeEntry], opened: set[str], lacking: Counter[str]
) -> dict[str, str]:
    """Path → text of the files that no event opens, as far as `PROJECT_LIMIT` allows; small files come first."""
    rest = {path: entry for path, entry in tree.items() if path not in opened}
    room, kept = PROJECT_LIMIT, {}
    texts = dict(_texts(repository, rest, lacking))
    for path in sorted(texts, key=lambda path: (rest[path].size, path)):
        room -= rest[path].size
        if room < 0:
            lacking[f"no room in {PROJECT_LIMIT // 1024} KiB"] += 1
        else:
            kept[path] = texts[path]
    return dict(sorted(kept.items()))


def _shown(path: str) -> str:
    """A path for messages, with the replacement character for bytes that are not UTF-8."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
