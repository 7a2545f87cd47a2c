"""Stops a run that only collects failures: a provider that fails again and again for one reason."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from replay.errors import ProviderFailsError
from replay.options import QUICK, RunOptions
from replay.run.store import Store
from server.errors import ProviderError
from server.providers import probing
from server.settings import SERVERS

PAUSES_S = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 240.0)
"""How long is waited before a question that failed is asked again; the last one for ever."""
MOST = 5
"""Failures of one kind in a row that are taken as they are, but for the last one."""
_NUMBERED = re.compile(r"\w*\d\w*")


@dataclass(slots=True)
class FailureGuard:
    """Counts failures in a row, and says what to do about the next one.

    `waits`: somebody watches, who can mend it, so the run waits for that. `keeps_going`: failures are only recorded. `remedy` says what a person can do about a reason.
    """

    waits: bool = False
    keeps_going: bool = True
    remedy: Callable[[str], str] = lambda _: ""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    has_waited: bool = False
    """Whether the run was halted: then questions have failed that may be answered once it goes on."""
    _kind: str = ""
    _failures: int = 0

    @property
    def pause_s(self) -> float:
        """How long (s) the run waits now."""
        return PAUSES_S[min(self._failures - MOST, len(PAUSES_S) - 1)]

    def is_halted(self, failed: str) -> bool:
        """Take in how a question was answered (`failed` is the reason, empty for an answer), and say whether nothing more may be asked until it is mended.

        Raises:
            ProviderFailsError: it is so, and nobody is there to wait for.

        """
        kind = _NUMBERED.sub("#", failed)  # a reason may hold a time, a port, the number of a request
        self._failures = self._failures + 1 if failed and kind == self._kind else int(bool(failed))
        self._kind = kind
        if self._failures < MOST or self.keeps_going:
            return False
        if not self.waits:
            raise ProviderFailsError(f"{MOST} questions in a row failed: {failed.rstrip('.')}: {self.remedy(failed)}")
        self.has_waited = True
        return True


def guard_of(options: RunOptions, *, waits: bool) -> FailureGuard:
    """The guard of a run. What costs nothing, and what comes from a record, fails by itself: nothing can be waited for."""
    provider = options.settings.provider
    unguarded = options.answers_are_known or provider.name in QUICK or provider.record.mode == "require"
    return FailureGuard(
        waits=waits,
        keeps_going=options.keep_going or unguarded,
        remedy=lambda reason: probing.remedy(reason, provider),
    )


async def probe_provider(options: RunOptions, folder: Path) -> str:
    """Ask the model server one small question before anything is made; return a warning, or nothing.

    A run that goes on is not held up by it: perhaps nothing is left to ask. Neither is one whose answers come from a record.

    Raises:
        ProviderFailsError: every question would fail; says why, and what to do.

    """
    if options.keep_going or not _asks_server(options) or _is_begun(folder):
        return ""
    try:
        return await probing.probe(options.settings.provider)
    except ProviderError as error:
        raise ProviderFailsError(str(error)) from error


def _asks_server(options: RunOptions) -> bool:
    """Whether answers come from a model server, and not from a record of answers."""
    provider = options.settings.provider
    record = provider.record
    recorded = bool(record.path) and (
        record.mode == "require" or (record.mode == "replay" and Path(record.path).exists())
    )
    return provider.name in SERVERS and not recorded and not options.answers_are_known


def _is_begun(folder: Path) -> bool:
    if not (folder / "run.sqlite").is_file():
        return False
    with Store.open(folder) as store:
        return store.is_answered
