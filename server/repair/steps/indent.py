"""Line the suggestion up with the cursor, keeping its relative indentation (languages with braces: `columns.py`).

The rule is that of the Python reference (section 2.1.8): a line after a header is deeper, and every other line is at a level that is
open. A suggestion that keeps the rule is not changed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import tree_sitter
from msgspec.structs import replace

from server.repair.draft import Draft, indent_of, unit_of, width
from server.repair.steps import columns
from server.repair.steps.body_lines import below_the_header
from server.repair.steps.spaces import joined, without_doubled_space, without_lookalikes
from server.repair.steps.stop import LogicalLines, lines_of
from syntax.parse import is_opaque
from syntax.tokens import PAIRS
from syntax.wanted import is_after_header, logical_start

_AT_EDGE = re.compile(
    r"(?!(?:async|def|class|import|from|if|elif|else|except|finally|case)\b|@)[A-Za-z_][\w.]*(?:[ (=\[.:+*/-]|$)",
    re.MULTILINE,
)

_QUOTES = re.compile("\"\"\"|'''")
_TEXT = re.compile(r"\A[rRuU]?(?:\"\"\"(?:(?!\"\"\")[^\n])*\"\"\"|'''(?:(?!''')[^\n])*''')")
"""A docstring of one line."""
_DEF = re.compile(r"^[ \t]*(?:async +)?def\b", re.MULTILINE)
_LEAVES = re.compile(r"(?:return|raise|continue|break|pass)\b|\.\.\.")
_OF_BODY = re.compile(r"(?:return|yield|await|for|while|with|try)\b|if\b(?! +__name__)")
_INDENTED = re.compile(r"^(?: {2}|\t)", re.MULTILINE)
_IN_SPACES = re.compile(r"^ {2}", re.MULTILINE)
_IN_TABS = re.compile(r"^\t", re.MULTILINE)
_SPACES = re.compile(r"(?:\A|\n) +[^\s*]")


def repair(draft: Draft) -> str:
    """The suggestion with white space that is the document's, at the columns that it belongs at."""
    draft = replace(draft, text=without_lookalikes(draft))
    if draft.stop == "any" and draft.language is not None and not draft.language.layout:
        return draft.text  # a task is judged by its tests: what only looks wrong stays
    draft = replace(draft, text=without_doubled_space(draft))
    draft = replace(draft, text=joined(draft))
    text = _placed(replace(draft, text=below_the_header(draft)))
    if text == draft.text:
        return text
    return columns.without_doubled_indentation(draft) if _is_in_literal(draft) else text


def _placed(draft: Draft) -> str:
    """The suggestion with the fewest faults of layout; of equals the one that changes least."""
    language = draft.language
    if language is None:
        return columns.at_the_cursor(draft)
    if language.layout:
        text = _in_the_files_characters(draft)
        return text if is_within_a_line(draft) else _with_fewest_faults(draft, text)
    text = columns.at_the_cursor(draft)
    if text != draft.text:
        return _in_the_files_characters(replace(draft, text=text))
    return columns.under_the_cursor(replace(draft, text=_in_the_files_characters(draft)))


def is_within_a_line(draft: Draft) -> bool:
    """Whether no line of the suggestion begins in it, so that none begins where it may not."""
    return "\n" not in draft.text and bool(draft.line_before.strip())


def _with_fewest_faults(draft: Draft, text: str) -> str:
    found = _faults(replace(draft, text=text))
    if not found and not (text[:1] in {" ", "\t"} and not draft.line_before.strip() and draft.errors(text)):
        return text  # a level can be open and yet be none of statements, as that of `case`
    best, least = text, (found, draft.errors(text))
    for other in dict.fromkeys(_moved(draft, text)):
        score = (_faults(replace(draft, text=other)), draft.errors(other))
        best, least = (other, score) if score < least else (best, least)
        if least == (0, 0):
            break
    return best


def _faults(draft: Draft) -> int:
    """How many lines of the suggestion begin where none may."""
    lines = lines_of(draft)
    levels, deeper = _levels(draft, lines), is_after_header(draft.language, draft.before)
    count, started = int(deeper and _is_off(draft, levels[-1])) + _is_at_left_edge(draft), lines.goes_on
    count += _is_unreachable(draft, levels[-1])
    for column, previous in lines.columns():
        deeper = previous == ":" if started else deeper
        started = True
        if deeper and column > levels[-1]:
            levels.append(column)
            continue
        while len(levels) > 1 and levels[-1] > column:
            levels.pop()
        count += deeper or levels[-1] != column
    return count


def _is_off(draft: Draft, level: int) -> bool:
    """Whether the first line of a body brings white space with it, by which it is not one step deeper than its header."""
    own = width(indent_of(draft.line_before + draft.text))
    return not draft.line_before.strip() and draft.text[:1] in {" ", "\t"} and own != level + unit_of(draft.before)


def _is_unreachable(draft: Draft, level: int) -> bool:
    """Whether the first line brings white space with it, by which it is as deep as a `return` above it or another statement that leaves the block."""
    if draft.line_before.strip() or draft.text[:1] not in {" ", "\t"}:
        return False
    own, above = width(indent_of(draft.line_before + draft.text)), draft.code_before.rpartition("\n")[2]
    return own == level == width(indent_of(above)) and _LEAVES.match(above.lstrip()) is not None


def _is_at_left_edge(draft: Draft) -> bool:
    """Whether the suggestion's lines behind its first statement begin at the left edge, though the cursor stands deeper."""
    return not draft.line_before.strip() and width(draft.line_before) > 0 and _goes_on_at_edge(draft)


def _goes_on_at_edge(draft: Draft) -> bool:
    """Whether the line behind the first statement begins at the left edge, though nothing new is declared there.

    Behind a blank line, where a statement of the file could begin as well, it has to be one that a body is made of.
    """
    first, rest = _statement(_TEXT.sub('""', draft.text))
    if not first.strip() or first.rstrip().endswith((":", "\\")) or _QUOTES.search(first):
        return False
    blank = rest.startswith("\n") and _DEF.search(draft.before) is not None and not _LEAVES.match(first)
    return _AT_EDGE.match(rest) is not None or (blank and _OF_BODY.match(rest.lstrip("\n")) is not None)


def _statement(text: str) -> tuple[str, str]:
    """The lines up to the one at whose end no bracket is open, and those behind; nothing where one stays open."""
    end = -1
    for line in text.splitlines(keepends=True):
        end = max(end, 0) + len(line)
        if all(text.count(one, 0, end) == text.count(other, 0, end) for one, other in PAIRS.items()):
            return text[:end], text[end:]
    return "", ""


def _levels(draft: Draft, lines: LogicalLines) -> list[int]:
    """The indentations that are open at the cursor, outermost first."""
    end = lines.open[0].start if lines.open else len(draft.code_before)
    levels: list[int] = []
    while end >= 0 and (not levels or levels[-1]):
        start = logical_start(draft.before, end)
        line = draft.before[start : max(end, start)]
        column = width(indent_of(line))
        if line.strip() and (not levels or column < levels[-1]) and not _is_inside(draft, start + len(indent_of(line))):
            levels.append(column)
        end = start - 1
    return [0, *reversed(levels)] if not levels or levels[-1] else list(reversed(levels))


def _is_inside(draft: Draft, index: int) -> bool:
    """Whether a place is in a string, in brackets that were opened before it, or begins a comment."""
    tree = draft.tree()
    byte = tree.byte(index)
    node = tree.root.descendant_for_byte_range(byte, byte + 1)
    while node is not None:
        if node.type == "comment" or (node.start_byte < byte and (is_opaque(node) or _is_bracketed(node))):
            return True
        node = node.parent
    return False


def _is_in_literal(draft: Draft) -> bool:
    """Whether the cursor itself stands inside a string or a comment."""
    if draft.is_in_open_text or draft.language is None:
        return draft.is_in_open_text
    tree = draft.tree()
    byte = tree.byte(len(draft.before))
    node = tree.root.descendant_for_byte_range(byte, byte)
    while node is not None:
        if is_opaque(node) and node.start_byte < byte < node.end_byte:
            return True
        node = node.parent
    return False


def _is_bracketed(node: tree_sitter.Node) -> bool:
    return node.child_count > 0 and node.children[0].type in PAIRS


def _moved(draft: Draft, text: str) -> Iterator[str]:
    """The suggestion moved to each level that could be meant: its first line only, as a whole, its later lines only."""
    levels, unit = _levels(draft, lines_of(draft)), unit_of(draft.before)
    first, *rest = text.split("\n")
    if not draft.line_before.strip():
        cursor, own = width(draft.line_before), width(indent_of(draft.line_before + first))
        targets = sorted(levels, key=lambda level: (level > own, abs(level - own)))
        if is_after_header(draft.language, draft.before):
            targets.insert(0, levels[-1] + unit)
        leads = [max(0, target - cursor) for target in targets[:3]]
        yield from ("\n".join([" " * lead + first.lstrip(), *rest]) for lead in leads if lead + cursor <= own)
        for target, lead in zip(targets, leads, strict=False):
            delta = lead - width(indent_of(first))
            head = " " * lead + first.lstrip()
            if delta > 0 and _goes_on_at_edge(draft) and not _LEAVES.match(text):
                yield "\n".join([head, *_shifted(rest, delta)])
            yield "\n".join([head, *rest])
            yield "\n".join([head, *_shifted(rest, delta)])
            yield "\n".join([head, *_shifted(rest, target)])
    base = next((width(indent_of(line)) for line in rest if line.strip()), 0)
    for target in (levels[-1] + unit, levels[-1], levels[-1] + 2 * unit):
        yield "\n".join([first, *_shifted(rest, target - base)])


def _shifted(lines: list[str], delta: int) -> list[str]:
    return [_shift(line, delta) for line in lines]


def _shift(line: str, delta: int) -> str:
    if not line.strip():
        return line
    return " " * max(0, width(indent_of(line)) + delta) + line.lstrip(" \t")


def _in_the_files_characters(draft: Draft) -> str:
    """Tabs for spaces in a file that is indented with tabs, and spaces for tabs in one that is not."""
    if not _INDENTED.search(draft.text) or (_IN_SPACES.search(draft.text) and _IN_TABS.search(draft.text)):
        return draft.text  # GNU's style has both: eight columns are a tab
    document = f"{draft.before}\n{draft.after}"
    tabs = _IN_TABS.search(document) is not None
    found = (_IN_SPACES if tabs else _IN_TABS).search(draft.text)
    if found is None or tabs == (_SPACES.search(document) is not None):
        return draft.text
    if tabs:
        step = math.gcd(*(len(lead) for lead in re.findall(r"^ +", draft.text, re.MULTILINE)))
        return re.sub(r"^ +", lambda lead: "\t" * (len(lead[0]) // step), draft.text, flags=re.MULTILINE)
    space = " " * unit_of(draft.before)
    return re.sub(r"^\t+", lambda lead: space * len(lead[0]), draft.text, flags=re.MULTILINE)
