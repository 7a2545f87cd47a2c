"""The files of a repository as tasks are mined from them and tested in: those of a commit, or of a folder that is under no git."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from corpora.errors import DataError
from corpora.mined.corpus_file import is_mined
from replay.judge.tape_project import LEFT_OUT, CommitContent, commit_content, has_commit, sorted_content
from runners.other_files import NOTHING, OtherFiles

_NAMED = 3
"""How many changed files an error names."""
_MARKS = ("pyvenv.cfg", "run.sqlite")
"""The files that tell folders of environments and of runs."""
_OWN = frozenset({".ghosttape", ".tox", ".nox"})


class KnownFiles(Protocol):
    """What a corpus says of the files that it was made from."""

    @property
    def commit(self) -> str:
        """Empty where the folder was under no git."""
        ...

    @property
    def files(self) -> Mapping[str, str]:
        """Path → SHA-256 of the text: of files with tasks, and without a commit of all files."""
        ...


@dataclass(frozen=True, slots=True)
class Checkout:
    """The files of a repository: path → text."""

    folder: Path
    commit: str
    """Empty: the files are those that lie in the folder."""
    files: Mapping[str, str]
    others: OtherFiles = NOTHING
    """What is no text; links only of a commit: those of a folder are read as files."""
    binary: tuple[str, ...] = ()
    """The files that are no UTF-8 text and too large: the repository is tested without them."""

    @property
    def contents(self) -> Mapping[str, str | bytes]:
        """Path → text or bytes of all files."""
        return {**self.files, **self.others.blobs}

    def digests(self, paths: Iterable[str]) -> dict[str, str]:
        """Path → SHA-256 of the content, for some files; for all where no commit names them."""
        contents = self.contents
        return {path: digest_of(contents[path]) for path in (sorted(paths) if self.commit else sorted(contents))}


def digest_of(content: str | bytes) -> str:
    """The SHA-256 of a text in UTF-8, or of bytes, in hexadecimal digits."""
    known = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    return hashlib.sha256(known).hexdigest()


def read_checkout(folder: Path, commit: str, without: Iterable[Path] = ()) -> Checkout:
    """Read the files of a commit of a repository, or with an empty `commit` those of a folder.

    Of a folder are left out: packages and caches, environments, links that lead out, what ghosttape itself writes (mined corpora, runs, `.ghosttape`), and
    the files and folders `without`.

    Raises:
        DataError: the folder cannot be read.
        ProjectError: the repository lacks an object of the commit.

    """
    if commit:
        return _checkout(folder, commit, commit_content(folder, commit))
    try:
        return _of_folder(folder, dict(_folder_files(folder, {path.resolve() for path in without})))
    except OSError as error:
        raise _unreadable(folder, error) from error


def _checkout(folder: Path, commit: str, found: CommitContent) -> Checkout:
    return Checkout(folder, commit, dict(sorted(found.texts.items())), found.others, found.too_large)


def _of_folder(folder: Path, found: Mapping[str, Path]) -> Checkout:
    """The files (path → where they lie) of a folder that is under no git."""
    executable = frozenset(path for path, file in found.items() if file.stat().st_mode & stat.S_IXUSR)
    contents = {path: file.read_bytes() for path, file in found.items()}
    return _checkout(folder, "", sorted_content(contents, {}, executable))


def _folder_files(folder: Path, without: Collection[Path]) -> Iterator[tuple[str, Path]]:
    root = folder.resolve()
    for file in sorted(_below(folder, without)):
        if file.resolve().is_relative_to(root) and not is_mined(file):
            yield file.relative_to(folder).as_posix(), file


def _below(folder: Path, without: Collection[Path]) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.resolve() in without:
            continue
        if entry.is_dir() and not entry.is_symlink():
            if entry.name not in LEFT_OUT | _OWN and not any((entry / mark).is_file() for mark in _MARKS):
                yield from _below(entry, without)
        elif entry.is_file():
            yield entry


def _as_listed(folder: Path, head: KnownFiles) -> Checkout:
    """The commit that a head names; else the files of a folder that it lists, as far as they are there: what else lies there has no part in a test."""
    if head.commit:
        return read_checkout(folder, head.commit)
    root = folder.resolve()
    files = {path: folder / path for path in head.files}
    inside = {path: file for path, file in files.items() if file.is_file() and file.resolve().is_relative_to(root)}
    try:
        return _of_folder(folder, inside)
    except OSError as error:
        raise _unreadable(folder, error) from error


def _unreadable(folder: Path, error: OSError) -> DataError:
    return DataError(folder, 0, f"{error.filename or 'the folder'} cannot be read: {error.strerror}")


def checked(file: Path, head: KnownFiles, folder: Path) -> Checkout:
    """The repository of a corpus as it was when the corpus was mined.

    Raises:
        DataError: the folder is not there, lacks the commit, or its files have changed since; says what to do.
        ProjectError: the repository lacks an object of the commit.

    """
    if not folder.is_dir():
        raise DataError(
            file, 0, f"its repository is not at {folder}: name the folder where it is now with --project DIR"
        )
    if head.commit and not has_commit(folder, head.commit):
        raise DataError(
            file,
            0,
            f"{folder} has no commit {head.commit[:10]}, from which it was mined: fetch it, or name another clone with --project DIR",
        )
    found = _as_listed(folder, head)
    if changed := _changed(head, found):
        more = f" and {len(changed) - _NAMED:,} more" if len(changed) > _NAMED else ""
        names = ", ".join(changed[:_NAMED])
        raise DataError(
            file,
            0,
            f"the repository {folder} has changed since it was mined ({names}{more}): mine it again, or bring its files back",
        )
    return found


def _changed(head: KnownFiles, found: Checkout) -> list[str]:
    """The files that differ from their digests, or are gone."""
    contents = found.contents
    return sorted(
        path for path, digest in head.files.items() if path not in contents or digest_of(contents[path]) != digest
    )
