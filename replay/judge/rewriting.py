"""Why a place was rewritten: what stood there at the moment, what stands there in the finished document, and why they do not meet."""

from __future__ import annotations

from typing import TypeAlias

from replay.records import Rewriting, RewritingCause
from syntax.blocks import closing, line_end, statement_start
from syntax.languages import Language

TextAround: TypeAlias = tuple[str, str]
"""A document's text before a place, and behind it."""
_LONGEST = 400
"""Characters of each text that are kept."""


def rewriting(language: Language, cause: RewritingCause, at_moment: TextAround, finished: TextAround) -> Rewriting:
    """What a person reads about a moment whose place was rewritten; the document around the place then, and in the end."""
    (before, after), (left, right) = at_moment, finished
    if cause == "before":
        then = before[statement_start(language, before) :]
        now = _last_lines(left, then.strip().count("\n") + 1)
    else:
        then = _first_lines(after, _closer_end(language, before, after))
        now = _first_lines(right, len(then))
    return Rewriting(cause=cause, then=_kept(then), now=_kept(now))


def _closer_end(language: Language, before: str, after: str) -> int:
    """Where the bracket ends, in the text right of the cursor, that closes what is open at the cursor; 0 for none."""
    closer = closing(language, before + after, len(before))
    return 0 if closer is None else closer + 1 - len(before)


def _first_lines(text: str, least: int) -> str:
    """The whole lines at the beginning of a text that hold at least so many characters, and something to read."""
    blank = len(text) - len(text.lstrip())
    return text[: line_end(text, max(least, blank))]


def _last_lines(text: str, lines: int) -> str:
    """The last lines of a text, blank ones at its end aside, and these."""
    written = text.rstrip()
    return "\n".join(written.rsplit("\n", lines)[-lines:]) + text[len(written) :]


def _kept(text: str) -> str:
    """A text without its middle if it is long."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} … {text[-half:]}"
