"""Counts of requests, by the source of the answer and by the outcome."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, TypeAlias, get_args

from server.cache import Cache

Outcome: TypeAlias = Literal["shown", "empty", "filtered", "failed", "cancelled"]
Reuse: TypeAlias = Literal["none", "typed", "prefix", "inflight"]
Finish: TypeAlias = Literal["stop", "length", "refusal", "content-filter", "other"]
"""Why a model stopped writing: it was done, it reached its limit of tokens, it refused, or a filter stopped it. `other`: for another reason, such as a call of a tool."""


def stats_of(counts: Counter[str], kept: Cache[Any], underway: int = 0) -> dict[str, Any]:
    """The counts, and the state of the cache, in the form of `ghosttape/stats`."""
    return {
        "asked": counts["asked"],
        "cache": {kind: counts[f"cache {kind}"] for kind in get_args(Reuse)},
        "outcomes": {outcome: counts[f"outcome {outcome}"] for outcome in get_args(Outcome)},
        "entries": len(kept),
        **{name: getattr(kept, name) for name in ("bytes", "evicted", "outdated")},
        "underway": underway,
    }


def unserved(counts: Counter[str]) -> None:
    """Count a request that failed because the provider could not be made."""
    counts.update(("asked", "cache none", "outcome failed"))
