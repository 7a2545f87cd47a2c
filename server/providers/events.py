"""What model servers send: one JSON object after the other, and what each says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Event: TypeAlias = Mapping[str, Any]
"""One JSON object of an answer."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one event says: pieces of the answer, and whether the answer ends with them."""

    pieces: Sequence[str] = ()
    last: bool = False
