"""What a model is asked in each setting, and the program in its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from corpora.codealign.benchmark.sampling import AlignmentTask
from corpora.codealign.instruction import DeveloperInstruction
from server.judging import Rubric
from server.prompt import ChatMessage
from syntax.languages import LANGUAGES
from syntax.parse import has_error

InstructionSetting: TypeAlias = Literal["predefined", "follow-up"]
"""Whether the instruction comes with the problem, or behind a first solution (CodeAlignBench, section 3.2)."""
SETTINGS: tuple[InstructionSetting, ...] = ("predefined", "follow-up")
_WHOLE = "Answer with the whole program in one code block, and nothing else."
_FENCED = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)


def first_messages(request: str) -> Sequence[ChatMessage]:
    """A problem without an instruction."""
    return (ChatMessage("user", f"{request}\n\n{_WHOLE}"),)


def task_messages(task: AlignmentTask, setting: InstructionSetting) -> Sequence[ChatMessage]:
    """A problem with an instruction, at once or behind the first solution."""
    if setting == "predefined":
        return (ChatMessage("user", f"{task.problem.request}\n\nFollow this instruction: {task.ask}\n\n{_WHOLE}"),)
    shown = f"```{task.problem.language}\n{task.initial.rstrip()}\n```"
    again = ChatMessage("user", f"{task.ask}\n\n{_WHOLE}")
    return (*first_messages(task.problem.request), ChatMessage("assistant", shown), again)


def program_in(answer: str, language: str) -> str | None:
    """The program in an answer: the first block between fences that parses, or the whole answer if it has no fence and parses.

    None where there is neither: nothing is guessed.
    """
    blocks = [found[2] for found in _FENCED.finditer(answer)] or [answer]
    parsing = (block for block in blocks if block.strip() and not has_error(LANGUAGES[language], block))
    return next(parsing, None)


def judge_rubric(given: DeveloperInstruction) -> Rubric:
    """What a judge is told of an instruction that no rule can verify."""
    told = f"A developer asked of a program: {given.asks[0]}\n{given.rubric}\nAnswer with 1 if the program follows and with 0 if it does not, and nothing else."
    return Rubric(f"instruction {given.id}", told, high=1.0, whole=True)
