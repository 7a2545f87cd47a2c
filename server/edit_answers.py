"""The answer to a question for the next edit, as providers without a model give it: JSON, `{"edits": [{"path", "start", "end", "text"}]}`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from server.errors import ProviderRefused


class ProposedChange(msgspec.Struct, frozen=True):
    """A change of a document that is open: the range from `start` to `end` (UTF-16 offsets) gets a text. `path` is as in the prompt."""

    path: str
    start: int
    end: int
    text: str


class _EditAnswer(msgspec.Struct, frozen=True):
    edits: tuple[ProposedChange, ...] = ()


def edit_answer(changes: Sequence[ProposedChange]) -> str:
    """The text of an answer; empty if there is nothing to change."""
    return msgspec.json.encode(_EditAnswer(tuple(changes))).decode() if changes else ""


def read_edit_answer(raw: str) -> tuple[ProposedChange, ...]:
    """The changes of an answer; none of an empty one.

    Raises:
        ProviderRefused: it is no such answer.

    """
    if not raw.strip():
        return ()
    try:
        return msgspec.json.decode(raw, type=_EditAnswer).edits
    except msgspec.DecodeError as error:
        raise ProviderRefused(f"the answer is no list of edits: {error}") from error
