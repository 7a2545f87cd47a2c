"""The settings of a run's language servers: the run's own, where an answer may come from, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from replay.options import QUICK, RunOptions
from replay.run.findings import RunContext
from replay.run.sharing import Sharing
from replay.run.sources.known_answers import KnownAnswers
from replay.run.sources.seam import Source
from replay.run.spending import OWN_ANSWERS
from server.providers.wrappers.answer_file import keeps_times
from server.settings import AnswerRecord, CacheSettings, ProviderSettings, Settings


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Makes the settings of the servers of one run."""

    options: RunOptions
    sharing: Sharing | None

    def of(self, run: RunContext, source: Source, known_answers: KnownAnswers | None) -> Settings:
        """Nothing of the person's disk; where moments stand alone, none is answered from another's answer."""
        provider = self._provider(run, source)
        settings = self.options.settings
        if known_answers is not None:
            provider = structs.replace(provider, answers=str(known_answers.path), follow=True)
        return structs.replace(
            settings,
            provider=provider,
            context=structs.replace(settings.context, workspace=False),
            cache=settings.cache if source.is_timed else structs.replace(settings.cache, entries=0),
            repairs=settings.repairs if run.ablation is None else (),
        )

    def shared(self, settings: Settings, places: int) -> dict[str, Any]:
        """What a server is told beside its settings: how it shares the record of answers. `places` questions may be under way."""
        shared = self.sharing.shared(settings.provider, places) if self.sharing else None
        return {} if shared is None else {"shared": msgspec.to_builtins(shared)}

    def _provider(self, run: RunContext, source: Source) -> ProviderSettings:
        """The provider with the record that its answers are read from or written to."""
        provider = self.options.settings.provider
        provider = structs.replace(provider, seed=self.options.seed or provider.seed)
        if provider.record.mode == "write" and provider.record.path and run.earlier.records:
            provider = structs.replace(provider, record=structs.replace(provider.record, mode="replay"))
        shared = self.sharing.record(provider, source.name) if self.sharing else None
        if shared is not None:
            return structs.replace(provider, record=shared)
        if source.is_timed and provider.name not in (QUICK | {"lsp"}) and not provider.record.path:
            provider = structs.replace(provider, record=_own_record(run))
        return structs.replace(provider, record=structs.replace(provider.record, session=source.name))


def isolated_settings(settings: Settings) -> Settings:
    """The settings of a server that answers each question by itself, with turns of its own in a record of answers."""
    record = settings.provider.record
    record = structs.replace(record, session=f"{record.session} missed")
    return structs.replace(
        settings,
        provider=structs.replace(settings.provider, record=record),
        cache=structs.replace(settings.cache, entries=0),
    )


def _own_record(run: RunContext) -> AnswerRecord:
    """The run's own file of answers. A run that is continued asks its questions again, and the model only what is new."""
    path = str((run.store.folder / OWN_ANSWERS).absolute())
    return AnswerRecord(path=path, mode="replay" if run.earlier.records else "write")


def reads_untimed(settings: Settings) -> bool:
    """Whether answers come from a record that says nothing of the time they took."""
    record = settings.provider.record
    path = Path(record.path)
    return bool(record.path) and record.mode != "write" and path.is_file() and not keeps_times(path)


def replaced(options: RunOptions, source: Source) -> Iterator[str]:
    """What a run does not take as the settings say, in words."""
    settings = options.settings
    if not source.is_timed and settings.cache != CacheSettings():
        yield "the server's cache is off: each moment stands alone"
    if options.seed and settings.provider.seed not in {0, options.seed}:
        yield f"seed {options.seed} takes the place of provider.seed {settings.provider.seed}"
