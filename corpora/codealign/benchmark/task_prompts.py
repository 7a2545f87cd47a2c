"""What a model is asked in each setting, and the program in its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

import tree_sitter

from corpora.codealign.benchmark.instruction_sampling import AlignmentTask
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
_DEFINES = re.compile(
    r"^(?:class|function|generator_function|method|interface|record|enum)_(?:definition|declaration)$"
)
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "class"})
_ASSIGNS = re.compile(
    r"^(?:assignment|assignment_expression|augmented_assignment|augmented_assignment_expression|variable_declarator)$"
)
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
    """The program in an answer: the block between fences that is one, or the whole answer if it has no fence and is one.

    Of several blocks it is the last that defines a function or a class (an old version stands before the new one, and an example behind it), else the last.
    A program parses and does something: `Sorry, no` parses in Python too, and is none. Text without a fence has to define, assign, or call something without
    white space before the parenthesis: `print it` and `Sorry (no)` parse too. None where there is no program.
    """
    blocks = [found[2] for found in _FENCED.finditer(answer)]
    if not blocks:
        tree = parse(LANGUAGES[language], answer)
        return answer if _is_program(tree) and _is_code(tree) else None
    trees = [(block, parse(LANGUAGES[language], block)) for block in blocks]
    programs = [(block, tree) for block, tree in trees if _is_program(tree)]
    defining = [block for block, tree in programs if any(map(_defines, tree.nodes()))]
    return next(reversed(defining or [block for block, _ in programs]), None)


def _is_program(tree: Tree) -> bool:
    """Whether a text parses and holds more than names, values and what joins them."""
    return not tree.root.has_error and any(node.is_named and not _INERT.search(node.type) for node in tree.nodes())


def _is_code(tree: Tree) -> bool:
    """Whether a text defines, assigns or calls something, as no sentence of words does."""
    return any(_defines(node) or _assigns(node) or _calls(node) for node in tree.nodes())


def _defines(node: tree_sitter.Node) -> bool:
    """Whether a node defines a function or a class; a JavaScript function may be a variable's value."""
    value = node.child_by_field_name("value") if node.type == "variable_declarator" else None
    return bool(_DEFINES.search(node.type)) or (value is not None and value.type in _FUNCTIONS)


def _assigns(node: tree_sitter.Node) -> bool:
    """Whether a node gives a name a value: `Note: done` only annotates it."""
    return bool(_ASSIGNS.search(node.type)) and bool(
        node.child_by_field_name("right") or node.child_by_field_name("value")
    )


def _calls(node: tree_sitter.Node) -> bool:
    """Whether a node is a call whose parenthesis stands right behind what is called."""
    before = node.prev_sibling if node.type in {"argument_list", "arguments"} else None
    return before is not None and before.end_byte == node.start_byte


def judge_rubric(given: DeveloperInstruction) -> Rubric:
    """What a judge is told of an instruction that no rule can verify."""
    told = f"A developer asked of a program: {given.asks[0]}\n{given.rubric}\nAnswer with 1 if the program follows and with 0 if it does not, and nothing else."
    return Rubric(f"instruction {given.id}", told, high=1.0, whole=True)
