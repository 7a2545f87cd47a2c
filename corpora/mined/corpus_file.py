"""The file of a mined corpus: JSON lines, a head and then one task a line. It names its repository, and holds no code of it.

Offsets are UTF-16 code units, as on tapes. What a task removes stands in the repository alone, under the licence of that.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec

from corpora.errors import DataError
from corpora.mined.card import CARD
from replay.tapes.tape import Tests

FORMAT = 1
SUFFIX = ".jsonl"
MINED_BY = "ghosttape"
"""What `MinedHead.asked` calls the version that mined."""
GapKind: TypeAlias = Literal[
    "function-body",
    "if-body",
    "loop-body",
    "if-condition",
    "loop-condition",
    "rest-of-function",
    "rest-of-if",
    "rest-of-loop",
]
"""What a gap is: the body of a construct, its condition, or its body from a loop or a branch in the midst of it to its end."""
MinedCategory: TypeAlias = Literal["infilling", "completion"]
CATEGORIES: tuple[MinedCategory, ...] = ("infilling", "completion")
_Index: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class MinedHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line: where the tasks come from, and how they are tested."""

    corpus: Literal[1]
    """The version of the format."""
    name: str
    repository: str
    """The folder of the repository, from the root."""
    commit: str = ""
    """Empty where the folder is under no git."""
    licence: str = ""
    """What the repository says of its licence; empty where nothing was found."""
    tests: Tests
    """How the repository is tested."""
    files: dict[str, str]
    """Path → SHA-256 of the text: of files with tasks, and without a commit of all files."""
    asked: dict[str, str] = {}
    """What was chosen when the tasks were mined, and the version of ghosttape."""
    stages: dict[str, int] = {}
    """How many gaps came how far (`corpora.mining.mining_funnel`)."""


class MinedLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task: a gap in a file."""

    name: str
    category: MinedCategory
    kind: GapKind
    language: str
    """LSP identifier."""
    path: str
    start: _Index
    end: _Index
    lines: tuple[_Index, _Index]
    """The first and the last line of the gap, from 1, for a person."""
    emptied: str = ""
    """What stands in the gap when it is emptied: the least that grammar demands there."""
    function: str = ""
    """The line (from 1) at which the outermost function around the gap begins, with the path; empty outside of functions."""
    noticed: str = ""
    """How the tests failed when the gap was emptied: a verdict class."""
    failed: int | None = None
    """How many tests failed then; None if the runner did not say."""


def is_corpus_file(name: str) -> bool:
    """Whether a name is that of a file, and not that of a benchmark."""
    return name.endswith(SUFFIX) or "/" in name or Path(name).is_file()


def name_in(file: Path) -> str:
    """The name that a corpus gives itself."""
    return read_head(file).name


def write_corpus(file: Path, head: MinedHead, lines: Iterable[MinedLine]) -> None:
    """Write a corpus. The file appears when all is written.

    Raises:
        DataError: it cannot be written.

    """
    write_lines(file, (head, *lines))


def write_lines(file: Path, lines: Iterable[msgspec.Struct]) -> None:
    """Write a file of JSON lines, which appears when all is written.

    Raises:
        DataError: it cannot be written.

    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}-", delete=False) as made:
            made.writelines(msgspec.json.encode(one) + b"\n" for one in lines)
        Path(made.name).chmod(0o666 & ~_umask())
        Path(made.name).replace(file)
    except OSError as error:
        raise DataError(file, 0, f"the corpus cannot be written: {error.strerror}") from error


def is_like(file: Path, head: MinedHead) -> bool:
    """Whether a file is a corpus that was mined from the same repository with the same choices, by any version of ghosttape."""
    return is_mined(file) and _chosen(read_head(file)) == _chosen(head)


def _chosen(head: MinedHead) -> MinedHead:
    """A head without what was found, and without the version."""
    asked = {name: value for name, value in head.asked.items() if name != MINED_BY}
    return msgspec.structs.replace(head, files={}, stages={}, asked=asked)


def is_mined(file: Path) -> bool:
    """Whether a file is a mined corpus, by its head."""
    try:
        read_head(file)
    except DataError:
        return False
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_head(file: Path) -> MinedHead:
    """Read the first line of a corpus.

    Raises:
        DataError: the file is no mined corpus, or cannot be read.

    """
    try:
        with file.open("rb") as opened:
            return _head(file, opened.readline())
    except OSError as error:
        raise _unreadable(file, error) from error


def read_corpus(file: Path) -> tuple[MinedHead, Sequence[MinedLine]]:
    """Read a corpus: its head, and its tasks.

    Raises:
        DataError: the file is no mined corpus, cannot be read, or a line is malformed: says which.

    """
    try:
        first, *rest = file.read_bytes().split(b"\n")
    except OSError as error:
        raise _unreadable(file, error) from error
    head, tasks, names = _head(file, first), [], set()
    for number, line in enumerate(rest, 2):
        if not line.strip():
            continue
        try:
            task = msgspec.json.decode(line, type=MinedLine)
        except msgspec.DecodeError as error:
            raise DataError(file, number, f"is no task of a mined corpus: {error}") from error
        if task.name in names:
            raise DataError(file, number, f"a second task is called {task.name!r}")
        names.add(task.name)
        tasks.append(task)
    return head, tasks


def _head(file: Path, line: bytes) -> MinedHead:
    if not line.startswith(CARD.head):
        raise DataError(file, 1, "is no mined corpus, which begins with its head: `ghosttape corpora mine` makes one")
    try:
        return msgspec.json.decode(line, type=MinedHead)
    except msgspec.DecodeError as error:
        raise DataError(file, 1, f"is no head of a mined corpus of format {FORMAT}: {error}") from error


def _unreadable(file: Path, error: OSError) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError(file, 0, "there is no such file: `ghosttape corpora mine REPO -o FILE` makes a corpus")
    return DataError(file, 0, f"cannot be read: {error.strerror}")
