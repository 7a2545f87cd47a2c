"""A run that nobody wrote a live file for (it could not, or an older version made it): what its store holds."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path

import msgspec

from replay.errors import StoreError
from replay.run.events import Ended, LeftOut, RunBegan, RunEnded, RunPlan
from replay.run.live.stream import shortened
from replay.run.store import Store
from tui.live.state import LiveState


def stored_state(folder: Path) -> LiveState | None:
    """The state of a run by its records, as they are now; None if there is no run in the folder.

    Raises:
        StoreError: they cannot be read, and why.

    """
    if not (folder / "run.sqlite").is_file():
        return None
    try:
        with Store.open(folder) as store:
            return _state(store)
    except (zlib.error, msgspec.MsgspecError, sqlite3.Error, OSError, UnicodeDecodeError) as error:
        raise StoreError(f"The run in {folder} cannot be read: {error}") from error


def _state(store: Store) -> LiveState:
    config, at = store.config, (store.folder / "run.sqlite").stat().st_mtime
    provider = config.get("settings", {}).get("provider", {})
    plan = RunPlan(
        provider=provider.get("name", ""),
        policy=config.get("policy", ""),
        tests=config.get("tests", True),
        cluster_by=store.cluster_by,
        samples=config.get("samples", 1),
        measured=not store.fact("reads_record"),
    )
    state = LiveState()
    state.take(RunBegan(at, 0, "", plan, dict.fromkeys(config.get("sources", {}), "")))
    for record in store.records():
        state.take(shortened(Ended(record, awaits_verdict=False)))
    summary = store.fact("summary") or {}
    for left in summary.get("left_out", ()):
        state.take(LeftOut(left["tape"], left["reason"]))
    state.take(
        RunEnded(
            at,
            "done" if summary else "interrupted",
            "" if summary else "how it was played is not known: there is no live.jsonl",
        )
    )
    return state
