"""The catalogue of instructions: one TOML file each, in the folder of its type, read when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec
import tree_sitter

from corpora.codealign.instruction import DeveloperInstruction, InstructionCases, InstructionType, RuleWords
from corpora.errors import CorpusError
from syntax.languages import LANGUAGES
from syntax.parse import parse

_FOLDER = Path(__file__).with_name("catalogue")
_TYPES: tuple[InstructionType, ...] = ("cosmetic", "structural", "algorithm", "performance", "correctness")


class InstructionError(CorpusError):
    """An instruction is not known, or its file cannot be read; the message says which are."""


class _LanguageTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file says of one language; what it leaves out is as in the file's own `rule`."""

    problem: str = ""
    wanted: str = ""
    where: str = ""
    follows: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()
    neither: tuple[str, ...] = ()


class _InstructionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of the catalogue. Without rules it has a rubric and the list of its languages, and cases by which a judge can be measured."""

    asks: tuple[str, ...]
    type: InstructionType = "structural"
    """Of an instruction of one's own; one of the catalogue has the type of its folder."""
    paper: bool = False
    rubric: str = ""
    languages: tuple[str, ...] = ()
    rule: RuleWords = RuleWords()
    python: _LanguageTable | None = None
    java: _LanguageTable | None = None
    javascript: _LanguageTable | None = None

    def tables(self) -> Mapping[str, _LanguageTable]:
        """What is said of each language that has cases."""
        tables = {"python": self.python, "java": self.java, "javascript": self.javascript}
        return {name: table for name, table in tables.items() if table is not None}


@cache
def _files() -> Mapping[str, tuple[InstructionType, Path]]:
    """Type and file of each instruction, in the order of types and ids; nothing is read."""
    found = [(type_, path) for type_ in _TYPES for path in sorted((_FOLDER / type_).glob("*.toml"))]
    return MappingProxyType({path.stem: (type_, path) for type_, path in found})


def instruction_ids() -> Sequence[str]:
    """The ids of all instructions."""
    return tuple(_files())


@cache
def instruction(id_: str) -> DeveloperInstruction:
    """The instruction with an id.

    Raises:
        InstructionError: there is none.

    """
    if id_ not in _files():
        raise InstructionError(f"instruction {id_!r} is not known; `ghosttape instructions list` names them")
    type_, path = _files()[id_]
    return _instruction(id_, type_, msgspec.toml.decode(path.read_bytes(), type=_InstructionFile))


def instruction_from(path: Path) -> DeveloperInstruction:
    """An instruction of one's own: a file like those of the catalogue, named after its id; its `type` is `structural` if it names none.

    Raises:
        InstructionError: the file cannot be read, or a rule of it cannot.

    """
    try:
        read = msgspec.toml.decode(path.read_bytes(), type=_InstructionFile)
        made = _instruction(path.stem, read.type, read)
        for language, words in made.rules.items():
            words.rule().follows(parse(LANGUAGES[language], ""))
    except (OSError, ValueError, KeyError, TypeError, tree_sitter.QueryError) as error:
        raise InstructionError(f"{path}: {type(error).__name__}: {error}") from error
    return made


def _instruction(id_: str, type_: InstructionType, read: _InstructionFile) -> DeveloperInstruction:
    tables = read.tables()
    return DeveloperInstruction(
        id=id_,
        type=type_,
        asks=read.asks,
        languages=read.languages or tuple(tables),
        in_paper=read.paper,
        rubric=read.rubric,
        rules={} if read.rubric else {language: _rule(read.rule, table) for language, table in tables.items()},
        cases={name: InstructionCases(table.follows, table.breaks, table.neither) for name, table in tables.items()},
    )


def _rule(shared: RuleWords, table: _LanguageTable) -> RuleWords:
    """The rule of a language: its own words before those that all languages share."""
    return RuleWords(
        table.problem or shared.problem, table.wanted or shared.wanted, table.where or shared.where, shared.fewer
    )


def instructions() -> Sequence[DeveloperInstruction]:
    """All instructions, in the order of types and ids."""
    return tuple(instruction(id_) for id_ in instruction_ids())
