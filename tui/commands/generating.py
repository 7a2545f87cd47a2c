"""The command `corpora generate`: a chat model in, tested tasks for a review out."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from msgspec import structs
from rich.table import Table
from rich.text import Text

from corpora.corpus import chosen, corpus_of
from corpora.evaluation_options import EvaluateOptions
from corpora.fetching import data_folder
from corpora.generation.generation_funnel import Fate, Funnel, GeneratedAnswer, counts, write_benchmark
from corpora.generation.prompts import cell_messages
from corpora.generation.reviews import Reviews, outcome
from corpora.run.source import CorpusSource
from corpora.tasks import Task
from server.chat import ask_chat
from server.providers.registry import make
from server.settings import ProviderSettings, Settings
from tui.commands.inspect.inspecting import can_draw
from tui.commands.runs.engine_run import run_sources
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import DASH, number_of
from tui.terminal_text import message, one_line

_MEANINGS: Mapping[str, str] = {
    "malformed": "no JSON object with all members, or the gap is given away",
    "unparsable": "the finished program has a syntax error",
    "broken": "the ground truth does not pass, or only sometimes",
    "unnoticed": "the tests pass with an empty gap too",
    "untested": "no toolchain, or the machine failed",
    "duplicate": "nearly the same as another task",
    "review": "passed all of that, and waits for a review",
}


_STANDINGS: Mapping[str, str] = {
    "accepted": "by two people or more, and rejected by nobody",
    "rejected": "by two people or more, and accepted by nobody",
    "disputed": "some accept it, some reject it",
    "waiting": "fewer than two people have reviewed it",
}


async def generate(
    funnel: Funnel,
    settings: Settings,
    languages: Sequence[str],
    categories: Sequence[str],
    *,
    count: int,
    against: Path | None,
    sandbox: str,
) -> list[Fate]:
    """Ask for `count` tasks of each language and category that are not there yet, and send all answers through the funnel.

    Raises:
        ProviderError: the provider failed; what was answered until then is kept.
        DataError: the folder holds something else, or another process works in it.

    """
    corpus = corpus_of("devbench", funnel.folder)
    languages, categories = chosen(corpus, languages, categories)
    with funnel.claimed():
        await _ask(funnel, settings.provider, list(product(languages, categories)), count)
        tasks, _, _ = funnel.read()
        summary = await _test(funnel, settings, list(tasks.values()), sandbox)
        return funnel.finish(summary, _known(against, {task.language for task in tasks.values()}))


async def _ask(funnel: Funnel, settings: ProviderSettings, cells: Sequence[tuple[str, str]], count: int) -> None:
    have = {(one.language, one.category, one.number) for one in funnel.answers()}
    missing = [(*cell, number) for number in range(count) for cell in cells if (*cell, number) not in have]
    if not missing:
        return
    console, provider = SafeConsole(stderr=True), make(settings)
    try:
        await provider.start()
        for done, (language, category, number) in enumerate(missing):
            console.print(f"asked for {language}, {category}: {done + 1} of {len(missing)}")
            text = await ask_chat(provider, cell_messages(language, category), number)
            funnel.keep(GeneratedAnswer(language, category, number, text))
    finally:
        await provider.close()


async def _test(funnel: Funnel, settings: Settings, tasks: Sequence[Task], sandbox: str) -> Mapping[str, Any]:
    """The summary of a run over the tasks in which nothing is offered."""
    if not tasks:
        return {"untested": [], "failures": []}
    named = {name: sorted({getattr(task, name) for task in tasks}) for name in ("language", "category")}
    options = EvaluateOptions(
        corpus="devbench",
        data=str(funnel.folder),
        languages=tuple(named["language"]),
        categories=tuple(named["category"]),
        settings=structs.replace(settings, provider=ProviderSettings(name="fixed")),
        sandbox=sandbox,
        workers="warm",
    )
    source = CorpusSource.of(options)
    summary, _ = await run_sources(
        source.options, [source], source.summarise, funnel.run(f"{source.digest} {options.kept()}")
    )
    return summary


def _known(against: Path | None, languages: set[str]) -> list[Task]:
    """The tasks that must not come again: those of the named data, else of the benchmark's own if it was fetched."""
    folder = against or data_folder("devbench")
    if against is None and not folder.is_dir():
        return []
    corpus = corpus_of("devbench", folder)
    return list(corpus.tasks(sorted(languages), corpus.categories, packages=False))


def show_funnel(fates: Sequence[Fate], funnel: Funnel) -> None:
    """Print how many answers came how far, and where those that wait for a review are."""
    console, found = SafeConsole(), counts(fates)
    console.print(Text(number_of(len(fates), "answer"), "bold"))
    table = Table.grid(padding=(0, 2))
    for stage, number in found.items():
        table.add_row(f"  {stage}", Text(f"{number:,}", "bold"), Text(_MEANINGS[stage], "dim"))
    console.print(table)
    for fate in [fate for fate in fates if fate.reason][:5]:
        console.print(Text(f"  {fate.name}: {message(fate.reason)}", "dim"))
    if found["review"]:
        console.print(
            f"Those that wait are a benchmark: ghosttape evaluate devbench --data {funnel.folder / 'review'}",
            style="bold",
        )
    console.print(Text(f"What became of each: {funnel.folder / 'funnel.json'}", "dim"))


def review(folder: Path, reviewer: str) -> None:
    """Show the tasks that wait for a review to a person, until they quit; nothing where there is no terminal.

    Raises:
        DataError: no task waits there.
        ConfigurationError: the name is none.

    """
    reviews = Reviews(folder)
    if not reviews.tasks():
        return
    if not can_draw():
        return
    from tui.rating.reviewing import ReviewApp

    name = reviewer or getpass.getuser()
    if not name.isprintable():
        raise ConfigurationError("--reviewer: a name has no control characters")
    ReviewApp(reviews, name).run()


def review_results(folder: Path) -> dict[str, Any]:
    """What the reviews come to; the tasks that two people accept are written to `accepted` in the folder.

    Raises:
        DataError: no task waits there, or the reviews are malformed.

    """
    reviews, funnel = Reviews(folder), Funnel(folder)
    tasks = reviews.tasks()
    found = outcome(tasks, reviews.all())
    accepted = [task for task in tasks if found["tasks"][task.name] == "accepted"]
    write_benchmark(folder / "accepted", accepted, funnel.read()[1])
    return found


def show_reviews(found: Mapping[str, Any], folder: Path) -> None:
    """Print how many tasks stand where, and how far reviewers agree."""
    console = SafeConsole()
    table = Table.grid(padding=(0, 2))
    for name, number in found["standing"].items():
        table.add_row(f"  {name}", Text(f"{number:,}", "bold"), Text(_STANDINGS[name], "dim"))
    console.print(Text(number_of(sum(found["standing"].values()), "task"), "bold"))
    console.print(table)
    for pair in found["agreement"]:
        names = " and ".join(map(one_line, pair["reviewers"]))
        console.print(f"\n{names}, on {number_of(pair['decision']['n'], 'task')} (Cohen's kappa)")
        for name, figure in {"decision": pair["decision"], **pair["questions"]}.items():
            console.print(f"  {name:12} {_kappa(figure)}")
    if found["standing"]["accepted"]:
        console.print(f"The accepted tasks: ghosttape evaluate devbench --data {folder / 'accepted'}", style="bold")


def _kappa(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "no value: there is only one answer"
    interval = "" if figure["low"] is None else f" ({figure['low']:.2f}{DASH}{figure['high']:.2f})"
    return f"{figure['value']:.2f}{interval}"
