"""What an instruction comes to in one program: followed, broken, or nothing to be said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from corpora.codealign.instruction import DeveloperInstruction
from syntax.languages import LANGUAGES
from syntax.parse import has_error

CheckResult: TypeAlias = Literal["followed", "broken", "not concerned", "judge", "other language", "unparsable"]
"""`not concerned`: the program shows nothing of what is wanted, and has no place for it. `judge`: no rule can say, only a judge.
`other language`: the instruction is not one for this language. `unparsable`: the program has errors of syntax."""


@dataclass(frozen=True, slots=True)
class InstructionCheck:
    """The result of one instruction on one program, with the lines (from 1) that break it, where there are any."""

    id: str
    result: CheckResult
    lines: Sequence[int] = ()


def checked_program(code: str, language: str, given: DeveloperInstruction) -> InstructionCheck:
    """Check a program against an instruction."""
    if language not in given.languages:
        return InstructionCheck(given.id, "other language")
    if not given.knows(language):
        return InstructionCheck(given.id, "judge")
    if has_error(LANGUAGES[language], code):
        return InstructionCheck(given.id, "unparsable")
    if given.verify(code, language):
        return InstructionCheck(given.id, "followed")
    if not given.is_applicable(code, language):
        return InstructionCheck(given.id, "not concerned")
    return InstructionCheck(given.id, "broken", tuple(line + 1 for line in given.problems(code, language)))
