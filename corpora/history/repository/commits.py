"""The commits of a repository, read with git's plumbing: the files that each changed, and the texts of blobs.

Nothing is fetched or written, and no hook, filter or external diff runs.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from corpora.errors import HistoryError
from corpora.history.repository.commit_selection import CommitSelection
from corpora.history.repository.git_commands import INCOMPLETE, GitCommands

EXECUTABLE, SYMLINK, SUBMODULE = "100755", "120000", "160000"
SUBJECT = 120
"""Characters of a subject line that are kept."""
_FORMAT = "--format=%H%x00%P%x00%aI%x00%s"
_DIFFERENCE = ("--stdin", "--root", "-r", "--no-ext-diff", "--no-textconv")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its full name, those of its parents, when it was authored (ISO 8601, with its zone), and its subject: one line, cut at `SUBJECT`."""

    sha: str
    parents: tuple[str, ...]
    authored: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a tree: its mode (six digits), its blob, and the blob's size in bytes (-1 for a submodule)."""

    mode: str
    blob: str
    size: int


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What a commit did to a file: `status` is A, C, D, M, R or T, `mode` the file's in the commit (six digits); `before` is its path in the parent."""

    status: str
    mode: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a blob is not text."""

    reason: str


class Repository:
    """A git repository on this machine. Use it as a context: reading blobs keeps one `git cat-file` running.

    It is called `name`, by default the last part of its `origin`, else of its folder; what a path cannot have becomes `-`.

    Raises:
        HistoryError: git is missing, the folder is not a repository, or git fails.

    """

    def __init__(self, path: str, name: str = "") -> None:
        if not Path(path).is_dir():
            raise HistoryError(f"{path}: no such folder: name a clone of a repository on this machine")
        self.path, self._git = path, GitCommands(path)
        self.folder = self._git.text("rev-parse", "--absolute-git-dir").strip()
        url = self._git.text("config", "--get", "remote.origin.url", fails=True).strip()
        self.name = _name(name or url or self._top())
        self._blobs: subprocess.Popen[bytes] | None = None
        self._texts: dict[str, str | Unreadable] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._blobs and self._blobs.stdin and self._blobs.stdout:
            self._blobs.stdin.close()
            self._blobs.stdout.close()
            self._blobs.wait()

    def walk(self, selection: CommitSelection) -> Iterator[Commit]:
        """The candidates of a selection, the newest first, as git finds them; numbers (`last`, `sample`) are not looked at.

        Raises:
            HistoryError: there are none, or the walk comes to the end of a shallow clone.

        """
        if not selection.revisions:
            self.head()
        cut, none = self._cut(), True
        for line in self._git.lines(
            "rev-list", "--no-commit-header", "--encoding=UTF-8", _FORMAT, *selection.arguments()
        ):
            commit, none = _commit(line), False
            self._refuse_shallow(cut, [commit.sha])
            yield commit
        if cut and selection.author:
            self._refuse_shallow(cut, self._git.text("rev-list", *selection.arguments(author=False)).split())
        if none:
            raise HistoryError(f"{self.path}: {selection.candidates} names no commit{_hint(selection)}")

    def head(self) -> str:
        """The full name of the newest commit.

        Raises:
            HistoryError: there is none.

        """
        found = self._git.text(
            "rev-parse", "--quiet", "--verify", "--end-of-options", "HEAD^{commit}", fails=True
        ).strip()
        if not found:
            raise HistoryError(f"{self.path}: HEAD names no commit: is the repository empty or damaged?")
        return found

    def patch_ids(self, commits: Sequence[Commit]) -> dict[str, str]:
        """Commit → name of its patch (`git patch-id --stable`), against its first parent; white space and line numbers do not count.

        A commit without a patch is left out. Raises HistoryError if the clone lacks a blob.
        """
        found = self._git.piped(("diff-tree", "-p", *_DIFFERENCE), ("patch-id", "--stable"), _asked(commits))
        named = found.decode("ascii").split()
        return dict(zip(named[1::2], named[::2], strict=True))

    def changes(self, commits: Sequence[Commit], alike: int = 50) -> dict[str, list[ChangedFile]]:
        """Commit → the files that it changed against its first parent; one with `alike` percent of its content unchanged may be a rename.

        With 100 only trees are read, and no texts. Raises HistoryError if the clone lacks an object.
        """
        flags = (*_DIFFERENCE, "-z", f"-M{alike}%", "-l1000", "--raw")
        fields = iter(self._git.raw("diff-tree", *flags, given=_asked(commits)).split(b"\0")[:-1])
        found: dict[str, list[ChangedFile]] = {commit.sha: [] for commit in commits}
        of = ""
        for field in fields:
            if field.startswith(b":"):
                found[of].append(_change(field.decode().split(), fields))
            else:
                of = field.decode()
        return {sha: sorted(changes, key=lambda change: change.after) for sha, changes in found.items()}

    def tree(self, revision: str) -> dict[str, TreeEntry]:
        """The files of a commit: path → entry.

        Raises:
            HistoryError: the clone lacks the blob of a file.

        """
        listed = self._git.raw("ls-tree", "-r", "-z", "-l", "--full-tree", revision).split(b"\0")[:-1]
        found = {}
        for line in listed:
            facts, _, path = line.partition(b"\t")
            mode, _, blob, size = facts.decode().split()
            if size == "BAD":
                raise HistoryError(f"{self.path}: {INCOMPLETE} ({blob[:10]} is missing)")
            found[_path(path)] = TreeEntry(mode, blob, -1 if size == "-" else int(size))
        return found

    def blob(self, name: str) -> bytes:
        """The bytes of a blob.

        Raises:
            HistoryError: the clone lacks it.

        """
        if self._blobs is None:
            self._blobs = self._git.open("cat-file", "--batch")
        asked, answers = self._blobs.stdin, self._blobs.stdout
        assert asked and answers  # noqa: PT018  # both are pipes
        asked.write(f"{name}\n".encode())
        asked.flush()
        head = answers.readline().split()
        if len(head) != 3:
            raise HistoryError(f"{self.path}: {INCOMPLETE} ({name[:10]} is missing)")
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

    def _cut(self) -> set[str]:
        """The commits of a shallow clone whose parents are not there."""
        cut = Path(self._git.text("rev-parse", "--git-path", "shallow").removesuffix("\n"))
        place = cut if cut.is_absolute() else Path(self.path, cut)
        return set(place.read_text(encoding="ascii").split()) if place.exists() else set()

    def _refuse_shallow(self, cut: set[str], found: Iterable[str]) -> None:
        if missing := next((sha for sha in found if sha in cut), None):
            raise HistoryError(
                f"{self.path}: is a shallow clone without the parent of {missing[:10]}: run"
                " `git fetch --unshallow` in it, or choose fewer or later commits"
            )

    def _top(self) -> str:
        bare = Path(self.folder)
        return str(bare.parent if bare.name == ".git" else bare)


def _commit(line: str) -> Commit:
    sha, parents, authored, subject = line.split("\0", 3)
    words = " ".join(subject.split())
    return Commit(sha, tuple(parents.split()), authored, words if len(words) <= SUBJECT else f"{words[: SUBJECT - 1]}…")


def _hint(selection: CommitSelection) -> str:
    ranged = ".." in selection.revisions and not (selection.since or selection.author)
    return ": is the older revision on the left of the dots?" if ranged else ""


def _decoded(content: bytes) -> str | Unreadable:
    if b"\0" in content[:8000]:
        return Unreadable("binary")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return Unreadable("not UTF-8")


def _asked(commits: Iterable[Commit]) -> bytes:
    """The input of `git diff-tree --stdin`: each commit beside its first parent."""
    return "".join(f"{' '.join((commit.sha, *commit.parents[:1]))}\n" for commit in commits).encode()


def _change(facts: Sequence[str], fields: Iterator[bytes]) -> ChangedFile:
    """One line of git's raw format (`:MODE MODE BLOB BLOB STATUS`), and the paths behind it."""
    _, mode, _, _, status = facts
    before = _path(next(fields))
    return ChangedFile(status[0], mode, before, _path(next(fields)) if status[0] in "RC" else before)


def _path(path: bytes) -> str:
    """A path as text; bytes that are not UTF-8 become lone surrogates, by which `commit_files.py` recognises such a path."""
    return path.decode("utf-8", "surrogateescape")


def _name(place: str) -> str:
    """The name of a repository: the last part of its URL or folder."""
    name = PurePosixPath(place.replace("\\", "/").rstrip("/")).name.removesuffix(".git").rpartition(":")[2]
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_.") else "-" for letter in name)
    return plain if plain.strip(".") else "repository"
