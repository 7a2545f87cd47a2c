"""A body that comes behind its header without the line end between them."""

from __future__ import annotations

import re

from server.repair.draft import Draft, indent_of, step_of, unit_of, width
from syntax.tokens import open_brackets
from syntax.wanted import is_after_header

_NO_BODY = frozenset(")]},;:.|\n")
"""What no body begins with: behind these the line goes on, or ends."""
_CLOSER_BELOW = re.compile(r"\n[ \t]*\}")
_IN_TABS = re.compile(r"^\t", re.MULTILINE)
_ON_A_HEADER = re.compile(
    r"^[ \t]*(?:else|try|finally|(?:class|def|if|elif|for|while|with|except)\b[^#\n]*):[^\W\d]", re.MULTILINE
)
"""A body on the line of its header, without a space, in a layout language."""
_BEHIND_A_BRACE = re.compile(r"(?:\)|=>|\b(?:else|try|do|finally))\s*\{[^\W\d][^{}\n]*\n")
"""A line that goes on directly behind its brace and does not close it."""


def below_the_header(draft: Draft) -> str:
    """The suggestion on a line of its own, one step deeper than the header at whose end the cursor stands, where it is the body of that.

    So it is if it comes without white space, or with the indentation that the line would have: a person who writes a body on the header's line
    begins it with one space. In a language with braces it must not be all on one line, unless the brace is closed on a line below: `{return x;}` is a body too.
    """
    bare = draft.text.lstrip(" \t")
    if not bare or not _may_follow(draft, bare):
        return draft.text
    lead, header = draft.text[: len(draft.text) - len(bare)], _header_indent(draft)
    if header is None:
        return draft.text
    indent = header + _step(draft, header)
    meant = not lead or width(lead) in {width(indent), width(indent) - width(header)} - {1}
    text = f"\n{indent}{bare}"
    errors, moved = draft.errors(), draft.errors(text)
    return text if moved < errors or (meant and moved == errors) else draft.text


def _may_follow(draft: Draft, bare: str) -> bool:
    """Whether the cursor is at the end of a header's line, and a body may begin so."""
    language, line = draft.language, draft.line_before
    if language is None or draft.line_after.strip() or line[-1:] not in {":", "{"} or bare[0] in _NO_BODY:
        return False
    if (
        bare.startswith((language.line_comment, "/*"))
        or not is_after_header(language, draft.before)
        or draft.is_in_text
    ):
        return False
    document = f"{draft.before}\n{draft.after}"
    if language.layout:
        return line[-1] == ":" and _ON_A_HEADER.search(document) is None
    of_lines = "\n" in bare.strip() or _CLOSER_BELOW.match(draft.after) is not None
    return of_lines and _BEHIND_A_BRACE.search(document) is None


def _header_indent(draft: Draft) -> str | None:
    """The indentation of the construct whose header ends at the cursor; None where a brace there opens a value."""
    assert draft.language is not None
    tree, end = draft.tree(), len(draft.before)
    if not draft.language.layout:
        opened = open_brackets(tree, end)
        if not opened or opened[-1].end != end or not opened[-1].block:
            return None
    own = indent_of(draft.line_before)
    at = tree.byte(end - 1)
    node = tree.root.descendant_for_byte_range(at, at + 1)
    while node is not None and not node.is_error and node.parent is not None and node.type not in draft.language.kinds:
        node = node.parent
    if node is None or node.is_error or node.parent is None or draft.line_before.strip() == "{":
        return own
    begun = indent_of(draft.before[draft.before.rfind("\n", 0, tree.index(node.start_byte)) + 1 :])
    return min(own, begun, key=width)


def _step(draft: Draft, header: str) -> str:
    """The white space of one step."""
    document = f"{draft.before}\n{draft.after}"
    tabs = "\t" in header or (not header and _IN_TABS.search(f"{document}\n{draft.text}") is not None)
    return "\t" if tabs else " " * (step_of(document) or unit_of(draft.text.partition("\n")[2]))
