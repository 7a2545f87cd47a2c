"""Align a suggestion with the cursor in languages whose grammar ignores indentation.

Two faults are mended, and only where they are certain: the first line would be deeper than the line above allows; or
every later line stands exactly where it would if the cursor were at the beginning of its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from server.repair.draft import DIRECTIVES, TAGGED, Draft, indent_of, step_of, width
from syntax.tokens import PAIRS, Token, open_brackets, tokens

_CONTINUES = frozenset(".?:&|+-*/%<=)]},")
"""What a line may begin with that goes on with the line above."""
_STARTS = frozenset("&+-*<")
"""Those of them that begin a statement too, behind a line that has ended one."""
_MIDDLE = re.compile(r"\s*(?:[.?:&|+%=]|/(?![/*])|\*\s|-[^-])(?!.*[{(\[]$)")
"""A line in the middle of a statement."""
_SEPARATES = re.compile(r"(?:[{\[(,;}\])\\]|<[^<>]*\w[^<>]*>|^\s*(?:- )?[\"']?[\w.-]+[\"']?:\s+(?![|>])\S(?:.*[^:])?)$")
"""The end of a line below which nothing is deeper than the cursor: brackets, separators, tags, a key with its value."""
_PROSE = re.compile(r"(?=.{40})[ \t]*(?=[\w\"'(*`])(?:[^\s{}=;$\\|<>]+[ \t]+){4,}[^\s{}=;$\\|<>]+")
"""A line of a paragraph."""
_ITEM = re.compile(r"(?:[-*+\u2022]|\d{1,9}[.)])\s")
"""The beginning of an item of a list."""
_BEFORE_TAB = re.compile(r"(?<! ) +(?=\t)")
_ENDED = re.compile(r"[;{}>]\s*$")
_TAG = re.compile(r"</?[\w>]")
_OPEN = re.compile(r"(?:[-,=+*%&^.\\]|\|\||\s\?)\s*$")
"""The end of a line that goes on, maybe in the middle of the next one."""
_HEADER = re.compile(
    r"\s*(?:[}]\s*)?(?:if|else|for|foreach|while|do|switch|case|default|def|elsif|unless|when|in|until|begin|rescue|ensure|module|class)\b"
    r"(?!.*[;}]$)|.*(?:[({\[:=,]|=>|\bdo(?:\s*\|[^|]*\|)?|\b(?:begin|if|case)(?:\s+[\w.]+)?)$"
)
"""A line behind which the next one may well be deeper."""


def at_the_cursor(draft: Draft) -> str:
    """The suggestion without the spaces by which its first line would be deeper than the cursor's place allows.

    Where the line above the cursor ends a statement, that is the column of the cursor, or of that line if the cursor is at the left edge; behind a
    header one step more. What may go on with the line above is moved only if it repeats the white space before the cursor.
    """
    lead, bare = indent_of(draft.text), draft.text.lstrip(" \t")
    if not lead or not bare.strip() or draft.line_before.strip():
        return draft.text
    lead = _BEFORE_TAB.sub("", lead)
    cursor, column = width(draft.line_before), width(draft.line_before + lead)
    if draft.language is None:
        return without_doubled_indentation(draft)
    above = _line_above(draft)
    wanted = _wanted(draft, above, bare)
    if column == min((width(indent_of(line)) for line in bare.split("\n")[1:] if line.strip()), default=-1):
        return lead + bare  # all of it is so deep
    if wanted is None or column <= wanted or (_OPEN.search(above) and column != 2 * cursor):
        return lead + bare
    more = max(wanted, cursor) - cursor
    tabs = "\t" in indent_of(above) + draft.line_before
    return ("\t" * (more // 8) + " " * (more % 8) if tabs else " " * more) + bare


def without_doubled_indentation(draft: Draft) -> str:
    """The suggestion without its indentation, where it has that of the cursor's line again, in a text whose columns no grammar explains."""
    lead, bare = indent_of(draft.text), draft.text.lstrip(" \t")
    if not lead or not bare.strip() or draft.line_before.strip():
        return draft.text
    column = width(draft.line_before + _BEFORE_TAB.sub("", lead))
    again = lead == draft.line_before and not _may_be_deeper(draft, bare)
    return bare if again or _goes_on_below(draft, column) else draft.text


def _may_be_deeper(draft: Draft, bare: str) -> bool:
    """Whether a line below the last one may be a level deeper than the cursor is.

    Not behind a line that ends with a bracket, a tag or a separator, or that is less deep, for the cursor is where the next one belongs; nor in a
    paragraph, whose lines begin in one column, unless an item of a list begins. Behind another line, which may be a header, it may.
    """
    above = draft.before.rstrip().rpartition("\n")[2]
    column, cursor = width(indent_of(above)), width(draft.line_before)
    if _SEPARATES.search(above) or column < cursor or bare[0] in ")]}" or bare.startswith("</"):
        return False
    goes_on = draft.before == f"{draft.before.rstrip()}\n{draft.line_before}"
    return column > cursor or not goes_on or _PROSE.fullmatch(above) is None or _ITEM.match(bare) is not None


def _line_above(draft: Draft) -> str:
    """The last line above the cursor on which a statement begins or ends; directives, which stand at the left edge in any block, are passed over."""
    lines = (line for line in reversed(draft.code_before.split("\n")) if line.strip())
    marked = draft.language is not None and draft.language.id in DIRECTIVES
    return next((line for line in lines if not (_MIDDLE.match(line) or (marked and line.startswith("#")))), "")


def _goes_on_below(draft: Draft, column: int) -> bool:
    """Whether the suggestion has its indentation twice: its later lines stand where they belong if the first begins at the cursor."""
    rest = next((width(indent_of(line)) for line in draft.text.split("\n")[1:] if line.strip()), -1)
    cursor = width(draft.line_before)
    if not 0 < cursor < column == 2 * cursor:
        return False
    return cursor <= rest < column or (cursor < rest == column and _ITEM.match(draft.text.lstrip()) is not None)


def _wanted(draft: Draft, above: str, bare: str) -> int | None:
    """The greatest column at which the suggestion may begin behind the line above; None where it may be any."""
    if bare[0] in PAIRS.values():
        opened = open_brackets(draft.tree(), len(draft.before))
        return width(indent_of(draft.before[draft.before.rfind("\n", 0, opened[-1].start) + 1 :])) if opened else None
    tagged = draft.language is not None and draft.language.id in TAGGED
    if (
        bare[0] in _CONTINUES
        and not (tagged and _TAG.match(bare))
        and not (_ENDED.search(above) and bare[0] in _STARTS)
    ):
        return None
    cursor, column = width(draft.line_before), width(indent_of(above)) - above.lstrip().startswith(("* ", "*/"))
    bracket = above.endswith(("(", "["))
    if bracket and cursor <= column:
        return None
    if not (bracket or (_HEADER.match(above) and bare[0] != "{") or (tagged and _opens_tag(above))):
        return max(cursor, column)
    others = f"{draft.before}\n{draft.text.partition(chr(10))[2]}{draft.after}"
    deeper = column + (step_of(others) or max(0, cursor - column))
    return max(cursor, deeper) if bracket else deeper


def _opens_tag(line: str) -> bool:
    """Whether a line ends with an opening tag of JSX, or a fragment."""
    tag = line[line.rfind("<") :] if line.endswith(">") and "<" in line else ""
    return bool(tag) and (tag == "<>" or "/" not in {tag[1], tag[-2]})


def under_the_cursor(draft: Draft) -> str:
    """The suggestion with its later lines under the cursor, if each stands at its depth counted from the left edge."""
    cursor = width(draft.line_before)
    if draft.line_before.strip() or not cursor or (draft.language is not None and draft.language.closer):
        return draft.text
    return _shifted(draft, draft.text, cursor)


def _shifted(draft: Draft, text: str, cursor: int) -> str:
    """With all later lines moved under the cursor, if each stands at its depth counted from the left edge."""
    first, *rest = text.split("\n")
    if indent_of(first) or not first.strip() or not any(line.strip() for line in rest):
        return text
    depths = list(_depths(draft, rest))
    if any(depth == 0 and indent_of(line) for line, depth in depths):
        return text  # so counted from the left edge, that one does not stand at its depth
    usual = step_of(draft.before) or cursor
    unit = min((width(indent_of(line)) for line, depth in depths if depth == 1), default=usual)
    if unit != usual and all(depth for _, depth in depths):
        return text  # nothing that is closed shows the left edge: once shifted, it would look as if it could be again
    if not depths or unit > 8 or _stand(depths, cursor, usual) or not _stand(depths, 0, unit):
        return text
    return "\n".join([first, *(f"{draft.line_before}{line}" if line.strip() else line for line in rest)])


def _stand(depths: Sequence[tuple[str, int]], edge: int, unit: int) -> bool:
    """Whether each line stands at its depth, counted from a column."""
    return all(width(indent_of(line)) == edge + unit * depth for line, depth in depths)


def _depths(draft: Draft, rest: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Each later line with the brackets of the suggestion that are open around it; nothing where a line is no line of code."""
    at = len(draft.before)
    found = [token for token in tokens(draft.tree(), at, draft.end) if token.start >= at]
    if any("\n" in token.text for token in found):
        return
    depths = _depths_at(found, [*_spans(draft, rest)])
    lines = [(line, depth) for line, depth in zip(rest, depths, strict=True) if line.strip()]
    if all(depth >= 0 for _, depth in lines):
        yield from lines


def _spans(draft: Draft, rest: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each later line begins and ends in the splice."""
    at = draft.end
    ends = []
    for line in reversed(rest):
        ends.append((at - len(line), at))
        at -= len(line) + 1
    yield from reversed(ends)


def _depths_at(found: Sequence[Token], spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """How many brackets are open before each line, less those that it begins by closing; lines and tokens are in order."""
    depth = at = 0
    for start, end in spans:
        while at < len(found) and found[at].start < start:
            depth += _step(found[at])
            at += 1
        while at < len(found) and found[at].start < end and _step(found[at]) < 0:
            depth -= 1
            at += 1
        yield depth


def _step(token: Token) -> int:
    return 0 if token.opaque else (token.text in PAIRS) - (token.text in PAIRS.values())
