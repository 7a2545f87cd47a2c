"""The command `experiment`: the cells of a file one after the other, each a run in a folder of its own, and what comes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import msgspec

from corpora.experiments.cells import Cell, counted_as, finished
from corpora.experiments.counting import SharedCounts
from corpora.experiments.experiment_plan import plan
from corpora.experiments.matrix import AXES, slug
from replay.errors import LimitReachedError, ProviderFailsError
from replay.numbers.costs import Price, TokenUse
from replay.options import FREE
from replay.run.catalogue.run_lookup import run_name
from replay.run.folders import OWN, make_folder
from replay.run.run_spending import keep_cost
from replay.run.sharing import QuestionLimits, Sharing
from tui.commands.experiments.experiment_cells import ExperimentCells
from tui.commands.experiments.experiment_file import ExperimentFile
from tui.commands.options.configuration import file_of
from tui.commands.runs.engine_run import run_sources
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.outcome import ExitStatus
from tui.summary_figures import number_of
from tui.terminal_text import message

EXPERIMENTS = Path(OWN, "experiments")
SHARED = "shared"
"""The folder of what the cells have in common; no cell's name is that short, because it ends with its key."""


@dataclass(frozen=True, slots=True)
class ExperimentRequest:
    """What a person wants of an experiment: its file, its folder if another is named, and limits that go over those of the file."""

    file: ExperimentFile
    out: Path | None = None
    max_questions: int | None = None
    max_cost: float | None = None

    @property
    def folder(self) -> Path:
        """The folder of the experiment: the named one, or that of its name."""
        return self.out or EXPERIMENTS / slug(self.file.name)

    @property
    def prices(self) -> dict[str, Price]:
        """Prices by model: those of the file over those of `ghosttape.toml`."""
        return {**file_of(Path()).prices, **self.file.content.prices}

    @property
    def limits(self) -> QuestionLimits:
        """The limits that count."""
        limits = self.file.content.limits
        questions = limits.max_questions if self.max_questions is None else self.max_questions
        return QuestionLimits(questions, limits.max_cost if self.max_cost is None else self.max_cost)

    def check(self, cells: Sequence[Cell]) -> None:
        """Refuse a limit of cost for a model without a price.

        Raises:
            ConfigurationError: names the model.

        """
        if self.limits.cost is None:
            return
        for cell in cells:
            provider = cell.options.settings.provider
            if provider.name not in FREE and provider.model not in self.prices:
                table = f'[prices."{provider.model}"]'
                raise ConfigurationError(
                    f"a limit of cost needs the price of the model {provider.model!r}: {table} with input and output, for a million tokens"
                )


async def run(request: ExperimentRequest, *, quiet: bool) -> dict[str, Any]:
    """Run every cell that is not finished, and give what the experiment comes to, as one JSON document; with `quiet` nothing is printed on standard output.

    Raises:
        ConfigurationError: the file names something that cannot be.
        InterruptedRunError, MachineFails: it was stopped; the same command goes on.

    """
    made, folder = _cells(request), request.folder
    make_folder(folder)
    results, probed, stopped = list[dict[str, Any]](), set[str](), ""
    for number, cell in enumerate(made.cells, 1):
        _say(f"cell {number} of {len(made.cells)}: {cell.name}", "bold")
        place = cell.folder_in(folder)
        sharing = Sharing(folder / SHARED, counted_as(place), request.limits, request.prices, probed)
        results.append(await _one(request.file, cell, place, sharing))
        _count_cost(place, results[-1], sharing)
        stopped = stopped or results[-1].get("failed", "") * results[-1].get("limited", False)
    counts = SharedCounts.of(folder / SHARED, request.prices)
    names = [counted_as(Path(result["run"])) for result in results]
    for name, result in zip(names, results, strict=True):
        result["work"] = msgspec.to_builtins(counts.work(name))
    document = {
        "experiment": request.file.name,
        "folder": str(folder),
        "cells": results,
        "stopped": stopped,
        "work": msgspec.to_builtins(counts.work(*names)),
        "left_out": [{"choice": dict(each.choice), "reason": each.reason} for each in made.omissions],
    }
    if not quiet:
        show(document)
    return document


def _count_cost(folder: Path, result: dict[str, Any], sharing: Sharing) -> None:
    """Put into the summary of a finished cell what it would have cost alone, unless that is there: it was paid at the prices of its time."""
    if "cost" in result.get("summary", {"cost": None}):
        return
    use = SharedCounts.of(sharing.folder, sharing.prices).as_alone(sharing.run)
    if use != TokenUse():
        keep_cost(folder, result["summary"], use)


def planned(request: ExperimentRequest) -> dict[str, Any]:
    """What the experiment would take, as one JSON document; nothing is made, and nothing is asked.

    Raises:
        ConfigurationError: the file names something that cannot be.

    """
    made, folder = _cells(request), request.folder
    plans = plan(made.cells, folder, folder / SHARED, request.prices)
    return {
        "experiment": request.file.name,
        "folder": str(folder),
        "cells": msgspec.to_builtins(plans),
        "left_out": [{"choice": dict(each.choice), "reason": each.reason} for each in made.omissions],
    }


def _cells(request: ExperimentRequest) -> ExperimentCells:
    """The cells, and on standard error what is left out."""
    made = ExperimentCells.of(request.file)
    request.check(made.cells)
    for reason, number in Counter(omission.reason for omission in made.omissions).items():
        _say(f"left out ({number_of(number, 'combination')}): {message(reason)}", "yellow")
    return made


def _say(text: str, style: str = "") -> None:
    SafeConsole(stderr=True).print(text, style=style or None, soft_wrap=True)


async def _one(file: ExperimentFile, cell: Cell, folder: Path, sharing: Sharing) -> dict[str, Any]:
    """Run a cell, unless it is finished. One whose provider fails, or has reached its limit, holds up no other: its run says why it has no end."""
    entry = {"name": cell.name, "choice": dict(cell.choice), "key": cell.key, "run": str(folder)}
    if (known := finished(folder)) is not None:
        _say("  finished before")
        return {**entry, "summary": known}
    again = f"the same command goes on: ghosttape experiment {file.path}"
    try:
        summary, _ = await run_sources(
            cell.options,
            cell.sources,
            cell.summarise,
            folder,
            how_to_go_on=lambda _: again,
            waits=False,
            sharing=sharing,
        )
    except (ProviderFailsError, LimitReachedError) as error:
        _say(message(str(error)), "yellow")
        return {**entry, "failed": str(error), "limited": isinstance(error, LimitReachedError)}
    return {**entry, "summary": summary}


def status_of(result: Mapping[str, Any]) -> ExitStatus:
    """The status of an experiment: the worst of its cells."""
    return max((_status(cell) for cell in result["cells"]), default=ExitStatus.DONE)


def _status(cell: Mapping[str, Any]) -> ExitStatus:
    if "summary" not in cell:
        return ExitStatus.FAILURES if cell["limited"] else ExitStatus.LACKING
    summary = cell["summary"]
    return ExitStatus.of(summary) if "tapes" in summary else ExitStatus.evaluated(summary)


def show(result: Mapping[str, Any]) -> None:
    """Print the table of an experiment, and how to look closer."""
    from tui.tables.experiment import experiment_table

    console = SafeConsole()
    console.print(experiment_table(result))
    console.print(_look_closer(result["cells"]), style="bold", highlight=False, soft_wrap=True)


def _look_closer(cells: Sequence[Mapping[str, Any]]) -> str:
    """Name the commands that show a cell, and that compare the finished cells over what the first of them is over."""
    ended = [cell for cell in cells if "summary" in cell]
    if not ended:
        return "No cell was finished. The same command goes on."
    lines = ["Each cell is a run, as in:", f"  ghosttape tui {quote(ended[0]['run'])}"]
    over = [cell for cell in ended if cell["choice"]["over"] == ended[0]["choice"]["over"]]
    if sides := _sides(over):
        lines += ["Which is better, and how sure that is (--html FILE shows it as a page):"]
        lines += [" \\\n".join(["  ghosttape compare", *(",\\\n".join(map(_named, side)) for side in sides)])]
    elif len(over) > 1:
        lines += ["Policies ask at other moments; all side by side:"]
        lines += [" \\\n    ".join(["  ghosttape report", *(_named(cell["run"]) for cell in over)])]
    return "\n".join(lines)


def _named(run: str) -> str:
    return quote(run_name(Path(run)))


def _sides(cells: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """The runs of cells as sides of a comparison: one for each value of the first axis that has several; on each, in one order, the cells that are equal in all else.

    A cell without such an equal on every side is on none. Cells of several policies share no moments, so policies are no sides.
    """
    axis = next(
        (one for one in AXES if one != "policy" and len({str(cell["choice"][one]) for cell in cells}) > 1), None
    )
    if axis is None:
        return []
    by_value: dict[str, dict[str, str]] = {}
    for cell in cells:
        rest = str({name: value for name, value in cell["choice"].items() if name != axis})
        by_value.setdefault(str(cell["choice"][axis]), {})[rest] = cell["run"]
    first, *others = by_value.values()
    common = [rest for rest in first if all(rest in other for other in others)]
    return [[side[rest] for rest in common] for side in by_value.values()] if common else []


def show_plan(document: Mapping[str, Any]) -> None:
    """Print what an experiment would take."""
    from tui.tables.experiment import plan_table

    SafeConsole().print(plan_table(document))
