"""The command `corpora mine`: a repository in, a corpus of tasks that its tests notice out."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import msgspec
from rich.table import Table
from rich.text import Text

from corpora.corpus import LANGUAGE_NAMES
from corpora.errors import DataError
from corpora.evaluation_options import EvaluateOptions
from corpora.mined.checkout import Checkout
from corpora.mined.corpus_file import MINED_BY, GapKind, MinedCategory, MinedHead, MinedLine, is_like, write_corpus
from corpora.mining.gap_selection import FoundGaps, GapChoice, draw_evenly, find_gaps
from corpora.mining.mining_funnel import (
    STAGES,
    MiningFolder,
    by_constant,
    head_of,
    not_constant,
    noticed,
    stages_of,
    verdicts_of,
)
from corpora.mining.source_repository import how_tested, open_repository
from corpora.run.source import CorpusSource
from replay.options import ReplayOptions
from replay.records import Record, Verdict
from replay.run.engine import cache_folder
from replay.run.findings import Findings
from runners.errors import ToolchainMissing
from server.nearest import did_you_mean
from server.settings import ProviderSettings, Settings
from server.version import version
from syntax.languages import LANGUAGES
from tui.commands.options.configuration import FILE, file_of
from tui.commands.runs.engine_run import run_sources
from tui.console import SafeConsole
from tui.declared_flags import words
from tui.errors import ConfigurationError, TuiError
from tui.outcome import ExitStatus
from tui.summary_figures import number_of, origins_words
from tui.terminal_text import headline, one_line
from tui.watching.waiting import Waiting

_NAMED = 3
"""How many files without text are named."""


@dataclass(frozen=True, slots=True)
class MiningRequest:
    """The arguments of `corpora mine`."""

    repository: Path
    out: Path
    name: str
    choice: GapChoice
    limit: int | None
    seed: int
    testing: ReplayOptions
    """How the repository is tested: toolchain, set-up, command, sandbox, what the set-up may have."""
    force: bool

    @property
    def asked(self) -> dict[str, str]:
        """What was chosen, as the head of the corpus has it."""
        chosen = {
            "languages": ",".join(self.choice.languages),
            "kinds": ",".join(self.choice.kinds),
            "categories": ",".join(self.choice.categories),
            "lines": str(self.choice.lines),
            "paths": ",".join(self.choice.paths),
            "excluded": ",".join(self.choice.excluded),
            "limit": "" if self.limit is None else str(self.limit),
            "seed": str(self.seed),
        }
        return {MINED_BY: version(), **{name: value for name, value in chosen.items() if value}}


def choice_of(
    languages: str,
    kinds: str,
    categories: str,
    lines: int,
    *,
    paths: Sequence[str] | None = None,
    excluded: Sequence[str] | None = None,
) -> GapChoice:
    """Which gaps are wanted.

    Raises:
        ConfigurationError: a language, a kind or a category is not known.

    """
    return GapChoice(
        _known([LANGUAGE_NAMES.get(word, word) for word in words(languages)], tuple(LANGUAGES), "language"),
        _known(words(kinds), get_args(GapKind), "kind of gap"),
        _known(words(categories), get_args(MinedCategory), "category"),
        lines,
        tuple(paths or ()),
        tuple(excluded or ()),
    )


def _known(named: Sequence[str], known: Sequence[str], what: str) -> tuple[Any, ...]:
    if unknown := next((name for name in named if name not in known), ""):
        raise ConfigurationError(
            f"no {what} is called {unknown!r}{did_you_mean(unknown, known)}: choose one of {', '.join(known)}"
        )
    return tuple(name for name in known if name in named)


async def mine(request: MiningRequest) -> dict[str, Any]:
    """Find gaps, test each, and write those that the tests notice; the result as one JSON document.

    Raises:
        CorpusError, ReplayError, RunnerError, ConfigurationError: the repository, its tests or the file are not usable.
        InterruptedRunError: it was stopped; the same command goes on.

    """
    request = _without_other_file(request)
    with Waiting(SafeConsole(stderr=True), f"{request.repository}: its files are read"):
        own, checkout = open_repository(request.repository, [request.out, cache_folder()])
    name, (tests, origins) = _checked_name(request.name or own), how_tested(checkout, request.testing)
    found = _found(checkout, request)
    lines = draw_evenly(found.lines, request.limit, request.seed)
    _refuse_other(request, head_of(name, checkout, tests, [], asked=request.asked, stages={}))
    head = head_of(name, checkout, tests, lines, asked={}, stages={})
    trial = _Trial(MiningFolder.of(head, lines, request.testing), head, request.testing)
    kept, ends = noticed(lines, await trial.verdicts(lines))
    for answer, conditions in by_constant(kept).items():
        kept, more = not_constant(kept, await trial.verdicts(conditions, answer))
        ends += more
    stages = stages_of(found, len(lines), ends | {"kept": len(kept)})
    if kept:
        write_corpus(request.out, head_of(name, checkout, tests, kept, asked=request.asked, stages=stages), kept)
    return {
        "corpus": name,
        "file": str(request.out) if kept else "",
        "repository": str(checkout.folder),
        "commit": checkout.commit,
        "tests": tests,
        "tests_from": origins,
        "files": len(found.files),
        "no_text": list(checkout.binary),
        "skipped": dict(found.skipped),
        "stages": stages,
        "kept": _counted(kept),
        "run": str(trial.folder.run()),
    }


def _without_other_file(request: MiningRequest) -> MiningRequest:
    """The request without `[tests]` of the current folder's file if `try --save` wrote that for another repository; says so."""
    if not file_of(Path()).is_of_another(request.repository):
        return request
    said = f"[tests] of {FILE} in the current folder does not count: it is not of this repository"
    SafeConsole(stderr=True).print(Text(said, "yellow"), soft_wrap=True)
    return replace(request, testing=msgspec.structs.replace(request.testing, project_tests=None))


def _found(checkout: Checkout, request: MiningRequest) -> FoundGaps:
    with Waiting(SafeConsole(stderr=True), "gaps are looked for") as waiting:
        found = find_gaps(checkout.files, request.choice, waiting.show)
    if not found.lines:
        skipped = ", ".join(f"{number_of(number, 'file')}: {reason}" for reason, number in found.skipped.items())
        searched = f"{number_of(len(found.files), 'file')} searched" + (f"; left out {skipped}" if skipped else "")
        chosen = request.choice.paths or request.choice.excluded
        see = "--path and --exclude" if chosen and not found.files else "--languages, --kinds and --max-lines"
        raise DataError(request.repository, 0, f"there is no gap to try ({searched}): see {see}")
    return found


@dataclass(frozen=True, slots=True)
class _Trial:
    """Tests gaps with the same answer in each: nothing, or a constant."""

    folder: MiningFolder
    head: MinedHead
    testing: ReplayOptions

    async def verdicts(self, lines: Sequence[MinedLine], answer: str = "") -> Mapping[str, Verdict]:
        """The verdict on the answer in each gap, by its name."""
        data = self.folder.corpus(answer)
        write_corpus(data, self.head, lines)
        source, records = CorpusSource.of(self._options(data, answer)), list[Record]()

        def summarise(options: EvaluateOptions, found: Findings) -> dict[str, Any]:
            records.extend(found.records)
            return source.summarise(options, found)

        run = self.folder.run(answer)
        summary, _ = await run_sources(source.options, [source], summarise, run, how_to_go_on=_how_to_go_on)
        _refuse_untested(summary)
        return verdicts_of(source.tasks, records)

    def _options(self, data: Path, answer: str) -> EvaluateOptions:
        return EvaluateOptions(
            corpus=self.head.name,
            data=str(data),
            settings=Settings(provider=ProviderSettings(name="fixed", text=answer), repairs=()),
            sandbox=self.testing.sandbox,
            cluster_by="function",
            network_setup=self.testing.network_setup,
            setup_env=self.testing.setup_env,
        )


def _how_to_go_on(folder: Path) -> str:
    return f"what was decided is kept in {folder.parent}: the same command goes on from there"


def _refuse_untested(summary: Mapping[str, Any]) -> None:
    """Stop where the repository could not be tested at all; why was said when it happened."""
    for entry in summary["left_out"]:
        reason = f"nothing was mined: {headline(entry['reason'])}"
        raise ToolchainMissing(reason) if entry["why"] == "lacking" else TuiError(reason)


def _checked_name(name: str) -> str:
    if not name.isprintable() or "/" in name or name.strip(". ") == "":
        raise ConfigurationError(f"--name {name!r}: a corpus is named by printable characters without a slash")
    return name


def _refuse_other(request: MiningRequest, head: MinedHead) -> None:
    """Refuse, before anything is tested, to replace anything but what the same command made of the same repository, and a folder that takes no file."""
    request.out.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(request.out.parent, os.W_OK):
        raise ConfigurationError(f"{request.out.parent}: no file can be written there: name another folder (-o)")
    if request.force or not request.out.exists():
        return
    if request.out.is_dir() or not is_like(request.out, head):
        raise ConfigurationError(
            f"{request.out} exists already, and is not of this mining: name another file (-o), or replace it (--force)"
        )


def _counted(kept: Sequence[MinedLine]) -> dict[str, Counter[str]]:
    """What was kept, as numbers of tasks."""
    return {
        "categories": Counter(line.category for line in kept),
        "kinds": Counter(line.kind for line in kept),
        "languages": Counter(line.language for line in kept),
        "noticed": Counter(line.noticed for line in kept),
    }


def show_mined(found: Mapping[str, Any]) -> None:
    """Print how many gaps came how far, what was kept, and what can be done with it."""
    console, stages = SafeConsole(), found["stages"]
    searched = f"{number_of(stages['found'], 'gap')} in {number_of(found['files'], 'file')}"
    console.print(Text(f"{one_line(found['corpus'])}: {searched}", "bold"))
    table = Table.grid(padding=(0, 2))
    for stage, meaning in STAGES.items():
        table.add_row(f"  {stage}", Text(f"{stages[stage]:,}", "bold"), Text(meaning, "dim"))
    console.print(table)
    for reason, number in found["skipped"].items():
        console.print(Text(f"  not searched: {number_of(number, 'file')}: {reason}", "dim"))
    if found["no_text"]:
        console.print(Text(f"  no UTF-8 text and too large, so tested without: {_named(found['no_text'])}", "yellow"))
    console.print(Text(f"  how it is tested: {origins_words(found['tests_from'])}", "dim"))
    for title in ("categories", "kinds", "noticed"):
        said = ", ".join(f"{name} {number:,}" for name, number in sorted(found["kept"][title].items()))
        console.print(Text(f"  kept by {_TITLES[title]}: {said or 'none'}", "dim"))
    if found["file"]:
        name = shlex.quote(found["file"])
        console.print(f"The tasks: ghosttape evaluate {name} --provider oracle", style="bold", highlight=False)
    console.print(Text(f"Each gap with its log: ghosttape tui {shlex.quote(found['run'])}", "dim"))


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    return ", ".join(one_line(path) for path in paths[:_NAMED]) + more


def status_of(found: Mapping[str, Any]) -> ExitStatus:
    """`FAILURES` if nothing was kept, or if a gap could not be tested; the same command tests it."""
    return ExitStatus.FAILURES if not found["file"] or found["stages"]["untested"] else ExitStatus.DONE


_TITLES = {"categories": "category", "kinds": "kind", "noticed": "how the tests noticed it"}
