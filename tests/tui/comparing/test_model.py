"""What changed at a moment, and which moments are listed in which order."""

import pytest
from msgspec import structs

from replay.records import Ending, Moment, Record, Verdict
from tui.comparing.model import CHANGES, ComparedRuns, PairSelection, change_of, pairs_of


def record(event, verdict, fixed=None, path="a.py", line=0):
    at = Moment(tape="small", event=event, path=path, language="python", offset=0, line=line, character=0, t=1.0)
    judged = None if verdict is None else Verdict(name=verdict, fixed=fixed)
    return Record(moment=at, ending=Ending("shown"), verdict=judged)


@pytest.mark.parametrize(
    ("first", "second", "change"),
    [
        (("passed",), ("passed",), "same"),
        (("syntax",), ("timeout",), "same"),
        (("failed",), ("passed",), "gained"),
        (("passed",), ("crashed",), "lost"),
        (("untestable",), ("passed",), "untested"),
        (("passed",), ("infrastructure",), "untested"),
        ((None,), ("passed",), "untested"),
        (("passed", "failed"), ("passed",), "gained"),
        (("failed", "passed"), ("failed",), "lost"),
    ],
)
def test_a_change_is_by_the_verdict_in_the_hole_that_is_the_same_for_both(first, second, change):
    assert change_of(record(1, *first), record(1, *second)) == change


def runs(*pairs, names=("runs/one", "runs/other")):
    return ComparedRuns({"runs": names}, pairs_of([one for one, _ in pairs], [other for _, other in pairs]))


PAIRS = (
    (record(1, "passed", line=9), record(1, "passed", line=9)),
    (record(2, "failed", line=7), record(2, "passed", line=7)),
    (record(3, "untestable", line=1), record(3, "passed", line=1)),
    (record(4, "passed", line=3), record(4, "syntax", line=3)),
    (record(5, "failed", path="A.py"), record(5, "passed", path="A.py")),
)


def events(selection):
    return [pair.first.moment.event for pair in runs(*PAIRS).select(selection)]


def test_what_changed_comes_first_and_lost_before_gained():
    assert events(PairSelection()) == [4, 2, 5, 1, 3]
    assert dict(runs(*PAIRS).counts()) == {"lost": 1, "gained": 2, "same": 1, "untested": 1}


@pytest.mark.parametrize(("change", "wanted"), [("lost", [4]), ("gained", [2, 5]), ("same", [1]), ("untested", [3])])
def test_a_filter_shows_one_kind_of_change(change, wanted):
    assert events(PairSelection(change)) == wanted
    assert change in CHANGES


@pytest.mark.parametrize(
    ("sort", "wanted"),
    [("moment", [5, 3, 4, 2, 1]), ("A", [2, 5, 1, 4, 3]), ("B", [1, 2, 3, 5, 4])],
)
def test_the_list_is_sorted_by_a_column_and_turned_round(sort, wanted):
    selection = PairSelection().sorted_by(sort)
    assert events(selection) == wanted
    again = selection.sorted_by(sort)
    assert again.descending
    assert not again.sorted_by("change").descending


def test_only_moments_that_both_runs_have_are_listed():
    first, second = [record(1, "passed"), record(2, "passed")], [record(2, "failed"), record(3, "passed")]
    assert [(pair.first.moment.event, pair.change) for pair in pairs_of(first, second)] == [(2, "lost")]


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (("runs/one", "runs/other"), ("one", "other")),
        (("a/demo", "b/demo"), ("a/demo", "b/demo")),
        (("demo", "b/demo"), ("demo", "b/demo")),
        (("demo", "demo"), ("demo", "demo")),
    ],
)
def test_runs_are_named_by_as_much_of_their_path_as_tells_them_apart(folders, names):
    assert runs(*PAIRS, names=folders).names == names


def test_the_pair_keeps_each_record_on_its_side():
    one, other = record(1, "passed"), structs.replace(record(1, "failed"), keys=7)
    [pair] = pairs_of([one], [other])
    assert (pair.first, pair.second) == (one, other)
