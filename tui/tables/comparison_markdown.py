"""A comparison of runs as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from replay.numbers.comparison import LETTERS
from replay.numbers.paired.sentences import front_sentences
from replay.numbers.section import tone_of
from tui.render.markdown import SIGNS, fenced, fold, folded, in_markdown, plain
from tui.summary_figures import adjusted_words, chance_words, net_words, percent, verdict_words
from tui.tables.sections import groups_section, measure_sections, runs_section


def comparison_markdown(found: Mapping[str, Any], changed: int) -> str:
    """Lay out the result of `replay.numbers.comparison.compare_runs`, with so many of the moments that changed of each pair."""
    return "\n".join(_lines(found, changed)) + "\n"


def _lines(found: Mapping[str, Any], changed: int) -> Iterator[str]:
    yield "## ghosttape compare"
    yield ""
    letters = dict(zip([one["runs"][1] for one in found["comparisons"]], LETTERS[1:], strict=False))
    for one in found["unfair"]:
        yield f"> ⚠️ A and {letters[one['runs'][1]]}: {plain(one['says'])}  "
    if found["unfair"]:
        yield ""
    yield from in_markdown(runs_section(found))
    for letter, one in zip(LETTERS[1:], found["comparisons"], strict=False):
        yield from _pair(one, letter, changed)
    if found["fronts"]:
        yield ""
    yield from (f"{line}  " for line in front_sentences(found))


def _pair(found: Mapping[str, Any], letter: str, changed: int) -> Iterator[str]:
    difference = found["difference"]
    sentence = difference["sentence"].replace("B passes", f"{letter} passes", 1)
    yield ""
    yield f"**{SIGNS.get(tone_of(difference['says']), '⚪')} {sentence}** (p {chance_words(difference['p_adjusted']) or 'unknown'}{adjusted_words(difference)})"
    yield ""
    measures, *others = measure_sections(found, letter)
    n, net, p = difference["n"], net_words(difference["net"]), chance_words(difference["p_adjusted"])
    shares = [f"{percent(passed / n)} %" if n else "" for passed in found["passed"]]
    says = {"good": "better", "bad": "worse"}.get(tone_of(difference["says"]), "")
    rows = [["tests passed", *shares, net, p, says], *measures.rows]
    yield from in_markdown(
        replace(measures, rows=rows, note="p below the first row: adjusted by Holm over these measures")
    )
    for section in (*others, groups_section(found, letter)):
        yield from folded(section)
    if found["changed"] and changed:
        lines = _changed(found["changed"], letter, changed)
        yield from fold(f"moments that changed ({len(found['changed']):,})", lines)
    for note in found["notes"]:
        if note not in found["unfair"]:
            yield f"> ⚠️ {plain(note)}  "


def _changed(changed: Sequence[Mapping[str, Any]], letter: str, number: int) -> Iterator[str]:
    for one in changed[:number]:
        yield f"**{plain(one['place'])}**: only {'A' if one['change'] == 'lost' else letter} passes"
        yield ""
        for side, answer in zip(("A", letter), one["answers"], strict=True):
            yield f"{side}, {verdict_words(answer)}:"
            yield from fenced(answer["text"], one["language"])
    if len(changed) > number:
        yield f"… and {len(changed) - number:,} more (`--changed {len(changed)}`)"
