"""The table at the end of an evaluation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from corpora.audits.noticing import BY_FILLER, counts_of_tests
from corpora.causes import kind_of
from corpora.corpus import own_sections
from replay.numbers.section import Section
from tui.glossary import UNTESTABLE
from tui.render.terminal import in_terminal
from tui.summary_figures import (
    DASH,
    Summary,
    clusters_words,
    counts,
    latency,
    latency_is_unmeasured,
    mapping,
    number_of,
    percent,
    share_words,
    testable_share,
)
from tui.tables.sections import count_sections, failures_section, instructions_section, machine_section
from tui.terminal_text import headline, message, one_line, shorten

NAME = 28
"""The width of the names of languages and categories, in cells."""
REASON = 200
"""The width that the name of a task or a reason takes at most, in cells."""
LOST = "infrastructure"
FEW_CELLS = 4
"""Up to so many pairs of a language and a category are shown apart by labels."""
NAMED = 12
"""The number of failures that the table names. The inspector and the JSON document have all of them."""

TESTS_WORDS = (
    "broken: the ground truth does not pass here, or only sometimes; unnoticed: the tests pass with an empty gap too; nothing: there is "
    "nothing to fill in; not run: the machine failed, or there is no answer; testable: only there does a verdict on an answer mean something"
)
"""What the columns about the tests of tasks mean."""
_UNTESTABLE = {**UNTESTABLE, BY_FILLER: "the tests pass with only `pass` or `;` here"}
_PUBLISHED = (
    "pass@1 is over testable tasks. all@1 is over all tasks, as benchmarks publish it: what passes counts, even if tests notice nothing "
    "or the ground truth fails."
)


_LABELS = {
    "constructs": "construct",
    "comment": "distance to a comment",
    "reference": "distance to the farthest reference",
}
"""What the tables by labels are called."""
_OVERLAP = "A task counts in each of its constructs."


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: what it says of the figures of some tasks, and in which summaries it stands. A new figure is one entry of `_TASKS` or `_PASSES`."""

    title: str
    """`{k}` in it is the number of samples."""
    value: Callable[[Mapping[str, Any]], str]
    is_shown: Callable[[Mapping[str, Any]], bool] = lambda _: True


def _has_tests(summary: Mapping[str, Any]) -> bool:
    """Return whether programs ran; summaries of before this was written down have tests."""
    return bool(summary.get("tests", True))


def _has_samples(summary: Mapping[str, Any]) -> bool:
    return bool(summary["samples"] > 1)


def _has_all(summary: Mapping[str, Any]) -> bool:
    return "as_published" in summary


def _has_all_samples(summary: Mapping[str, Any]) -> bool:
    return _has_all(summary) and _has_samples(summary)


def scores_table(summary: Mapping[str, Any], by: Sequence[str] = ()) -> RenderableType:
    """Lay out the summary of an evaluation in 80 columns, with the shares that pass by labels (`constructs`, `comment`, `reference`)."""
    return Group(*_parts(summary, by))


def _parts(summary: Mapping[str, Any], by: Sequence[str]) -> Iterator[RenderableType]:
    grids = (("what tests notice", _TASKS), (summary["provider"], _PASSES)) if _has_tests(summary) else ()
    for title, columns in grids:
        yield from in_terminal(_grid(summary, f"{summary['corpus']}, {title}", columns), name=NAME, dense=True)
    for name in by if _has_tests(summary) else ():
        yield from in_terminal(_by_label(summary, name), name=NAME, dense=True)
    for section in own_sections(summary):
        yield from in_terminal(section)
    yield Text("")
    yield from _notes(summary)
    for section in (
        similarity_section(summary),
        *count_sections({"": summary}, summary, without="untestable"),
        _counts("why tasks are untestable", counts(summary, "why_untestable"), _UNTESTABLE),
        _causes(counts(summary, "causes")),
        instructions_section(summary, narrow=True),
        failures_section(summary),
        machine_section(summary),
    ):
        yield from in_terminal(section)
    lost = "tasks that could not be tested on this machine (they do not count)"
    yield from _named(_infrastructure_failures(summary), lost)
    yield from _named(_failed(summary), "tasks with a failure")
    yield from in_terminal(_left_out(summary))


def _grid(summary: Mapping[str, Any], title: str, columns: Sequence[_Column]) -> Section:
    """A row for each language, with its categories under it, and one for all tasks."""
    shown = [column for column in columns if column.is_shown(summary)]
    rows = []
    for language in summary["languages"]:
        rows.append(_line(language["language"], language, shown))
        own = (cell for cell in summary["cells"] if cell["language"] == language["language"])
        rows += [_line(f"  {cell['category']}", cell, shown) for cell in own]
    return Section("", [shorten(title, NAME), *_heads(shown, summary)], [*rows, _line("all", summary, shown)])


def _heads(columns: Sequence[_Column], summary: Mapping[str, Any]) -> Iterator[str]:
    return (column.title.format(k=summary["samples"]) for column in columns)


def _by_label(summary: Mapping[str, Any], name: str) -> Section:
    """A row for each group of tasks under its language and, where there are few, under its category."""
    found = mapping(mapping(summary.get("labels")).get(name))  # runs of earlier versions have none
    groups = found.get("cells" if len(summary["cells"]) <= FEW_CELLS else "languages", ())
    shown = (_OF_GROUP, *(column for column in _PASSES if column.is_shown(summary)))
    rows: list[Sequence[str]] = []
    for place, own in groupby(groups, key=_place):
        rows += [[place], *(_line(f"  {row['group']}", row, shown) for row in own)]
    note = "\n".join(filter(None, (_borders(found), _OVERLAP if name == "constructs" else "")))
    return Section("", [f"{summary['provider']}, by {_LABELS[name]}", *_heads(shown, summary)], rows, note)


def _place(row: Mapping[str, Any]) -> str:
    return " ".join(row[name] for name in ("language", "category") if name in row)


def _borders(found: Mapping[str, Any]) -> str:
    """Return the distances in lines that part the groups, as `up to: python 10, 30; java 30, 100`."""
    named = [f"{_place(one)} {', '.join(f'{last:g}' for last in one['up_to'])}" for one in found.get("borders", ())]
    return f"Lines that part the groups, the nearer one up to: {'; '.join(named)}" if named else ""


def _line(name: str, figures: Mapping[str, Any], columns: Sequence[_Column]) -> Sequence[str]:
    return [name, *(column.value(figures) for column in columns)]


def _count(key: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda figures: f"{counts_of_tests(figures)[key]:,}"


def _passed(figures: Mapping[str, Any]) -> str:
    """Return how many of the testable tasks passed, as `12/22`."""
    return f"{figures['passed']:,}/{figures['testable']:,}"


def _ends(share: Mapping[str, Any]) -> str:
    return "" if share["low"] is None else f"{percent(share['low'])}{DASH}{percent(share['high'])}"


def _most(by_k: Mapping[str, Any]) -> str:
    """Return pass@k of as many answers as there are samples."""
    *_, most = by_k.values()
    return _percent(most)


def _percent(share: Mapping[str, Any]) -> str:
    return "" if share["value"] is None else f"{100 * share['value']:.1f}"


_TASKS = (
    _Column("tasks", _count("tasks")),
    _Column("broken", _count("broken")),
    _Column("unnoticed", _count("unnoticed")),
    _Column("nothing", _count("empty")),
    _Column("not run", _count("not_run")),
    _Column("testable", _count("testable")),
)
"""What can be known from the tasks, before any answer."""
_OF_GROUP = _Column("tasks", lambda figures: f"{figures['tasks']:,}")
"""The number of tasks with a label: of those it is not told which its tests notice."""
_PASSES = (
    _Column("passed", _passed),
    _Column("pass@1", lambda figures: _percent(figures["share"])),
    _Column("95 %", lambda figures: _ends(figures["share"])),
    _Column("pass@{k}", lambda figures: _most(figures["pass_at_k"]), _has_samples),
    _Column("all@1", lambda figures: _percent(figures["as_published"]["share"]), _has_all),
    _Column("95 %", lambda figures: _ends(figures["as_published"]["share"]), _has_all),
    _Column("all@{k}", lambda figures: _most(figures["as_published"]["pass_at_k"]), _has_all_samples),
)
"""What passes: of the testable tasks, and then of all. A judge's figure is one more entry here."""


_SCORINGS: Mapping[str, str] = {
    "cleaned": "the first text that it makes is tested",
    "last": "the last text that it makes is tested",
    "published": "the best of its three texts counts, chosen by the tests",
}


def _notes(summary: Mapping[str, Any]) -> Iterator[RenderableType]:
    if not _has_tests(summary):
        yield Text(f"{summary['tasks']:,} tasks of {summary['corpus']}; no program ran (--no-tests).")
        return
    if share := share_words(testable_share(summary)):
        effect = f", {clusters_words(summary)}" if clusters_words(summary) else ""
        yield Text(f"Of the tasks that were judged {share} are testable{effect}.")
    if "as_published" in summary:
        yield Text(_PUBLISHED)
    if summary["samples"] > 1:
        yield Text(f"A task has passed if at least one of its {summary['samples']} answers passes.")
    if summary.get("programs") == "evaluator":
        yield Text("Programs are put together as the benchmark's evaluator does (--programs editor: at the cursor).")
    scoring = summary.get("scoring", "answer")
    if scoring != "answer":
        yield Text(
            f"The benchmark's post-processor had each answer, as it came (--scoring {scoring}): {_SCORINGS[scoring]}."
        )
    elif not summary.get("repairs", True):
        yield Text("The answers were judged as they came: no repair was on (--repairs all repairs them).")
    contained = summary.get("self_contained")
    if contained and contained["n"]:
        number = f"{contained['n']:,}"
        yield Text(f"{_percent(contained)} % pass of the {number} that lack no network, service, library or tool here.")
    yield Text(TESTS_WORDS, "dim")
    if not latency_is_unmeasured(summary) and (median := latency(summary, "p50")):
        yield Text(f"Latency p50 {median}, p95 {latency(summary, 'p95')}", "dim")


def _counts(title: str, numbers: Mapping[str, int], meanings: Mapping[str, str]) -> Section:
    rows = [[shorten(name, NAME), f"{number:,}", meanings.get(name, "")] for name, number in numbers.items()]
    return Section(title, ["", "number", "meaning"], rows)


def _causes(numbers: Mapping[str, int]) -> Section:
    """Why the ground truth fails: a row for each kind of cause, with its most frequent causes."""
    kinds: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for cause, number in numbers.items():
        kind, _, detail = cause.partition(" ")
        kinds[kind].append((detail, number))
    totals = {kind: sum(number for _, number in found) for kind, found in kinds.items()}
    details = {
        kind: ", ".join(f"{shorten(one_line(detail), NAME)} {number}" for detail, number in found[:3] if detail)
        for kind, found in kinds.items()
    }
    more = {kind: f"{details[kind]}, …" if len(found) > 3 else details[kind] for kind, found in kinds.items()}
    return _counts("why the ground truth fails", totals, more)


def _infrastructure_failures(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = (*summary.get(LOST, ()), *summary["failures"])  # runs of earlier versions have them under failures
    return [one for one in found if one["verdict"] == LOST]


def _failed(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the failures that count against an answer; failures that nothing missing explains come first."""
    failed = (failure for failure in summary["failures"] if failure["verdict"] != LOST)
    return sorted(failed, key=lambda failure: kind_of(failure["cause"]).is_lack)


def _named(failures: Sequence[Mapping[str, Any]], title: str) -> Iterator[RenderableType]:
    """Name each task once, with its first failure."""
    first: dict[str, Mapping[str, Any]] = {}
    for failure in failures:
        first.setdefault(failure["task"], failure)
    if not first:
        return
    yield Padding(Text(f"{title}: {len(first):,}", "bold"), (1, 0, 0, 0), expand=False)
    for failure in islice(first.values(), NAMED):
        why = shorten(one_line(failure["cause"] or failure["verdict"]), REASON)
        yield Text.assemble(f"  {shorten(one_line(failure['task']), REASON)}  ", (why, "yellow"))
        if failure["message"]:
            yield Padding(Text(message(failure["message"]), "dim"), (0, 0, 0, 6))
    if len(first) > NAMED:
        yield Text(f"  … and {len(first) - NAMED:,} more", "dim")


def _left_out(summary: Mapping[str, Any]) -> Section:
    rows = [[left_out_name(summary, entry), headline(entry["reason"])] for entry in summary["left_out"]]
    return Section("left out", ["", "meaning"], rows)


def left_out_name(summary: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    """Return what was left out, with the number of its tasks where that is known: `devbench csharp, 50 tasks`."""
    cells = summary.get("apart", ())  # earlier versions did not count them
    own = (
        f"{summary['corpus']} {cell['language']} {cell.get('repository', '')}".rstrip() == entry["tape"]
        and cell["reason"] == entry["reason"]
        for cell in cells
    )
    number = sum(cell["tasks"] for cell, is_own in zip(cells, own, strict=True) if is_own)
    name = shorten(one_line(entry["tape"]), REASON)
    return f"{name}, {number_of(number, 'task')}" if number else name


# The section that says how alike answers and ground truths are.


def similarity_section(summary: Summary) -> Section:
    """The figures of likeness, with their intervals; no rows if there is no answer, or the run is of an earlier version."""
    found = mapping(summary.get("similarity"))
    n = found["exact"]["n"] if found else 0
    title = f"how alike answers and ground truths are ({n:,} tasks)"
    return Section(title, ["", "value", "meaning"], list(_rows(found)) if n else [])


def _rows(found: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    code, paper, lines = found["code"], found["paper"], found["lines"]
    yield (
        "first line",
        _share(code["first_line"]),
        f"of any answer is the truth's: {number_of(code['matches'], 'task')}",
    )
    yield "", _share(paper["first_line"]), "of all answers"
    yield "cosine", _number(code["cosine"]), "of the words of the first lines"
    yield "", _number(paper["cosine"]), "of the words of the whole answers"
    yield "exact", _share(found["exact"]), "of all answers are the truth"
    yield "edit similarity", _number(found["edit_similarity"]), "of the whole answers"
    yield "lines", f"{lines['answers']:.1f}", f"of an answer; {lines['truths']:.1f} of a truth"


def _share(figure: Mapping[str, Any]) -> str:
    low, high = figure["low"], figure["high"]
    return f"{100 * figure['value']:.1f} %" + (f" ({percent(low)}{DASH}{percent(high)})" if low is not None else "")


def _number(figure: Mapping[str, Any]) -> str:
    low, high = figure["low"], figure["high"]
    return f"{figure['value']:.2f}" + (f" ({low:.2f}{DASH}{high:.2f})" if low is not None else "")
