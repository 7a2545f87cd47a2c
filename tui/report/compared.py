"""The comparison of a report's runs: each with the first, by `replay.numbers.comparison.compare_runs`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from replay.numbers.comparison import LETTERS, ComparedRun, compare_runs, figures_of
from replay.numbers.paired.fronts import fronts
from replay.numbers.paired.moments import shared_moments
from replay.numbers.paired.sentences import front_sentences, side_names
from tui.render.section import Section
from tui.report.reported import ReportedRun
from tui.tables.sections import groups_section, measure_sections, passes_section
from tui.terminal_text import one_line

ASKED = 0.05
"""The least difference that matters, as a share: what `ghosttape compare` takes by default."""


_STATES = {"": "finished", "still running": "being written", "stopped before its end": "stopped"}


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """What one side does against the first: a sentence, what makes them hard to compare, and sections."""

    title: str
    notes: Sequence[str]
    sentences: Sequence[str]
    sections: Sequence[Section] = ()


@dataclass(frozen=True, slots=True)
class ReportComparisons:
    """All that a page says of how runs compare; `labels` are what the runs are called, in their order."""

    labels: Sequence[str]
    each: Sequence[ReportComparison]
    fronts: Sequence[str]


def comparisons(runs: Sequence[ReportedRun], found: Mapping[str, Any] | None = None) -> ReportComparisons:
    """Lay out the document of `replay.numbers.comparison.compare_sides` over the runs; without one each run is compared with the first, and those that share no moment with it are named."""
    if found is not None:
        first, *others = side_names(found)
        told = [
            _compared(first, name, letter, one)
            for letter, name, one in zip(LETTERS[1:], others, found["comparisons"], strict=False)
        ]
        return ReportComparisons([run["label"] for run in found["runs"]], told, list(front_sentences(found)))
    kept = [ComparedRun(run.name, run.config, run.records, run.summary, run.by, _STATES[run.state]) for run in runs]
    labelled = [{"label": LETTERS[at % 26], **figures_of(run), "name": LETTERS[at % 26]} for at, run in enumerate(kept)]
    lines = list(front_sentences({"runs": labelled, "fronts": fronts(labelled)}))
    return ReportComparisons([run["label"] for run in labelled], _with_first(kept), lines)


def _with_first(kept: Sequence[ComparedRun]) -> list[ReportComparison]:
    sharing = [run for run in kept[1:] if shared_moments(kept[0].records, run.records)]
    found = iter(compare_runs([kept[0], *sharing], None, ASKED)["comparisons"] if sharing else [])
    return [
        _compared(kept[0].name, run.name, letter, next(found) if run in sharing else None)
        for letter, run in zip(LETTERS[1:], kept[1:], strict=False)
    ]


def _compared(first: str, second: str, letter: str, found: Mapping[str, Any] | None) -> ReportComparison:
    title = f"{letter} ({one_line(second)}) less A ({one_line(first)})"
    if found is None:
        return ReportComparison(title, [], ["The two runs have no moment in common, so they cannot be compared."])
    sentence = str(found["difference"]["sentence"]).replace("B passes", f"{letter} passes", 1)
    notes = [one_line(note) for note in found["notes"]]
    return ReportComparison(
        title,
        notes,
        [f"{sentence[0].upper()}{one_line(sentence[1:])}."],
        [section for section in _sections(found, letter) if section.rows],
    )


def _sections(found: Mapping[str, Any], letter: str) -> Iterator[Section]:
    yield passes_section(found, letter)
    yield from measure_sections(found, letter)
    yield groups_section(found, letter)
