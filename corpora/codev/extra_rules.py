"""The rules that the published script adds to the tests where it is told to (`--check-indent`, `--check-cross-line`, `--check-empty` of `src/evaluate.py`): an answer that breaks one is no pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

ExtraRule: TypeAlias = Literal["indent", "one-line", "empty"]


def keeps_indent(answer: str, first: str) -> bool:
    """Whether no line behind the first has less white space before it than the line on which the block begins, `first` (`judge_right_indent`).

    As published: characters are counted, so a tab is one; a line without any breaks the rule as soon as the block is indented; a block with a header begins with that.
    """
    return all(_indent(line) >= _indent(first) for line in answer.split("\n")[1:])


def _indent(line: str) -> int:
    """The characters before the first that is no white space; of a blank line all of them."""
    return len(line) - len(line.lstrip())


def is_one_line(answer: str, _: str) -> bool:
    """Whether it has no second line (`judge_not_cross_line`)."""
    return "\n" not in answer


def is_empty(answer: str, _: str) -> bool:
    """Whether it says nothing, not even white space (`judge_empty`)."""
    return not answer


EXTRA_RULES: Mapping[ExtraRule, Callable[[str, str], bool]] = MappingProxyType(
    {"indent": keeps_indent, "one-line": is_one_line, "empty": is_empty}
)
"""Rule → whether an answer keeps it, told from the answer and the line on which the block begins."""
