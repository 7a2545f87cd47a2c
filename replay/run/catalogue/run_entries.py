"""The list of runs: what each is, how far it came, and how it did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from replay.errors import StoreError
from replay.run.catalogue.run_lookup import run_name, tags_of, written_at
from replay.run.store import Store

RunState: TypeAlias = Literal["finished", "being written", "stopped", "unreadable"]


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A run as a list shows it."""

    folder: Path
    name: str
    """How it is found (`run_name`)."""
    written: float
    """When it was last written to, in seconds since 1970."""
    size: int
    """Bytes of its files."""
    tags: tuple[str, ...] = ()
    state: RunState = "unreadable"
    provider: str = ""
    """The provider, or `published` where the answers were published with a benchmark."""
    model: str = ""
    what: str = ""
    """Its policy, or its corpus."""
    moments: int = 0
    pass_at_1: Mapping[str, Any] = field(default_factory=dict)
    """The figure of its summary; empty where there is none."""
    problem: str = ""
    """Why it cannot be read."""


def listed_runs(folders: Iterable[Path]) -> list[RunEntry]:
    """Return what a list shows of some runs; the one that was written last comes first."""
    return sorted(map(entry_of, folders), key=lambda entry: (-entry.written, entry.name))


def entry_of(folder: Path) -> RunEntry:
    """Return what a list shows of a run. One that cannot be read is listed too, with the reason."""
    plain = RunEntry(folder, run_name(folder), written_at(folder), _size(folder), tags_of(folder))
    try:
        with Store.open(folder) as store:
            return _read(plain, store)
    except (StoreError, msgspec.MsgspecError) as error:
        return replace(plain, problem=str(error))


def _read(plain: RunEntry, store: Store) -> RunEntry:
    config, summary = store.config, store.fact("summary") or {}
    provider, model = provider_and_model(config)
    what = str(config.get("corpus") or config.get("policy") or "")
    share = (summary.get("metrics") or {}).get("pass_at_1") or {}
    return replace(
        plain, state=state_of(store), provider=provider, model=model, what=what, moments=store.count(), pass_at_1=share
    )


def state_of(store: Store) -> RunState:
    """Return how far a run is. One that is written anew has no summary any more until it ends."""
    return "being written" if store.is_written else "finished" if store.fact("summary") else "stopped"


def provider_and_model(config: Mapping[str, Any]) -> tuple[str, str]:
    """Return the provider of a run's configuration, and its model ("": the provider has only one, or its own)."""
    if published := config.get("published"):
        return "published", str(published)
    provider = (config.get("settings") or {}).get("provider") or {}
    return str(provider.get("name", "")), Path(str(provider.get("model", ""))).name


def _size(folder: Path) -> int:
    size = 0
    for file in folder.rglob("*"):
        with suppress(OSError):
            size += file.lstat().st_size
    return size
