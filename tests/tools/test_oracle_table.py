"""What the developer wrote passes under every policy, by the real tests of the demo's projects."""

import random

from corpora.demo.bundled import demo_tapes
from replay.judge.grafts import hole_of
from replay.tapes import tape as tape_files
from replay.tapes.timeline import Timeline
from tools.oracle_table import (
    HEAD,
    PolicyVerdicts,
    drawn,
    first_half,
    first_statement,
    longer,
    spots,
)


def test_a_cut_is_a_beginning_of_what_was_written():
    timeline, luck, shorter = Timeline(tape_files.read(demo_tapes()[0])), random.Random(1), 0
    for spot in spots(timeline, "pause:300"):
        hole = hole_of(timeline, spot.moment, spot.before, spot.after)
        if not isinstance(hole, str):
            rest = hole.final[hole.start :]
            cuts = [cut(timeline, spot, hole, luck) for cut in (first_statement, first_half, longer)]
            assert all(rest.startswith(text) and text for text in cuts)
            shorter += len(cuts[1]) < len(hole.truth)
    assert shorter > 10


def test_a_draw_is_repeatable_and_in_order():
    timeline = Timeline(tape_files.read(demo_tapes()[0]))
    some = drawn(timeline, "every", 20)
    assert some == drawn(timeline, "every", 20)
    assert [spot.moment.event for spot in some] == sorted(spot.moment.event for spot in some)
    assert len(drawn(timeline, "every", None)) > 500


def test_a_row_has_a_cell_for_each_column():
    assert PolicyVerdicts().row("every").count("|") == HEAD.splitlines()[0].count("|")
