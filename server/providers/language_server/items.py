"""Turns the result of `textDocument/inlineCompletion` into a text at the cursor. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from server.context import unix
from server.errors import ProviderRefused
from server.wire.messages import Range
from syntax.errors import OffsetError
from syntax.text import end_offset_at, index_of, length, offset_at

_LONGEST = 16_384
"""The longest item in characters, about 400 lines, without the parts of the document that it repeats. Repairs read it many times."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """The first item as text at the cursor. It replaces `covers` characters right of the cursor, on its line.

    `skipped` is the length (UTF-16 code units) of the start of the item's text that is already left of the cursor.
    """

    item: Mapping[str, Any]
    text: str
    covers: int = 0
    skipped: int = 0

    def reached(self, shown: str, taken: int) -> int:
        """The offset in the item's own text after `taken` code units of `shown`, which may be only the end of the item's text."""
        at = max(self.text.rfind(shown), 0)
        inside = self.skipped + length(self.text[:at]) + taken
        return min(inside, length(text_of(self.item)))


def continuation(result: Any, before: str, after: str) -> Continuation | None:
    """The first item of a result; None if there is no item, or if it does not continue the text at the cursor.

    An item whose range begins left of the cursor repeats the text there, and the repetition is cut off. An item that changes that text
    is not a continuation. If the range reaches into lines below, the repetition of the text right of the cursor is cut off too.

    Raises:
        ProviderRefused: the result is malformed or too long; the message says which.

    """
    items = result.get("items") if isinstance(result, Mapping) else result
    if items is None or items == []:
        return None
    if not isinstance(items, list) or not isinstance(items[0], Mapping):
        raise ProviderRefused("the answer to textDocument/inlineCompletion is not a list of items")
    text = text_of(items[0], _LONGEST + len(before) + len(after))
    start, end = _range(items[0].get("range"), before, after)
    if not start <= len(before) <= end:
        return None
    left, right = before[start:], after[: end - len(before)]
    repeated = _repeated(left, text)
    if repeated is None:
        return None
    rest = _limited(text[repeated:], _LONGEST)
    if "\n" in right or "\r" in right:
        if not unix(rest).endswith(unix(right)):
            return None
        rest, right = unix(rest).removesuffix(unix(right)), ""
    return Continuation(items[0], rest, len(right), length(text[:repeated])) if rest else None


def _repeated(left: str, text: str) -> int | None:
    """How many characters of a text repeat `left`; None if the text does not begin with it."""
    if text.startswith(left):
        return len(left)
    size = len(left.replace("\r\n", "\n"))  # the server may use other line ends
    return size if text[:size] == left.replace("\r\n", "\n") else None


def _range(where: Any, before: str, after: str) -> tuple[int, int]:
    """The indices of an item's range in the document; the cursor's index if it has none."""
    if where is None:
        return len(before), len(before)
    document = before + after
    try:
        given = msgspec.convert(where, Range)
        start = index_of(document, offset_at(document, given.start.line, given.start.character))
        end = index_of(document, end_offset_at(document, given.end.line, given.end.character))
    except msgspec.ValidationError as error:
        raise ProviderRefused(f"an item's range is malformed: {error}") from error
    except OffsetError as error:
        raise ProviderRefused(f"an item's range is outside the document: {error}") from error
    return start, end


def text_of(item: Mapping[str, Any], longest: int | None = None) -> str:
    """The text of an item; of a snippet (`{kind, value}`), its text with the placeholders' defaults.

    Raises:
        ProviderRefused: the item has no text, or more than `longest` characters.

    """
    text = item.get("insertText")
    value = text.get("value") if isinstance(text, Mapping) else text
    if not isinstance(value, str):
        raise ProviderRefused("an item has no text")
    if longest is not None:
        _limited(value, longest)
    is_snippet = item.get("insertTextFormat") == 2 or (isinstance(text, Mapping) and text.get("kind") == "snippet")
    return plain(value) if is_snippet else value


def _limited(text: str, longest: int) -> str:
    if len(text) > longest:
        raise ProviderRefused(f"an item of {len(text):,} characters is longer than the limit of {longest:,}")
    return text


_TOKEN = re.compile(
    r"""\\(?P<escaped>[\\$}])                                     # a character that means itself
    | \$(?:\d+|[A-Za-z_]\w*) | \$\{\w+\}                           # a tab stop, or a variable that has no value
    | \$\{\d+\|(?P<choice>(?:\\.|[^\\,|])*+)(?:,(?:\\.|[^\\|])*+)?\|\}    # a choice: its first
    | \$\{\w+/(?:\\.|[^\\/])*+/(?:\\.|\$\{[^{}$]*+\}|[^\\/])*+/\w*\} # a transformation of nothing
    | (?P<opening>\$\{\w+:) | (?P<closing>\})                    # a placeholder, or what a variable without a value gives
    """,
    re.VERBOSE | re.DOTALL,
)
"""No alternative backtracks, so that a text is read in linear time."""
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def plain(snippet: str) -> str:
    """The text of a snippet (LSP 3.18, "Snippet Syntax") with the placeholders' defaults, in time linear in its length.

    `for (${1:i} of $2) {$0}` becomes `for (i of ) {}`. A placeholder that is not closed stays as it is.
    """
    pieces, openings, at = list[str](), list[int](), 0
    for found in _TOKEN.finditer(snippet):
        pieces.append(snippet[at : found.start()])
        at, kind = found.end(), found.lastgroup
        if kind == "opening":
            openings.append(len(pieces))
            pieces.append(found[0])
        elif kind == "closing" and openings:
            pieces[openings.pop()] = ""
        elif kind is not None:
            pieces.append(_ESCAPED.sub(r"\1", found[kind]))
    return "".join([*pieces, snippet[at:]])
