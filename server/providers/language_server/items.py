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
        ProviderRefused: the answer is malformed; the message says in which way.

    """
    items = result.get("items") if isinstance(result, Mapping) else result
    if items is None or items == []:
        return None
    if not isinstance(items, list) or not isinstance(items[0], Mapping):
        raise ProviderRefused("the answer to textDocument/inlineCompletion is no list of items")
    text = text_of(items[0])
    start, end = _range(items[0].get("range"), before, after)
    if not start <= len(before) <= end:
        return None
    left, right = before[start:], after[: end - len(before)]
    repeated = _repeated(left, text)
    if repeated is None:
        return None
    rest = text[repeated:]
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


def text_of(item: Mapping[str, Any]) -> str:
    """An item's own text; of a snippet (`{kind, value}`) what stands there before anything is filled in.

    Raises:
        ProviderRefused: it has none.

    """
    text = item.get("insertText")
    value = text.get("value") if isinstance(text, Mapping) else text
    if not isinstance(value, str):
        raise ProviderRefused("an item has no text")
    is_snippet = item.get("insertTextFormat") == 2 or (isinstance(text, Mapping) and text.get("kind") == "snippet")
    return plain(value) if is_snippet else value


_SYNTAX = re.compile(
    r"""\\(?P<escaped>[\\$}])            # a character that means itself
    | \$\d+ | \$\{\d+\}                  # a tab stop
    | \$\{\d+:(?P<default>[^{}$]*)\}     # a placeholder: its text; the innermost come first
    | \$\{\d+\|(?P<choice>[^,|]*)[^}]*\} # a choice: its first
    | \$[A-Za-z_]\w* | \$\{[A-Za-z_]\w*\} | \$\{[A-Za-z_]\w*:(?P<otherwise>[^{}$]*)\}  # a variable: nothing, or what else
    | \$\{\w+/(?:\$\{[^}]*\}|[^}])*\}    # a transformation""",
    re.VERBOSE,
)
_HIDDEN = str.maketrans({"\\": "\ue000", "$": "\ue001", "}": "\ue002"})
_SHOWN = str.maketrans({"\ue000": "\\", "\ue001": "$", "\ue002": "}"})


def plain(snippet: str) -> str:
    """The text of a snippet (LSP 3.18, "Snippet Syntax") with its placeholders' own texts."""
    while (made := _SYNTAX.sub(_meant, snippet)) != snippet:
        snippet = made
    return made.translate(_SHOWN)


def _meant(found: re.Match[str]) -> str:
    if found["escaped"]:
        return found["escaped"].translate(_HIDDEN)  # not to be read again
    return found["default"] or found["choice"] or found["otherwise"] or ""
