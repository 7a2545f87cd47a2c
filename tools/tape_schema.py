"""The JSON Schema of a tape's lines, as docs/tape.schema.json publishes it (`make schema` writes it)."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import msgspec

from replay.tapes.tape import Event, Header

_ABOUT = (
    "One line of NAME.tape.jsonl: the first is a header, each other one an event, in the order in which they happened. "
    "Offsets are UTF-16 code units, times milliseconds since the start. What only the lines before can tell (whether a "
    "document is open, whether an edit lies inside it, whether a checkpoint matches) `ghosttape import --check` tells. "
    "One thing is stricter than JSON Schema can say: an integer has no decimal point (`1.0` is refused where it says integer)."
)


def schema() -> dict[str, Any]:
    """The schema (draft 2020-12), made from the types that read the lines."""
    (header, event), parts = msgspec.json.schema_components([Header, Event])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a ghosttape tape",
        "description": _ABOUT,
        "anyOf": [header, event],
        "$defs": {name: _cleaned(part) for name, part in parts.items()},
    }


def published() -> str:
    """The text of docs/tape.schema.json."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def publish(path: Path) -> None:
    """Write the schema to a file."""
    path.write_text(published(), encoding="utf-8")


def _cleaned(part: dict[str, Any]) -> dict[str, Any]:
    return (
        {**part, "description": " ".join(inspect.cleandoc(part["description"]).split())}
        if "description" in part
        else part
    )
