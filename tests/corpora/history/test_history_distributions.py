"""The named distributions: what their file and its page say, how keys are told, and what is drawn."""

import random
import re
import statistics

import msgspec
import pytest

from corpora.history.session.distributions import CONTEXTS, Distributions, Lognormals, named_distributions
from replay.tapes import tape
from tests.support.places import ROOT
from tools.commit_distributions import fitted, gaps, measured, strokes

DRAWN = named_distributions()
TABLE = msgspec.to_builtins(DRAWN)
KINDS = ("burst", "pausing", "pause")
NAMED = {f"{kind}.{name}": TABLE[kind][name] for kind in KINDS for name in TABLE[kind]} | {
    name: values for name, values in TABLE.items() if name not in KINDS
}


def test_what_is_not_measured_says_that_it_is_chosen():
    chosen = {name for name, values in NAMED.items() if not values["n"]}
    assert chosen == {"burst.document", "burst.paste", "pausing.paste", "typo_kind", "next_file", "pasted"}
    assert all(NAMED[name]["source"].startswith("chosen") for name in chosen)


def numbers(values):
    """The parameters of a distribution as the documentation writes them."""
    match values:
        case {"parts": [[_, median, sigma]]}:
            return [median, sigma]
        case {"parts": parts}:
            return [number for part in parts for number in part]
        case {"weights": weights}:
            return list(weights.values())
    return [values.get("p", values.get("mean"))]


@pytest.mark.parametrize("name", sorted(NAMED))
def test_the_documentation_has_the_numbers_of_the_file(name):
    text = (ROOT / "docs" / "reference" / "typing.md").read_text(encoding="utf-8")
    [row] = [line for line in text.splitlines() if line.startswith(f"| `{name}` |")]
    *_, parameters, count, _ = (cell.strip().removeprefix("1,000 + ") for cell in row.split("|"))
    assert [float(each) for each in re.findall(r"[\d.]+", parameters)] == numbers(NAMED[name])
    assert count == str(NAMED[name]["n"] or "chosen")


def test_a_mixture_is_found_again_by_its_fit():
    made = Lognormals(source="", n=0, parts=((0.3, 60.0, 0.2), (0.7, 400.0, 0.3)))
    chance = random.Random(3)
    [fast, slow] = fitted([made.draw(chance) for _ in range(2_000)], 2)
    assert fast == pytest.approx((0.3, 60.0, 0.2), rel=0.1)
    assert slow == pytest.approx((0.7, 400.0, 0.3), rel=0.1)


def test_draws_keep_to_the_shift_and_the_end():
    chance = random.Random(1)
    pauses = [DRAWN.pause["in_place"].draw(chance) for _ in range(2_000)]
    assert 1_000 < min(pauses) < 1_100
    assert 60_000 < max(pauses) <= 600_000
    assert max(DRAWN.burst["sign"].draw(chance) for _ in range(2_000)) <= 1_000


def test_counts_have_their_mean_and_shares_their_probability():
    chance = random.Random(2)
    counts = [DRAWN.noticed_after.draw(chance) for _ in range(4_000)]
    assert min(counts) == 1
    assert statistics.mean(counts) == pytest.approx(DRAWN.noticed_after.mean, rel=0.05)
    assert sum(DRAWN.selected.draw(chance) for _ in range(4_000)) / 4_000 == pytest.approx(DRAWN.selected.p, abs=0.03)


def test_a_choice_keeps_to_what_can_be_had():
    chance = random.Random(4)
    assert {DRAWN.next_file.draw(chance) for _ in range(300)} == {"code", "tests", "other"}
    assert {DRAWN.next_file.draw(chance, {"tests", "other"}) for _ in range(300)} == {"tests", "other"}


@pytest.mark.parametrize(("kind", "lacking"), [("burst", "letter"), ("pausing", "paste"), ("pause", "document")])
def test_a_file_that_leaves_a_context_out_is_refused(kind, lacking):
    table = msgspec.to_builtins(DRAWN)
    del table[kind][lacking]
    with pytest.raises(msgspec.ValidationError, match=f"{kind} lacks {lacking}"):
        msgspec.convert(table, Distributions)


def keys(*edits):
    header = tape.Header(tape=1, id="k", editor="e", origin="recorded", workspace=tape.Embedded(), created="2024")
    return tape.Tape(header, tuple(tape.Edit(t, doc, changes) for t, doc, *changes in edits))


@pytest.mark.parametrize(
    ("before", "edit", "context"),
    [
        ((4, 4, "a"), (5, 5, "b"), "letter"),
        ((4, 4, "a"), (5, 5, " "), "sign"),
        ((4, 4, "()"), (5, 5, "b"), "sign"),
        ((4, 4, "()"), (6, 6, ":"), "beside"),
        ((4, 4, "a"), (5, 5, "\n    "), "enter"),
        ((4, 4, "\n    "), (9, 9, "b"), "line"),
        ((4, 4, "\n    \n"), (9, 9, "b"), "line"),
        ((4, 4, "a"), (4, 5, ""), "delete"),
        ((4, 4, "a"), (5, 6, ""), "delete"),
        ((5, 6, ""), (4, 5, ""), "deletes"),
        ((5, 6, ""), (5, 5, "b"), "redo"),
        ((4, 4, "a"), (7, 7, "b"), "beside"),
        ((4, 4, "a"), (9, 9, "b"), "elsewhere"),
        ((4, 4, "more"), (8, 8, "b"), None),
    ],
)
def test_a_key_is_told_by_its_form_and_its_place(before, edit, context):
    [stroke] = strokes(keys((0, 0, before), (100, 0, edit)))
    assert (stroke.context, stroke.gap) == (context, 100)


def test_a_key_in_another_document_is_of_that_context():
    assert [stroke.context for stroke in strokes(keys((0, 0, (1, 1, "a")), (9, 1, (2, 2, "b"))))] == ["document"]


def test_an_enter_that_takes_white_space_away_is_one_key():
    made = keys((0, 0, (4, 4, "\n    ")), (50, 0, (5, 9, ""), (9, 9, "\n    ")), (90, 0, (10, 10, "a")))
    assert [stroke.context for stroke in strokes(made)] == ["enter", "line"]


def test_a_backlog_is_no_key():
    made = keys(*((t, 0, (n, n, "a")) for n, t in enumerate((0, 100, 200, 1_300, 1_400, 1_402, 1_500))))
    assert gaps(made) == {"letter": [100, 100, 1_100, 100, 98]}


def test_a_tape_without_keys_measures_nothing():
    assert measured(keys()) == {}
    assert set(CONTEXTS) >= set(gaps(keys()))
