"""The command `judge suggestions`: how relevant and how helpful the suggestions of a run are, by a judge."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from corpora.errors import DataError
from corpora.usefulness import DIMENSIONS, JudgedSuggestion, SuggestionJudges, suggestions_of, usefulness
from corpora.usefulness.usefulness_report import row
from replay.numbers.clusters import cluster_of
from replay.records import Record
from replay.run.catalogue.run_lookup import run_name
from replay.run.folders import RUNS, make_folder
from replay.run.store import Store
from server.judging import TextJudge
from server.settings import ProviderSettings
from tui.commands.options.chat_options import kept_chat
from tui.commands.questions.judge_commands import calibration_words, judge_name, read_calibrations
from tui.console import SafeConsole
from tui.summary_figures import DASH, number_of
from tui.terminal_text import message, one_line
from tui.watching.waiting import Waiting

JUDGED = Path(".ghosttape/judged")
_SHOWN_FAILURES = 5


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """Which suggestions are judged, by whom, and where what the judge says is kept."""

    run: Path
    judge: ProviderSettings
    out: Path | None = None
    """None: a folder of the run's name in `.ghosttape/judged`."""
    limit: int | None = None
    """At most so many tasks (of a tape holes), drawn by the seed; a larger limit keeps those of a smaller one."""
    seed: int = 0
    places: int = 1
    require_recorded: bool = False
    calibrations: Sequence[Path] = ()

    @property
    def folder(self) -> Path:
        """Where what the judge says is kept."""
        known = self.run.absolute().is_relative_to(RUNS.parent.absolute())
        return self.out or JUDGED / (run_name(self.run) if known else self.run.resolve().name)


async def judge_run(asked: JudgedRun) -> dict[str, Any]:
    """Have the suggestions of a run judged; what was said is kept, and the same command goes on there.

    Raises:
        StoreError: the run cannot be read.
        DataError: it has no suggestion.
        ProviderMissing, ProviderError: the judge cannot be started.

    """
    with Store.open(asked.run) as store:
        records, not_answered = suggestions_of(store.records())
    records = _drawn(records, asked.limit, asked.seed)
    if not records:
        raise DataError(asked.run, 0, "has no answer that could be judged")
    calibrations = read_calibrations(asked.calibrations, judge_name(asked.judge), DIMENSIONS)
    make_folder(asked.folder)
    judged = await _judged(asked, records)
    lines = [msgspec.json.encode(row(each)) + b"\n" for each in judged]
    (asked.folder / "suggestions.jsonl").write_bytes(b"".join(lines))
    document = {
        "run": run_name(asked.run),
        "judge": judge_name(asked.judge),
        "not_answered": not_answered,
        **usefulness(judged, asked.seed, calibrations),
        "out": str(asked.folder),
    }
    (asked.folder / "usefulness.json").write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    return document


def _drawn(records: list[Record], limit: int | None, seed: int) -> list[Record]:
    tasks = sorted({cluster_of(record.moment) for record in records})
    random.Random(seed).shuffle(tasks)  # noqa: S311 - a sample, not a secret
    chosen = set(tasks[:limit])
    return [record for record in records if cluster_of(record.moment) in chosen]


async def _judged(asked: JudgedRun, records: Sequence[Record]) -> list[JudgedSuggestion]:
    async with AsyncExitStack() as stack:
        place = asked.folder / "judgements.jsonl"
        chat = await kept_chat(stack, asked.judge, place, require_recorded=asked.require_recorded)
        judges = {name: TextJudge(chat, rubric, seed=asked.seed) for name, rubric in DIMENSIONS.items()}
        waiting = stack.enter_context(Waiting(SafeConsole(stderr=True), "suggestions"))
        done = 0

        def notify(_: JudgedSuggestion) -> None:
            nonlocal done
            done += 1
            waiting.show(f"{done:,} of {len(records):,}", done, len(records))

        return await SuggestionJudges(judges, asked.places).judged(records, notify)


def show_usefulness(document: Mapping[str, Any]) -> None:
    """Print the scores, what they are worth, and what has none."""
    console = SafeConsole()
    told = f"{number_of(document['suggestions'], 'suggestion')} for {number_of(document['tasks'], 'task')}"
    console.print(Text(f"{one_line(document['run'])}: {told}, judged by {one_line(document['judge'])}", "bold"))
    console.print(_table(document))
    for name, found in document["dimensions"].items():
        unparsable = f"; {found['unparsable']:,} without a score, in no mean" if found["unparsable"] else ""
        console.print(f"{name}: {calibration_words(found['calibration'])}{unparsable}")
    if document["empty"]:
        console.print(f"{number_of(document['empty'], 'answer')} without text: 0, and nobody was asked")
    if document["not_answered"]:
        console.print(f"{number_of(document['not_answered'], 'question')} of the run has no answer: not judged")
    for reason, number in list(document["failures"].items())[:_SHOWN_FAILURES]:
        console.print(Text(f"{number_of(number, 'suggestion')} not judged: {message(reason)}", "dim"))
    console.print(
        Text(
            f"A judge executes nothing: read the scores beside the tests. 95 % intervals by {document['resamples']:,} bootstrap resamples of tasks.",
            "dim",
        )
    )
    console.print(Text(f"Every suggestion with its scores: {Path(document['out']) / 'suggestions.jsonl'}", "dim"))


def _table(document: Mapping[str, Any]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False)
    table.add_column("")
    for title in ("both / 10", *(f"{name} / 5" for name in document["dimensions"]), "tasks"):
        table.add_column(title, justify="right")
    sides = [document["total"], *document["dimensions"].values()]
    _add(table, "all", [side["all"] for side in sides])
    for group in ("languages", "categories"):
        for name in document["total"][group]:
            _add(table, name or DASH, [side[group][name] for side in sides])
    return table


def _add(table: Table, name: str, figures: Sequence[Mapping[str, Any]]) -> None:
    table.add_row(one_line(name), *map(_words, figures), f"{figures[0]['n']:,}")


def _words(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return DASH
    interval = "" if figure["low"] is None else f" ({figure['low']:.2f}{DASH}{figure['high']:.2f})"
    return f"{figure['value']:.2f}{interval}"
