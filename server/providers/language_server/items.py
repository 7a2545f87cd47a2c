"""What comes back from `textDocument/inlineCompletion`, as a text that goes to the cursor. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from server.context import unix
from server.errors import ProviderRefused
from server.messages import Range
from syntax.errors import OffsetError
from syntax.text import index_of, length, offset_at

_LONGEST = 16_384
"""Characters of an item that are taken, beside what it says again of the document: some 400 lines. The repairs read each often."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """The first item as text at the cursor, in place of `covers` characters right of it, on its line.

    `skipped` are the UTF-16 code units of the item's own text that stand left of the cursor already.
    """

    item: Mapping[str, Any]
    text: str
    covers: int = 0
    skipped: int = 0

    def reached(self, shown: str, taken: int) -> int:
        """How far into the item's own text `taken` code units of `shown` reach, which may be the end of it."""
        at = max(self.text.rfind(shown), 0)
        inside = self.skipped + length(self.text[:at]) + taken
        return min(inside, length(text_of(self.item)))


def continuation(result: Any, before: str, after: str) -> Continuation | None:
    """The first item of an answer to a question between two texts; None where there is none that goes on at the cursor.

    An item whose range begins left of the cursor says again what stands there: that is cut off, and if it says something else,
    the item is a change of what was written, and no continuation. What it says again of the text right of the cursor is cut off where
    the range reaches into other lines.

    Raises:
        ProviderRefused: the answer is malformed, or longer than is taken; the message says in which way.

    """
    items = result.get("items") if isinstance(result, Mapping) else result
    if items is None or items == []:
        return None
    if not isinstance(items, list) or not isinstance(items[0], Mapping):
        raise ProviderRefused("the answer to textDocument/inlineCompletion is no list of items")
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
    """How many characters of a text stand left of the cursor already; None where it does not begin with them."""
    if text.startswith(left):
        return len(left)
    size = len(left.replace("\r\n", "\n"))  # the server has its own line ends
    return size if text[:size] == left.replace("\r\n", "\n") else None


def _range(where: Any, before: str, after: str) -> tuple[int, int]:
    """The indices of an item's range in the document; without one the cursor's."""
    if where is None:
        return len(before), len(before)
    document = before + after
    try:
        given = msgspec.convert(where, Range)
        ends = [(each.line, each.character) for each in (given.start, given.end)]
        start, end = (index_of(document, offset_at(document, *each)) for each in ends)
    except msgspec.ValidationError as error:
        raise ProviderRefused(f"an item's range is malformed: {error}") from error
    except OffsetError as error:
        raise ProviderRefused(f"an item's range is outside the document: {error}") from error
    return start, end


def text_of(item: Mapping[str, Any], longest: int | None = None) -> str:
    """An item's own text; of a snippet (`{kind, value}`) what stands there before anything is filled in.

    Raises:
        ProviderRefused: it has none, or more than the `longest` characters that are taken.

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
        raise ProviderRefused(f"an item of {len(text):,} characters is longer than the {longest:,} that are taken")
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
"""No part of it reads further than to the next character of its own kind, so that a whole text is read in one pass."""
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def plain(snippet: str) -> str:
    """The text of a snippet (LSP 3.18, "Snippet Syntax") with its placeholders' own texts, in time linear in its length.

    What opens and is never closed stays as it is.
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
