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
from syntax.parse import Tree, parse

InstructionSetting: TypeAlias = Literal["predefined", "follow-up"]
"""Whether the instruction comes with the problem, or behind a first solution (CodeAlignBench, section 3.2)."""
SETTINGS: tuple[InstructionSetting, ...] = ("predefined", "follow-up")
_INERT = re.compile(
    r"^(?:module|program|expression_statement|tuple|sequence_expression|attribute|member_expression|field_access|integer|float|number|true|false|none|null)$"
    r"|identifier$|string|comment|literal$|operator$|binary_expression$|unary_expression$|escape_sequence"
)
"""The nodes of which a sentence of words consists where it parses by chance."""
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
    """The program in an answer: the first block between fences that is one, or the whole answer if it has no fence and is one.

    A program parses and does something: `Sorry, no` parses in Python too, and is none. None where there is no program: nothing is guessed.
    """
    blocks = [found[2] for found in _FENCED.finditer(answer)] or [answer]
    return next((block for block in blocks if _is_program(parse(LANGUAGES[language], block))), None)


def _is_program(tree: Tree) -> bool:
    """Whether a text parses and holds more than names, values and what joins them."""
    return not tree.root.has_error and any(node.is_named and not _INERT.search(node.type) for node in tree.nodes())


def judge_rubric(given: DeveloperInstruction) -> Rubric:
    """What a judge is told of an instruction that no rule can verify."""
    told = f"A developer asked of a program: {given.asks[0]}\n{given.rubric}\nAnswer with 1 if the program follows and with 0 if it does not, and nothing else."
    return Rubric(f"instruction {given.id}", told, high=1.0, whole=True)
