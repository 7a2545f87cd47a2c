"""The file of a corpus of blocks: JSON lines, a head with the repositories and then one block a line. It holds no code of a repository, only digests.

A *sample* is a block of a function that tests enter, at least one of which fails when the block is gone. What is asked about it depends on the scenario
(`corpora.codev.scenes`). Offsets are UTF-16 code units, as on tapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias

import msgspec

from corpora.codev.card import CARD
from corpora.corpus import is_headed
from corpora.errors import DataError
from corpora.mined.corpus_file import write_lines
from replay.tapes.tape import Tests

FORMAT = 1
BlockType: TypeAlias = Literal["METHOD", "IF", "FOR", "WHILE", "TRY", "CATCH", "STATEMENT"]
"""What a block is, in the words of the published data (`SUBTYPE_2_MAINTYPE` in its `src/evaluate.py`)."""
BlockGroup: TypeAlias = Literal["METHOD", "IF", "FOR", "TRY", "STATEMENT"]
"""The rows of the paper's tables."""
GROUPS: Mapping[BlockType, BlockGroup] = MappingProxyType(
    {
        "METHOD": "METHOD",
        "IF": "IF",
        "FOR": "FOR",
        "WHILE": "FOR",
        "TRY": "TRY",
        "CATCH": "TRY",
        "STATEMENT": "STATEMENT",
    }
)
"""Type → the row in which the paper counts it: WHILE with FOR, CATCH with TRY."""
_Index: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
_Line: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


class CodevRepository(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A repository that blocks are taken from, with its environment: how it is set up, and which of its tests pass there."""

    name: str
    """Unique in the corpus."""
    folder: str
    """Where it is, from the root."""
    commit: str = ""
    """Empty where the folder is under no git."""
    licence: str = ""
    tests: Tests
    """Toolchain, packages, set-up and test command: the lock of the environment stage."""
    passing: int
    """How many of its tests pass twice."""
    files: dict[str, str]
    """Path → SHA-256 of the text: of files with blocks, and without a commit of all files."""


class CodevHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line: which repositories, and how the blocks were drawn."""

    codev: Literal[1]
    """The version of the format."""
    name: str
    repositories: list[CodevRepository]
    asked: dict[str, str] = {}
    """What was chosen when it was built, and the version of ghosttape."""
    stages: dict[str, int] = {}
    """How many blocks came how far."""


class InnerPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What scenario 2 takes out of a block: a part of it, or nothing where the block is complete already."""

    start: _Index
    end: _Index
    """Equal to `start` where nothing is wanted."""
    emptied: str = ""
    """What stands there when the part is gone."""
    noticed_by: tuple[str, ...] = ()
    """As that of the block; none where nothing is wanted."""


class CodevSample(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One block. `start` and `end` are what scenarios 1, 3 and 4 take out: the body behind the header, of a STATEMENT all of it."""

    name: str
    """Unique in the corpus: `REPOSITORY/PATH#L12-L15/TYPE`, perhaps with a column."""
    repository: str
    language: str
    """LSP identifier."""
    path: str
    block_type: BlockType
    lines: tuple[_Line, _Line]
    """First and last line of the whole construct, from 1; with the path that is the `block_key` of the published layout."""
    start: _Index
    end: _Index
    emptied: str = ""
    """What stands in the place of the block when it is gone: the least that grammar demands there."""
    function: str
    """Its name with the classes and functions around it. Example: `Index.search`."""
    function_lines: tuple[_Line, _Line]
    """First and last line of the innermost function around the block, decorators included; with the path that is the `func_name` of the published layout."""
    function_end: _Index
    """Where that function ends."""
    tests: tuple[str, ...]
    """The tests that enter that function, by the names that the test runner gives them: a candidate passes when all of them pass."""
    noticed_by: tuple[str, ...]
    """Of them the first that fails when the block is gone, also alone; all that fail, where their runner does not say which was first."""
    inner: InnerPart | None = None
    """What scenario 2 asks of this block; None: nothing."""

    @property
    def group(self) -> BlockGroup:
        """The row of the paper's tables in which it counts."""
        return GROUPS[self.block_type]

    @property
    def block_key(self) -> str:
        """The block by path and lines, as in the published layout. Example: `app/index.py#L12-L15`."""
        return f"{self.path}#L{self.lines[0]}-L{self.lines[1]}"

    @property
    def function_key(self) -> str:
        """The function likewise."""
        return f"{self.path}#L{self.function_lines[0]}-L{self.function_lines[1]}"


def write_samples(file: Path, head: CodevHead, samples: Iterable[CodevSample]) -> None:
    """Write a corpus. The file appears when all is written.

    Raises:
        DataError: it cannot be written.

    """
    write_lines(file, (head, *samples))


def is_samples_file(file: Path) -> bool:
    """Whether a file is a corpus of blocks, by its first bytes."""
    return is_headed(file, CARD.head)


def name_in(file: Path) -> str:
    """The name that a corpus gives itself."""
    return read_samples_head(file).name


def read_samples_head(file: Path) -> CodevHead:
    """Read the first line of a corpus.

    Raises:
        DataError: the file is no corpus of blocks, or cannot be read.

    """
    try:
        with file.open("rb") as opened:
            return _head(file, opened.readline())
    except OSError as error:
        raise DataError(file, 0, f"cannot be read: {error.strerror}") from error


def read_samples(file: Path) -> tuple[CodevHead, Sequence[CodevSample]]:
    """Read a corpus: its head, and its blocks.

    Raises:
        DataError: the file is no corpus of blocks, cannot be read, or a line is malformed: says which.

    """
    try:
        first, *rest = file.read_bytes().split(b"\n")
    except OSError as error:
        raise DataError(file, 0, f"cannot be read: {error.strerror}") from error
    head, found = _head(file, first), dict[str, CodevSample]()
    known = {repository.name for repository in head.repositories}
    for number, line in enumerate(rest, 2):
        if line.strip():
            sample = _sample(file, number, line, known)
            if sample.name in found:
                raise DataError(file, number, f"a second block is called {sample.name!r}")
            found[sample.name] = sample
    return head, list(found.values())


def _sample(file: Path, number: int, line: bytes, repositories: set[str]) -> CodevSample:
    try:
        sample = msgspec.json.decode(line, type=CodevSample)
    except msgspec.DecodeError as error:
        raise DataError(file, number, f"is no block of a corpus: {error}") from error
    if sample.repository not in repositories:
        raise DataError(file, number, f"the head names no repository {sample.repository!r}")
    return sample


def _head(file: Path, line: bytes) -> CodevHead:
    if not line.startswith(CARD.head):
        raise DataError(
            file, 1, "is no corpus of blocks, which begins with its head: `ghosttape corpora build codev` makes one"
        )
    try:
        return msgspec.json.decode(line, type=CodevHead)
    except msgspec.DecodeError as error:
        raise DataError(file, 1, f"is no head of a corpus of blocks of format {FORMAT}: {error}") from error
