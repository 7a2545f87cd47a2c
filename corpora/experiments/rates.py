"""How long questions and tests take, by what this machine has measured and what a provider's limits allow; and how many tokens a prompt has at most."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple
from pathlib import Path
from statistics import fmean

import msgspec

from replay.judge.shared_results import SharedResults
from replay.options import RunOptions
from replay.run.sharing import ANSWERS
from server.context import CHARACTERS_A_TOKEN, Context
from server.prompt import worded_chat
from server.providers import registry
from server.providers.protocol import Provider
from server.providers.wrappers.answer_file import AnswerFile, AnswerRow
from server.providers.wrappers.rate_limits import RateLimits
from server.settings import Settings

_MAY_CHAT = frozenset({"openai", "ollama"})
"""Providers that ask in a chat if their server wants that."""
_NOTHING = Context(path="", language="", before="", after="")


class Load(msgspec.Struct, frozen=True):
    """What a run asks of its provider and of this machine."""

    questions: int
    tokens: int
    """Of prompts and answers."""
    tests: int


class MeasuredRates(msgspec.Struct, frozen=True):
    """Mean ms of an answer by its model, and of a test; empty and None where nothing was measured."""

    answers: dict[str, float]
    test: float | None

    @classmethod
    def of(cls, shared: Path) -> MeasuredRates:
        """The rates of this experiment and of those beside it."""
        folders = [path for path in shared.parent.parent.glob(f"*/{shared.name}") if path.is_dir()]
        times: dict[str, list[float]] = {}
        for folder in folders:
            for row in _rows(folder / ANSWERS):
                if row.is_whole and row.took is not None:
                    times.setdefault(row.model, []).append(row.took)
        walls = [wall for folder in folders for wall in SharedResults(folder, "").walls_ms()]
        return cls({model: fmean(taken) for model, taken in times.items()}, fmean(walls) if walls else None)

    def seconds(self, options: RunOptions, load: Load, *, is_timed: bool) -> float | None:
        """How long a load takes at most: if no test runs beside a question or another test, and the provider's limits are used up at first.

        100 questions of 600 ms, 8 at a time, and 10 tests of 2 s: 100 * 0.6 / 8 + 10 * 2 = 27.5 s. At 60 requests a minute the questions take 111 s.
        """
        provider = options.settings.provider
        answer = self.answers.get(registry.model_name(provider))
        if (load.questions and answer is None) or (load.tests and self.test is None):
            return None
        asking = load.questions * (answer or 0.0) / 1000 / options.places(is_timed=is_timed)
        limits = RateLimits.of(provider)
        waiting = limits.seconds(load.questions, load.tokens) if limits else 0.0
        return max(asking, waiting) + load.tests * (self.test or 0.0) / 1000


def most_tokens(settings: Settings) -> int:
    """Return about how many tokens a prompt has at most: those of its budget, as the settings change it, and of the words around the code."""
    provider = registry.make(settings.provider)
    sections: tuple[int, ...] = astuple(provider.budget.overridden(settings.context))
    return sum(sections) + _words(provider, settings)


def _words(provider: Provider, settings: Settings) -> int:
    """The tokens of a prompt about nothing; of the longer one where a server may turn out to want a chat."""
    forms = [provider.prompt(_NOTHING)]
    if settings.provider.name in _MAY_CHAT and settings.provider.api == "auto":
        forms.append(worded_chat(_NOTHING, settings.provider.chat))
    return round(max(len(form.shown()) for form in forms) / CHARACTERS_A_TOKEN)


def _rows(path: Path) -> Iterable[AnswerRow]:
    file = AnswerFile(path)
    if path.exists():
        file.read()
    return file.rows()
