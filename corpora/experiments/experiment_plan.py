"""What an experiment is going to take, before anything is asked: counts that hold, and times where this machine has measured any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from corpora.evaluation_options import EvaluateOptions, drawn
from corpora.experiments.cells import Cell, finished
from corpora.run.source import CorpusSource
from replay.judge.shared_results import SharedResults
from replay.numbers.costs import Price
from replay.options import QUICK, ReplayOptions, RunOptions
from replay.run.sharing import ANSWERS
from replay.run.sources.seam import Source
from replay.run.sources.tape_source import ExpectedQuestions, TapeSource
from server.context import CHARACTERS_A_TOKEN, Context
from server.prompt import worded_chat
from server.providers import registry
from server.providers.protocol import Provider
from server.providers.wrappers.answer_file import AnswerFile, AnswerRow
from server.providers.wrappers.rate_limits import RateLimits
from server.settings import Settings

_STATES_A_MOMENT = {False: 2, True: 4}
"""States that a verdict takes at most: the emptied hole and the graft; where the hole follows the answer, both of the wanted part too."""


class CellPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a cell takes. All numbers but `moments` of a cell that is `exact` are the most that can be."""

    name: str
    moments: int
    """Those at which the editor asks; under a policy of time there are others, where it was not time to ask."""
    exact: bool
    """Whether the number of moments is known. It is not where answers decide when is asked: then it is at most as large."""
    questions: int
    """Those that go to a provider, with what is asked again after the session: what another cell has asked before is not asked again."""
    tests: int
    """States that are tested."""
    input_tokens: int
    """About: as if each prompt filled its budget, with what its form adds."""
    output_tokens: int
    cost: float | None
    """None where the model has no price."""
    seconds: float | None
    """By rates that were measured on this machine, and by the limits of the provider; None where nothing was measured. Starting servers and toolchains is not in it."""


def plan(cells: Sequence[Cell], folder: Path, shared: Path, prices: Mapping[str, Price]) -> list[CellPlan]:
    """Plan the cells of an experiment that are not finished; the others take nothing more."""
    rates, earlier = MeasuredRates.of(shared), set[bytes | None]()
    made = []
    for cell in cells:
        done = finished(cell.folder_in(folder)) is not None
        common, places = _common(cell), _places(cell)
        made.append(_planned(cell, prices, rates, done=done, known=common in earlier, emptied=places in earlier))
        earlier |= {common, places} - {None}
    return made


def _planned(
    cell: Cell, prices: Mapping[str, Price], rates: MeasuredRates, *, done: bool, known: bool, emptied: bool
) -> CellPlan:
    """What one cell takes. `known`: an earlier one asks the same questions; `emptied`: an earlier one asks at the same places, so finished projects and emptied holes are tested already."""
    options = cell.options
    provider = options.settings.provider
    counts = [_expected(source) for source in cell.sources]
    moments, exact = sum(count.asks for count in counts), all(count.exact for count in counts)
    again = sum(count.given_up for count in counts) if options.asks_missed else 0
    costs_nothing = options.answers_are_known or provider.name in QUICK
    first = (
        sum(count.given_up for count in counts) if known else moments
    )  # answers that were given up serve no other cell
    questions = 0 if done or costs_nothing else first + again
    is_tested = options.tests and not done
    tests = sum(_states(source, count.asks, emptied) for source, count in zip(cell.sources, counts, strict=True)) if is_tested else 0  # fmt: skip
    asked = questions * (0 if costs_nothing else most_tokens(options.settings))
    is_free = not questions or options.is_free
    price, output = prices.get(provider.model), questions * provider.max_tokens
    return CellPlan(
        name=cell.name,
        moments=moments,
        exact=exact,
        questions=questions,
        tests=tests,
        input_tokens=asked,
        output_tokens=output,
        cost=0.0 if is_free else (price.of(asked, output) if price else None),
        seconds=rates.seconds(options, Load(questions, asked + output, tests), is_timed=_is_timed(cell)),
    )


def _is_timed(cell: Cell) -> bool:
    return any(source.is_timed for source in cell.sources)


def _common(cell: Cell) -> bytes | None:
    """What cells have in common that ask the same questions; None where they depend on answers."""
    settings = {name: cell.options.kept()["settings"][name] for name in ("provider", "context")}
    return _without(cell, ("scoring",) if _is_timed(cell) else ("user", "latency", "scoring"), settings)


def _places(cell: Cell) -> bytes | None:
    """What cells have in common that ask at the same places, and test them alike; None where these depend on answers."""
    return _without(cell, ("user", "latency", "samples"), {})


def _without(cell: Cell, axes: Sequence[str], settings: Mapping[str, Any]) -> bytes | None:
    if not all(_expected(source).exact for source in cell.sources):
        return None
    kept: dict[str, Any] = {name: value for name, value in cell.options.kept().items() if name not in axes}
    digests = {source.name: source.digest for source in cell.sources}
    return msgspec.json.encode([axes, {**kept, "settings": settings}, digests], order="deterministic")


def _expected(source: Source) -> ExpectedQuestions:
    """How often a source asks, for all samples."""
    if isinstance(source, CorpusSource):
        options: EvaluateOptions = source.options
        tasks = drawn(source.chosen_tasks(), options.limit, options.seed)
        return ExpectedQuestions(len([task for task in tasks if not task.lacks]) * options.samples, 0, exact=True)
    assert isinstance(source, TapeSource)
    once = source.expected
    return replace(once, asks=once.asks * source.options.samples)


def _states(source: Source, moments: int, emptied: bool) -> int:
    """How many states a source tests at most. `emptied`: without those that do not depend on answers: what is finished, and what lacks only the wanted part."""
    options: RunOptions = source.options  # type: ignore[attr-defined]
    arms, own = 2 + len(options.settings.repairs) if options.ablate else 1, moments // options.samples
    if isinstance(options, EvaluateOptions):
        return 2 * own * (not emptied) + moments * arms * (1 + options.tests_all_tasks)
    assert isinstance(options, ReplayOptions)
    some = 3 if options.which_tests == "touching" else 1
    most = 1 + moments * _STATES_A_MOMENT[source.is_timed] * arms * some * (1 + (options.user == "tests"))
    return most - (1 + own) * emptied


# How long questions and tests take, by what this machine has measured and what a provider's limits allow;
# and how many tokens a prompt has at most.

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
