"""Proposes the nearest known name in error messages."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(wanted: str, known: Iterable[str]) -> str:
    """The nearest known name as the end of a message: ` (did you mean 'openai'?)` for `opnai`; empty if none is similar."""
    found = get_close_matches(wanted, list(known), n=1)
    return f" (did you mean {found[0]!r}?)" if found else ""
