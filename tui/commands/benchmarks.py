"""The command `corpora`: which benchmarks there are, their data, and what they are like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from corpora.audits.noticing import coverage_of_tests
from corpora.audits.relations import relations, similarity_relations
from corpora.corpus import chosen, corpus_of
from corpora.evaluation_options import EvaluateOptions, drawn
from corpora.fetching import data_folder, fetch
from corpora.registry import CorpusCard, card_of, cards
from corpora.run.source import CorpusSource
from replay.run.store import Store
from runners.doctor import HealthCheck, toolchain_checks
from runners.programs import way_of
from server.settings import ProviderSettings
from tui.commands.options.corpus_data import named_corpus
from tui.commands.runs.engine_run import run_sources
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import number_of, percent
from tui.tables.evaluation_table import TESTS_WORDS, left_out_name
from tui.terminal_text import headline, one_line, shorten
from tui.watching.waiting import Waiting

_NAME = 28
"""The width of the names of languages and categories, in cells."""
_CELLS = 5
"""The number of languages and categories that are listed."""
_PAIRS = 12
"""The number of near-duplicates that are listed; --json has all."""


async def overview() -> list[dict[str, Any]]:
    """Each benchmark with where its data is, and what of it runs here; each toolchain is tried."""
    known = {name: card for name, card in cards().items() if not card.head}
    names = {way_of(language).toolchain for card in known.values() for language in card.languages}
    with Waiting(SafeConsole(stderr=True), "each language's toolchain is tried"):
        checks = await toolchain_checks(sorted(names))
    return [_entry(name, card, checks) for name, card in known.items()]


def _entry(name: str, card: CorpusCard, checks: Mapping[str, HealthCheck]) -> dict[str, Any]:
    folder = data_folder(name)
    tried = {language: checks[way_of(language).toolchain] for language in card.languages}
    return {
        "name": name,
        "about": card.about,
        "tasks": card.tasks,
        "paper": card.paper,
        "licence": card.licence,
        "source": f"{card.url} at {card.commit}" if card.url else "",
        "data": str(folder) if folder.is_dir() else "",
        "needs": card.needs
        or (
            f"not here: `ghosttape corpora get {name}`" if card.url else "not bundled: its folder is named with --data"
        ),
        "runs": [language for language, check in tried.items() if check.ok],
        "does_not_run": {language: headline(check.detail) for language, check in tried.items() if not check.ok},
        "lacking": dict(corpus_of(name, folder).lacking) if folder.is_dir() else {},
    }


def show_overview(entries: Sequence[Mapping[str, Any]]) -> None:
    """Print what there is, one block a benchmark."""
    console = SafeConsole()
    for entry in entries:
        console.print(Text(f"{entry['name']}  {number_of(entry['tasks'], 'task')}: {entry['about']}", "bold"))
        table = Table.grid(padding=(0, 2))
        for title, text in _facts(entry):
            table.add_row(Text(f"  {title}", "dim"), Text(text))
        console.print(table)


def _facts(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "paper", entry["paper"]
    yield "licence", f"{entry['licence']} (not bundled)"
    yield "data", entry["data"] or entry["needs"]
    yield "runs here", ", ".join(entry["runs"]) or "nothing"
    for language, why in entry["does_not_run"].items():
        yield "does not run", f"{language}: {why}"
    for why in entry["lacking"].values():
        yield "does not run", why


def get(name: str, *, source: Path | None, out: Path | None, notify: Callable[[str], None]) -> Path:
    """Fetch the data of a benchmark, and return its folder.

    Raises:
        CorpusError, FetchError: there is no such benchmark, or its data cannot be fetched.

    """
    card, into = card_of(name), out or data_folder(name)
    fetch(card, into, source=source, notify=notify)
    return into


def audited(
    name: str,
    data: Path | None,
    chosen_of: tuple[Sequence[str], Sequence[str]],
    limit: int | None,
    seed: int,
    *,
    project: Path | None = None,
) -> dict[str, Any]:
    """What the tasks of a benchmark are like, as one JSON document: those of some languages and categories, at most `limit` of them, drawn by the seed.

    Raises:
        CorpusError, ConfigurationError: the benchmark, a language or a category is not known, or there is no data.

    """
    from corpora.audits.audit import audit

    name, folder = named_corpus(name, data)
    corpus = corpus_of(name, folder, project=str(project.absolute()) if project else "")
    tasks = drawn(corpus.tasks(*chosen(corpus, *chosen_of), packages=False), limit, seed)
    with Waiting(SafeConsole(stderr=True), f"{name}: every pair of {number_of(len(tasks), 'task')} is compared"):
        return {"corpus": name, **audit(tasks)}


def related(runs: Sequence[Path]) -> dict[str, Any]:
    """How the categories of a benchmark go together in some finished runs, as one JSON document.

    Raises:
        StoreError: a folder holds no run.
        ConfigurationError: a run has not ended, or is no evaluation.

    """
    summaries = [_summary(run) for run in runs]
    named = [f"{one['provider']} in {row['language']}" for one in summaries for row in one["languages"]]
    if twice := next((name for name in named if named.count(name) > 1), ""):
        raise ConfigurationError(f"two of these runs have {twice}: name one of them")
    return {
        "runs": len(summaries),
        "relations": [structs.asdict(one) for one in relations(summaries)],
        "passing_and_similarity": [structs.asdict(one) for one in similarity_relations(summaries)],
    }


def _summary(run: Path) -> dict[str, Any]:
    with Store.open(run) as store:
        found, config = dict(store.fact("summary") or {}), store.config
    if "cells" not in found:
        raise ConfigurationError(f"{run}: this is no run of `ghosttape evaluate` that came to its end")
    return {**found, "provider": _model(config)}


def _model(config: Mapping[str, Any]) -> str:
    """The model of a run: of two runs of one provider the models tell them apart."""
    provider = config["settings"]["provider"]
    return config.get("published") or f"{provider['name']} {provider['model']}".strip()


def show_related(found: Mapping[str, Any]) -> None:
    """Print Spearman's correlation of each pair of categories."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for title, justify in (("categories", "left"), ("", "left"), ("rho", "right"), ("p", "right"), ("pairs", "right")):
        table.add_column(title, justify=justify)  # type: ignore[arg-type]
    for one in found["relations"]:
        known = one["correlation"] is not None
        rho, p_value = (f"{one['correlation']:.2f}", f"{one['p_value']:.3f}") if known else ("", "")
        table.add_row(Text(one["one"]), Text(one["other"]), rho, p_value, f"{one['n']:,}")
    console = SafeConsole()
    console.print(table)
    console.print(Text("rho: Spearman's rank correlation of pass@1, over pairs of a model and a language", "dim"))
    if found["passing_and_similarity"]:
        _show_similarity(console, found["passing_and_similarity"])


def _show_similarity(console: SafeConsole, found: Sequence[Mapping[str, Any]]) -> None:
    """Print how far pass@1 and edit similarity go together over models."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("pass@1 and edit similarity, over models")
    for title in ("Pearson (95 %)", "Spearman (95 %)", "models"):
        table.add_column(title, justify="right")
    for one in found:
        cells = (_correlation_cell(one[name]) for name in ("pearson", "spearman"))
        table.add_row(Text(one["category"] or "all"), *cells, f"{one['models']:,}")
    console.print(table)


def _correlation_cell(one: Mapping[str, Any]) -> str:
    if one["value"] is None:
        return ""
    return f"{one['value']:.2f}" + (f" ({one['low']:.2f} to {one['high']:.2f})" if one["low"] is not None else "")


async def noticed(options: EvaluateOptions, out: Path | None) -> tuple[dict[str, Any], Path]:
    """What the tests of the tasks notice, and the run: every ground truth and every empty gap is tested, and no answer.

    The provider offers nothing, so that a task is testable if its ground truth passes and its empty gap does not.
    """
    nothing = structs.replace(options.settings, provider=ProviderSettings(name="fixed"))
    source = CorpusSource.of(structs.replace(options, settings=nothing))
    summary, folder = await run_sources(source.options, [source], source.summarise, out)
    return {"corpus": options.corpus, **coverage_of_tests(summary)}, folder


def show_audit(found: Mapping[str, Any]) -> None:
    """Print the near-duplicates and how various the tasks are."""
    console, pairs, diversity = SafeConsole(), found["near_duplicates"], found["diversity"]
    limits = pairs["limits"]
    console.print(Text(f"{found['corpus']}: {number_of(found['tasks'], 'task')}", "bold"))
    console.print(
        f"\n{number_of(pairs['pairs'], 'pair')} of near-duplicates, in {number_of(pairs['tasks'], 'task')}: {pairs['by_tokens']} by runs of four tokens "
        f"(above {limits['tokens']:.2f}), {pairs['by_tree']} by syntax trees (above {limits['tree']:.2f})"
    )
    table = Table.grid(padding=(0, 2))
    for pair in pairs["list"][:_PAIRS]:
        table.add_row(f"  {pair['one']}", pair["other"], f"{pair['tokens']:.2f}", f"{pair['tree']:.2f}")
    console.print(table)
    if len(pairs["list"]) > _PAIRS:
        console.print(Text(f"  … and {len(pairs['list']) - _PAIRS:,} more (--json names all)", "dim"))
    if diversity["mean"] is not None:
        console.print(f"\nmean cosine of two tasks of one language and category: {diversity['mean']:.3f}")
        known = sorted((cell for cell in diversity["cells"] if cell["cosine"]), key=lambda cell: -cell["cosine"])
        console.print(Text("  the least various (--json has all)" if len(known) > _CELLS else "  by cell", "dim"))
        for cell in known[:_CELLS]:
            console.print(Text(f"  {cell['cosine']:.3f}  {cell['language']}, {cell['category']}", "dim"))


def show_noticed(found: Mapping[str, Any], folder: Path) -> None:
    """Print how many tasks each language and category has, and what their tests notice."""
    console = SafeConsole()
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(Text(found["corpus"]), no_wrap=True)
    for title in ("tasks", "broken", "unnoticed", "nothing", "not run", "testable"):
        table.add_column(title, justify="right", no_wrap=True)
    for language in found["languages"]:
        table.add_row(*_counted(language["language"], language), style="bold")
        for cell in found["cells"]:
            if cell["language"] == language["language"]:
                table.add_row(*_counted(f"  {cell['category']}", cell))
    table.add_section()
    table.add_row(*_counted("all", found["all"]), style="bold")
    console.print(table)
    for entry in found["left_out"]:
        console.print(Text(f"left out: {left_out_name(found, entry)}: {headline(entry['reason'])}", "yellow"))
    console.print(Text(TESTS_WORDS, "dim"))
    console.print(f"Each task with its programs and logs:\n  ghosttape tui {folder}", style="bold")


def _counted(name: str, row: Mapping[str, Any]) -> Iterator[str]:
    yield shorten(one_line(name), _NAME)
    yield from (f"{row[key]:,}" for key in ("tasks", "broken", "unnoticed", "empty", "not_run"))
    yield f"{row['testable']:,}" + (f" ({percent(row['testable'] / row['tasks'])} %)" if row["tasks"] else "")
