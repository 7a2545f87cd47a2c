"""What the screen of two runs says: the figures on top, the filter, the groups, and the pages of one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import structs
from rich.cells import cell_len
from textual.content import Content

from replay.numbers.clusters import NAMES
from replay.numbers.paired.paired_moments import fixed_verdict
from replay.records import Record
from tui.comparing.model import CHANGES, ComparedRuns, MomentPair, PairSelection, place_of
from tui.glossary import VERDICTS, adherence_told, block_label, describe_ending, describe_verdict
from tui.inspector.code import code_with_suggestion
from tui.inspector.diff import diff
from tui.summary_figures import chance_words, difference_sentence, net_words, percent
from tui.terminal_text import bounded, message, one_line, shorten

FAINT, HEAD = "$faint", "bold $heading"
STYLES = {"gained": "$text-success", "lost": "$text-error", "same": "", "untested": FAINT}
"""How each change is coloured; its sign says it too."""
_BEFORE, _AFTER = 5, 8
"""The lines of code above the cursor, and below, that are shown: two runs have the same ones."""
_SAYS = {"more": "$text-success", "fewer": "$text-error", "too few to tell": "$text-warning"}


def headline(runs: ComparedRuns, width: int) -> Content:
    """Name both runs with what passes, their difference with its interval, and what that means."""
    difference, asked = runs.found["difference"], runs.found["asked"]
    sides = [_side(letter, name, passed, difference["n"], width) for letter, name, passed in _named(runs)]
    gap = Content("   ")
    together = sum(side.cell_length for side in sides) + gap.cell_length <= width
    says = Content(difference_sentence(difference["says"], asked)).stylize(
        f"bold {_SAYS.get(difference['says'], '')}".strip()
    )
    lines = [gap.join(sides)] if together else sides
    return Content("\n").join([*lines, _difference(runs.found), says, *_note(runs.found["notes"])])


def filter_line(runs: ComparedRuns, wanted: PairSelection, matching: str = "") -> Content:
    """The filters with their keys and counts, to be clicked too, the order of the list, and how much the search finds."""
    counts = runs.counts()
    parts = [_choice("a", "all", len(runs.pairs), "show('')", chosen=wanted.change is None)]
    for name, (sign, _) in CHANGES.items():
        parts.append(_choice(sign, name, counts[name], f"show('{name}')", chosen=wanted.change == name))
    order = f"by {wanted.sort} {'▼' if wanted.descending else '▲'}"
    order += f'  with "{shorten(one_line(wanted.text), 20)}"' if wanted.text else f"  {matching}" if matching else ""
    return Content("  ").join([*parts, Content(order).stylize(FAINT)])


def pair_line(pair: MomentPair | None) -> Content:
    """Where the chosen moment is, and what changed there."""
    if pair is None:
        return Content("No moment is shown. a shows all.")
    sign, meaning = CHANGES[pair.change]
    block, tape = one_line(block_label(pair.first)), shorten(one_line(pair.first.moment.tape), 24)
    return Content.assemble(
        (f"{sign} {pair.change}", f"bold {STYLES[pair.change]}".strip()),
        f": {meaning}  ",
        (one_line(place_of(pair)), "bold"),
        (f"  {block}  {tape}", FAINT),
    )


def side_line(letter: str, record: Record) -> Content:
    """How one run's moment ended, and its verdict."""
    verdict = fixed_verdict(record) or "not tested"
    style = {"passed": "$text-success", "untestable": "$text-warning"}.get(verdict, "$text-error")
    return Content.assemble(
        (f"{letter} ", HEAD), (one_line(verdict), style), (f"  {one_line(str(record.ending))}", FAINT)
    )


def suggestion_page(record: Record) -> Content:
    """The code around the cursor with the suggestion in it, or why there is none."""
    moment = record.moment
    near = structs.replace(
        moment, before=_last_lines(moment.before, _BEFORE), after="\n".join(moment.after.split("\n")[:_AFTER])
    )
    code = code_with_suggestion(near, record.suggestion).content
    if record.suggestion and record.suggestion.text:
        return code
    return Content("\n").join(
        [Content(bounded(f"No suggestion. {describe_ending(record.ending)}.")), Content(""), code]
    )


def tests_page(record: Record) -> Content:
    """The verdict with its message, and the log of the test run."""
    verdict = record.verdict
    if verdict is None:
        return Content("The graft was not tested.").stylize(FAINT)
    counts = [
        f"{number:,} {word}" for number, word in ((verdict.passed, "passed"), (verdict.failed, "failed")) if number
    ]
    parts = [Content(bounded(describe_verdict(verdict))).stylize("bold")]
    if verdict.fixed and verdict.fixed != verdict.name:
        same = f"In the hole that is the same for both runs, {verdict.fixed}: {VERDICTS.get(verdict.fixed, '')}."
        parts.append(Content(bounded(same)).stylize("$text-warning"))
    parts += [Content(", ".join(counts)).stylize(FAINT)] if counts else []
    parts += [Content(bounded(verdict.message))] if verdict.message else []
    parts += [
        Content(one_line(f"{name}: {', '.join(ids)}")).stylize(FAINT) for name, ids in adherence_told(verdict).items()
    ]
    parts += (
        [Content(""), Content("Log of the test run").stylize(HEAD), Content(bounded(verdict.log))]
        if verdict.log
        else []
    )
    return Content("\n").join(parts)


def difference_page(pair: MomentPair) -> Content:
    """How the suggestion of B differs from that of A, and each from what the developer wrote."""
    first, second = (record.suggestion.text if record.suggestion else "" for record in (pair.first, pair.second))
    parts = [Content("From the suggestion of A (-) to that of B (+)").stylize(HEAD), diff(first, second)]
    for letter, text in (("A", first), ("B", second)):
        title = f"From the ground truth (-) to the suggestion of {letter} (+)"
        parts += [Content(""), Content(title).stylize(HEAD), diff(pair.first.moment.truth, text)]
    return Content("\n").join(parts)


def groups_page(found: Mapping[str, Any]) -> Content:
    """All notes on the two runs, and the difference in each group of moments, a line each."""
    parts = [Content("What to know of these runs").stylize(HEAD)]
    parts += [Content(message(note)).stylize("$text-warning") for note in found["notes"]] or [Content("nothing odd")]
    parts += [
        Content(""),
        Content("B less A in groups (p adjusted by Holm)").stylize(HEAD),
    ]
    parts += list(_groups(found)) or [Content("no breakdown has several groups")]
    if found["instructions"]:
        title = "Adherence to instructions of developers, B less A (p adjusted by Holm)"
        parts += [Content(""), Content(title).stylize(HEAD), *_instructions(found["instructions"])]
    parts += [
        Content(""),
        Content("Verdicts are those in a hole that is the same for both runs.\nEscape closes this.").stylize(FAINT),
    ]
    return Content("\n").join(parts)


def _groups(found: Mapping[str, Any]) -> Iterator[Content]:
    if found["breakdowns"]:
        yield Content(f"{'':<20}{'pairs':>7}{'points (95 %)':>26}{'p':>7}  B passes").stylize(FAINT)
    for one in found["breakdowns"]:
        name = shorten(one_line(f"{one['by']} {one['group']}"), 20)
        name += " " * (20 - cell_len(name))
        numbers = f"{one['n']:>7,}{net_words(one['net']):>26}{chance_words(one['p_adjusted']):>7}  "
        yield Content.assemble(name, numbers, (one["says"].removesuffix(" to tell"), _SAYS.get(one["says"], "")))


def _instructions(measures: Sequence[Mapping[str, Any]]) -> Iterator[Content]:
    for one in measures:
        name = shorten(one_line(one["metric"]), 34)
        name += " " * (34 - cell_len(name))
        style = {"better": "$text-success", "worse": "$text-error"}.get(one["says"], "")
        numbers = f"{net_words(one['net']):>23}{chance_words(one['p_adjusted']):>7}  "
        yield Content.assemble(name, numbers, (one["says"] if style else "", style))


def _named(runs: ComparedRuns) -> Iterator[tuple[str, str, int]]:
    yield from zip("AB", runs.names, runs.found["passed"], strict=True)


def _side(letter: str, name: str, passed: int, n: int, width: int) -> Content:
    share = f"{passed:,} of {n:,} pass" + (f", {percent(passed / n)} %" if n else "")
    fitted = shorten(one_line(name), max(12, width - len(share) - 6), keep_end=True)
    return Content.assemble((f"{letter} ", HEAD), (fitted, "bold"), f"  {share}")


def _difference(found: Mapping[str, Any]) -> Content:
    difference = found["difference"]
    clusters = difference["clusters"]
    by = NAMES[found["cluster_by"]] if clusters != 1 else found["cluster_by"]
    value, _, ends = net_words(difference["net"]).partition(" (")
    figures = [f"{value} points" + (f" (95 %: {ends}" if ends else "")] if value else ["none"]
    figures += [f"p {chance_words(difference['p'])}"] if difference["p"] is not None else []
    return Content.assemble(
        ("B less A ", HEAD), ", ".join(figures), (f"; {difference['n']:,} pairs in {clusters:,} {by}", FAINT)
    )


def _note(notes: list[str]) -> list[Content]:
    if not notes:
        return []
    more = f" (and {len(notes) - 1:,} more)" if len(notes) > 1 else ""
    return [Content(f"{shorten(one_line(notes[0]), 200)}{more}: i").stylize("$text-warning")]


def _choice(key: str, name: str, count: int, action: str, *, chosen: bool) -> Content:
    words = Content.assemble((f"{key} ", "bold"), f"{name} {count:,}")
    return words.stylize(f"{'reverse ' if chosen else ''}@click=app.{action}")


def _last_lines(text: str, count: int) -> str:
    return "\n".join(text.split("\n")[-count:])
