"""The files of a repository as tasks are mined from them and tested in: those of a commit, or of a folder that is under no git."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from corpora.errors import DataError
from corpora.mined.corpus_file import MinedHead, is_mined
from replay.judge.projects import LEFT_OUT, commit_files, has_commit

_NAMED = 3
"""How many changed files an error names."""
_MARKS = ("pyvenv.cfg", "run.sqlite")
"""The files that tell folders of environments and of runs."""
_OWN = frozenset({".ghosttape", ".tox", ".nox"})


@dataclass(frozen=True, slots=True)
class Checkout:
    """The files of a repository: path → text."""

    folder: Path
    commit: str
    """Empty: the files are those that lie in the folder."""
    files: Mapping[str, str]
    binary: tuple[str, ...] = ()
    """The files that are no UTF-8 text: the repository is tested without them."""

    def digests(self, paths: Iterable[str]) -> dict[str, str]:
        """Path → SHA-256 of the text, for some files; for all where no commit names them."""
        chosen = sorted(paths) if self.commit else sorted(self.files)
        return {path: digest_of(self.files[path]) for path in chosen}


def digest_of(text: str) -> str:
    """The SHA-256 of a text in UTF-8, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_checkout(folder: Path, commit: str, without: Iterable[Path] = ()) -> Checkout:
    """Read the files of a commit of a repository, or with an empty `commit` those of a folder.

    Of a folder are left out: packages and caches, environments, links that lead out, what ghosttape itself writes (mined corpora, runs, `.ghosttape`), and
    the files and folders `without`.

    Raises:
        DataError: the folder cannot be read.
        ProjectError: the repository lacks an object of the commit.

    """
    if commit:
        return _checkout(folder, commit, commit_files(folder, commit))
    try:
        return _checkout(folder, "", _folder_files(folder, {path.resolve() for path in without}))
    except OSError as error:
        raise _unreadable(folder, error) from error


def _checkout(folder: Path, commit: str, found: Iterable[tuple[str, str | None]]) -> Checkout:
    every = dict(sorted(found))
    texts = {path: text for path, text in every.items() if text is not None}
    return Checkout(folder, commit, texts, tuple(path for path, text in every.items() if text is None))


def _folder_files(folder: Path, without: Collection[Path]) -> Iterator[tuple[str, str | None]]:
    root = folder.resolve()
    for file in sorted(_below(folder, without)):
        if file.resolve().is_relative_to(root) and not is_mined(file):
            yield file.relative_to(folder).as_posix(), _text(file)


def _text(file: Path) -> str | None:
    try:
        return file.read_bytes().decode()
    except UnicodeDecodeError:
        return None


def _below(folder: Path, without: Collection[Path]) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.resolve() in without:
            continue
        if entry.is_dir() and not entry.is_symlink():
            if entry.name not in LEFT_OUT | _OWN and not any((entry / mark).is_file() for mark in _MARKS):
                yield from _below(entry, without)
        elif entry.is_file():
            yield entry


def _as_listed(folder: Path, head: MinedHead) -> Checkout:
    """The commit that a head names; else the files of a folder that it lists, as far as they are there: what else lies there has no part in a test."""
    if head.commit:
        return read_checkout(folder, head.commit)
    root = folder.resolve()
    files = {path: folder / path for path in head.files}
    inside = {path: file for path, file in files.items() if file.is_file() and file.resolve().is_relative_to(root)}
    try:
        return _checkout(folder, "", [(path, _text(file)) for path, file in inside.items()])
    except OSError as error:
        raise _unreadable(folder, error) from error


def _unreadable(folder: Path, error: OSError) -> DataError:
    return DataError(folder, 0, f"{error.filename or 'the folder'} cannot be read: {error.strerror}")


def checked(file: Path, head: MinedHead, folder: Path) -> Checkout:
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


def _changed(head: MinedHead, found: Checkout) -> list[str]:
    """The files that differ from their digests, or are gone."""
    return sorted(
        path
        for path, digest in head.files.items()
        if digest_of(found.files.get(path, "")) != digest or path not in found.files
    )
