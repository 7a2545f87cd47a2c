"""What is counted of the questions that were asked, by where their answers came from and by what became of them."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, TypeAlias, get_args

from server.cache import Cache

Outcome: TypeAlias = Literal["shown", "empty", "filtered", "failed", "cancelled"]
Reuse: TypeAlias = Literal["none", "typed", "prefix", "inflight"]


def stats_of(counts: Counter[str], kept: Cache[Any], underway: int = 0) -> dict[str, Any]:
    """What was counted and what is kept, as `ghosttape/stats` says it."""
    return {
        "asked": counts["asked"],
        "cache": {kind: counts[f"cache {kind}"] for kind in get_args(Reuse)},
        "outcomes": {outcome: counts[f"outcome {outcome}"] for outcome in get_args(Outcome)},
        "entries": len(kept),
        **{name: getattr(kept, name) for name in ("bytes", "evicted", "outdated")},
        "underway": underway,
    }


def unserved(counts: Counter[str]) -> None:
    """Count a question that failed because there was no provider to ask."""
    counts.update(("asked", "cache none", "outcome failed"))
