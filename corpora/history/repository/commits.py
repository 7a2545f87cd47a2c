"""The commits of a repository, read with git's plumbing: the files that each changed, and the texts of blobs.

Nothing is fetched or written, and no hook, filter or external diff runs.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from corpora.errors import HistoryError
from replay.tapes.git_environment import quiet_environment

SYMLINK, SUBMODULE = "120000", "160000"
_INCOMPLETE = "is a partial or damaged clone that lacks an object: complete it with `git fetch --refetch --no-filter`"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its full name, those of its parents, and when it was authored (ISO 8601, with its zone)."""

    sha: str
    parents: tuple[str, ...]
    authored: str


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a tree: its mode (six digits), its blob, and the blob's size in bytes (-1 for a submodule)."""

    mode: str
    blob: str
    size: int


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What a commit did to a file: `status` is A, C, D, M, R or T; `before` is its path in the parent."""

    status: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a blob is not text."""

    reason: str


class Repository:
    """A git repository on this machine. Use it as a context: reading blobs keeps one `git cat-file` running.

    Raises:
        HistoryError: git is missing, the folder is not a repository, or git fails.

    """

    def __init__(self, path: str) -> None:
        if not Path(path).is_dir():
            raise HistoryError(f"{path}: no such folder: name a clone of a repository on this machine")
        self.path = path
        self.folder = self._text("rev-parse", "--absolute-git-dir").strip()
        self.name = _name(self._text("config", "--get", "remote.origin.url", fails=True).strip() or self._top())
        self._blobs: subprocess.Popen[bytes] | None = None
        self._texts: dict[str, str | Unreadable] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._blobs and self._blobs.stdin and self._blobs.stdout:
            self._blobs.stdin.close()
            self._blobs.stdout.close()
            self._blobs.wait()

    def commits(self, revisions: str) -> list[Commit]:
        """The commits of a range `A..B`, or the one commit `A`, along first parents, the oldest first.

        Raises:
            HistoryError: there are none, or the clone is shallow and lacks the parent of one.

        """
        walk = ("--first-parent", "--reverse", "--format=%H%x09%P%x09%aI", "--no-commit-header")
        only = () if ".." in revisions else ("--max-count=1",)
        lines = self._text("rev-list", *walk, *only, "--end-of-options", revisions, "--").splitlines()
        if not lines:
            raise HistoryError(
                f"{self.path}: {revisions} names no commit: is the older revision on the left of the dots?"
            )
        fields = [line.split("\t") for line in lines]
        found = [Commit(sha, tuple(parents.split()), authored) for sha, parents, authored in fields]
        self._refuse_shallow(found)
        return found

    def head(self) -> str:
        """The full name of the newest commit.

        Raises:
            HistoryError: there is none.

        """
        return self._text("rev-parse", "--verify", "--end-of-options", "HEAD^{commit}").strip()

    def changes(self, commit: Commit) -> list[ChangedFile]:
        """The files that a commit changed against its first parent; a file with half of its content unchanged may be a rename."""
        flags = ("-r", "-z", "-M50%", "-l1000", "--name-status", "--no-commit-id", "--no-ext-diff", "--no-textconv")
        trees = (commit.parents[0], commit.sha) if commit.parents else ("--root", commit.sha)
        fields = iter(self._raw("diff-tree", *flags, *trees).split(b"\0")[:-1])
        return sorted((_change(status.decode(), fields) for status in fields), key=lambda change: change.after)

    def tree(self, revision: str) -> dict[str, TreeEntry]:
        """The files of a commit: path → entry.

        Raises:
            HistoryError: the clone lacks the blob of a file.

        """
        listed = self._raw("ls-tree", "-r", "-z", "-l", "--full-tree", revision).split(b"\0")[:-1]
        found = {}
        for line in listed:
            facts, _, path = line.partition(b"\t")
            mode, _, blob, size = facts.decode().split()
            if size == "BAD":
                raise HistoryError(f"{self.path}: {_INCOMPLETE} ({blob[:10]} is missing)")
            found[_path(path)] = TreeEntry(mode, blob, -1 if size == "-" else int(size))
        return found

    def blob(self, name: str) -> bytes:
        """The bytes of a blob.

        Raises:
            HistoryError: the clone lacks it.

        """
        if self._blobs is None:
            self._blobs = subprocess.Popen(
                self._command("cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=quiet_environment(os.environ),
            )
        asked, answers = self._blobs.stdin, self._blobs.stdout
        assert asked and answers  # noqa: PT018  # both are pipes
        asked.write(f"{name}\n".encode())
        asked.flush()
        head = answers.readline().split()
        if len(head) != 3:
            raise HistoryError(f"{self.path}: {_INCOMPLETE} ({name[:10]} is missing)")
        content = answers.read(int(head[2]) + 1)
        return content[:-1]

    def text(self, name: str) -> str | Unreadable:
        """A blob as text, with its own line ends and byte order mark; or why it is not text."""
        if name not in self._texts:
            self._texts[name] = _decoded(self.blob(name))
        return self._texts[name]

    def forget(self, kept: Iterable[str]) -> None:
        """Keep the texts of these blobs only."""
        self._texts = {name: text for name in kept if (text := self._texts.get(name)) is not None}

    def _refuse_shallow(self, found: Sequence[Commit]) -> None:
        cut = Path(self.folder, "shallow")
        if not cut.exists():
            return
        ends = set(cut.read_text(encoding="ascii").split())
        if missing := next((commit.sha for commit in found if commit.sha in ends), None):
            raise HistoryError(
                f"{self.path}: is a shallow clone without the parent of {missing[:10]}: run"
                " `git fetch --unshallow` in it, or name a range that begins later"
            )

    def _top(self) -> str:
        bare = Path(self.folder)
        return str(bare.parent if bare.name == ".git" else bare)

    def _text(self, *arguments: str, fails: bool = False) -> str:
        return self._raw(*arguments, fails=fails).decode("utf-8", "replace")

    def _raw(self, *arguments: str, fails: bool = False) -> bytes:
        try:
            environment = quiet_environment(os.environ)
            done = subprocess.run(self._command(*arguments), capture_output=True, check=False, env=environment)
        except OSError as error:
            raise HistoryError(f"git cannot be run ({error.strerror}): install it") from error
        if done.returncode and not fails:
            raise HistoryError(f"{self.path}: {_said(arguments[0], done.stderr.decode('utf-8', 'replace'))}")
        return done.stdout

    def _command(self, *arguments: str) -> list[str]:
        return ["git", "--no-replace-objects", "-c", "core.fsmonitor=false", "-C", self.path, *arguments]


def _said(command: str, errors: str) -> str:
    """The error message of git, in one line."""
    if "promisor" in errors:
        return _INCOMPLETE
    lines = [line.removeprefix("fatal: ") for line in errors.splitlines() if line.startswith("fatal: ")]
    return f"`git {command}` says: {(lines or errors.splitlines() or ['nothing'])[0]}"


def _decoded(content: bytes) -> str | Unreadable:
    if b"\0" in content[:8000]:
        return Unreadable("binary")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return Unreadable("not UTF-8")


def _change(status: str, fields: Iterator[bytes]) -> ChangedFile:
    before = _path(next(fields))
    return ChangedFile(status[0], before, _path(next(fields)) if status[0] in "RC" else before)


def _path(path: bytes) -> str:
    """A path as text; bytes that are not UTF-8 become lone surrogates, by which `files.py` recognises such a path."""
    return path.decode("utf-8", "surrogateescape")


def _name(place: str) -> str:
    """The name of a repository: the last part of its URL or folder."""
    name = PurePosixPath(place.replace("\\", "/").rstrip("/")).name.removesuffix(".git").rpartition(":")[2]
    return (
        "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_.") else "-" for letter in name)
        or "repository"
    )
