"""The answers to a moment that was asked again: each is a run of one moment in `RUN/again/NUMBER`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replay.errors import StoreError
from replay.records import Record
from replay.run.store import Store
from server.errors import SettingsError
from tui.inspector.again.question_fields import Question, question_of

FOLDER = "again"
LOG = "log.txt"
_LAST = 4_000
"""Bytes of the end of a log that are read."""


@dataclass(frozen=True, slots=True)
class ListedAnswer:
    """One answer. `number` is 0 for the answer of the run itself, and the name of its folder for every other."""

    number: int
    question: Question
    record: Record | None
    state: str = ""
    """`being asked`, `stopped before its end`, or empty when it has ended."""
    said: str = ""
    """What the command said last, where there is no answer."""


def answers_to(folder: Path, moment: str) -> list[ListedAnswer]:
    """Return the answers to the moment of that id that are kept beside the run in `folder`, in the order in which they were asked."""
    return [answer for place in _places(folder / FOLDER) if (answer := _answer(place, moment)) is not None]


def log_of(place: Path) -> str:
    """Return the end of what the command said that made the answer in `place`."""
    try:
        return (place / LOG).read_bytes()[-_LAST:].decode("utf-8", "replace").strip()
    except FileNotFoundError:
        return ""


def _places(folder: Path) -> Iterator[Path]:
    found = [path for path in folder.glob("*/run.sqlite") if path.parent.name.isdecimal()]
    yield from sorted((path.parent for path in found), key=lambda path: int(path.name))


def _answer(place: Path, moment: str) -> ListedAnswer | None:
    try:
        with Store.open(place) as store:
            config = store.config
            return _of(store, config, moment) if config.get("moments") == [moment] else None
    except (StoreError, SettingsError):  # one that is just being made, or of another version
        return None


def _of(store: Store, config: Mapping[str, Any], moment: str) -> ListedAnswer:
    record = next((record for record in store.records() if record.moment.id == moment), None)
    state = "being asked" if store.is_written else "" if store.fact("summary") else "stopped before its end"
    said = log_of(store.folder) if record is None else ""
    return ListedAnswer(int(store.folder.name), question_of(config), record, state, said)
