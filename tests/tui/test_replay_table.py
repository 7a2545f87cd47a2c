import io
import re

import pytest
from rich.console import Console

from tui.tables.replay import nothing_played, replay_table

ONE = {
    "moments": 31,
    "cluster_by": "hole",
    "endings": {"gated": 4, "accepted": 12, "failed": 2},
    "reasons": {"gated(mid-word)": 3, "gated(comment)": 1, "failed([red]refused)": 2},
    "verdicts": {"failed": 14, "passed": 12, "syntax": 5},
    "untestable": {"undetected": 4, "rewritten": 2},
    "metrics": {
        "pass_at_1": {
            "value": 12 / 31,
            "low": 0.237,
            "high": 0.562,
            "n": 31,
            "clusters": 20,
            "design_effect": 1.93,
            "testable": {"value": 31 / 37, "low": 0.69, "high": 0.92, "n": 37},
        },
        "pass_by_hole": {"value": 0.41, "low": 0.229, "high": 0.604, "n": 20},
        "pass_by_length": {
            "1-5": {"value": 0.5, "low": 0.2, "high": 0.8, "n": 10},
            "6-20": {"value": None, "low": None, "high": None, "n": 0},
            "over 80": {"value": 1.0, "low": None, "high": None, "n": 1},
        },
        "keystrokes_saved": {"value": 412, "of": 1200, "low": 0.2, "high": 0.48},
        "latency_ms": {"p50": 143.2, "p90": 800.0, "p95": 1204.1, "p99": 2000.0, "n": 25},
    },
    "left_out": [{"tape": "wobbly", "reason": "flaky: its tests do not end the same way twice"}],
    "unknown": 1,
}


def printed(summary):
    console = Console(width=80, record=True, force_terminal=True, file=io.StringIO())
    console.print(replay_table(summary))
    return console.export_text()


def test_the_figures_of_one_tape_have_a_line_each():
    text = printed({**ONE, "tapes": {"cart": ONE}})
    assert "12 of 31 testable, 39 % (95 % interval 24\N{EN DASH}56 %)" in text
    assert "31 testable, 6 untestable" in text
    assert "412 of 1,200, 34 % (20\N{EN DASH}48 %)" in text
    assert "p50 143 ms, p95 1,204 ms" in text
    assert "wobbly  flaky: its tests do not end the same way twice" in text
    assert "the policy did not let the editor ask here: mid-word 3," in text
    assert text.index("accepted") < text.index("gated")


@pytest.mark.parametrize("tapes", [1, 2, 4])
def test_the_time_of_a_record_is_a_dash(tapes):
    of_a_record = {
        **ONE,
        "metrics": {**ONE["metrics"], "latency_ms": {"p50": None, "p95": None, "n": 25, "note": "read"}},
    }
    lines = printed({**of_a_record, "tapes": {str(at): of_a_record for at in range(tapes)}}).splitlines()
    latencies = [line.split() for line in lines if line.strip().startswith("latency")]
    assert latencies
    assert all("\N{EN DASH}" in words and "ms" not in words for words in latencies)


@pytest.mark.parametrize("tapes", [1, 2])
def test_beside_what_passed_stand_the_testable_share_the_clusters_and_the_share_by_hole(tapes):
    text = " ".join(printed({**ONE, "tapes": {str(at): ONE for at in range(tapes)}}).split())
    assert re.search(r"testable(?: 84 % \(69\N{EN DASH}92 %\))+", text)
    assert "clusters 20 holes" in text
    assert re.search("design effect(?: 1.9)+", text)
    assert "by hole 41 % (23\N{EN DASH}60 %)" in text


def test_many_tapes_have_the_testable_share_beside_what_passed():
    text = printed({**ONE, "tapes": {f"tape-{number}": ONE for number in range(9)}})
    assert re.search(r"tape-3 +31 +84 % +12 of 31, 39 % \(24\N{EN DASH}56 %\)", text)


def test_lengths_that_occur_have_their_share():
    text = printed(ONE)
    section = text[text.index("by length") :].splitlines()[1:3]
    assert [line.split() for line in section] == [
        ["1-5", "characters", "50", "%", "(20\N{EN DASH}80", "%)"],
        ["over", "80", "characters", "100", "%"],
    ]


def test_endings_have_their_share_where_there_is_room_for_it():
    shares = {"endings": {"gated": {"value": 0.13, "low": 0.05, "high": 0.29}}}
    assert "13 % (5\N{EN DASH}29 %)" in printed({**ONE, "shares": shares})


def test_reasons_of_an_ending_are_not_shown_at_a_verdict_of_the_same_name():
    text = printed(ONE)
    assert text.count("[red]refused") == 1


@pytest.mark.parametrize("tapes", [1, 2, 4])
def test_the_reason_of_a_failed_request_is_shown_in_full(tapes):
    reason = "the model server answered 503: " + " ".join(f"word{number}" for number in range(40))
    failing = {**ONE, "reasons": {f"failed({reason})": 7, "failed(refused)": 1}}
    text = printed({**failing, "tapes": {f"tape-{number}": failing for number in range(tapes)}})
    section = text[text.index("why requests failed") :]
    assert " ".join(section.split()).startswith(f"why requests failed 7 {reason} 1 refused tapes left out")


def test_of_many_reasons_the_table_says_how_many_it_does_not_name():
    failing = {**ONE, "reasons": {f"{ending}({number})": 1 for ending in ("failed", "gated") for number in range(9)}}
    text = printed(failing)
    assert "and 4 more (--json names them under reasons)" in text
    assert "4 other reasons" in text


def test_failures_of_the_infrastructure_are_counted_neither_as_testable_nor_as_untestable():
    text = printed({**ONE, "verdicts": {**ONE["verdicts"], "infrastructure": 3}})
    assert "31 testable, 6 untestable, 3 not tested" in text


def test_two_tapes_have_a_column_each_and_a_total():
    other = {"moments": 9, "endings": {"accepted": 1}}
    text = printed({**ONE, "tapes": {"cart": ONE, "[bold]basket": other}})
    assert next(line.split() for line in text.splitlines() if "cart" in line) == ["cart", "[bold]basket", "total"]
    assert ["moments", "31", "9", "31"] in [line.split() for line in text.splitlines()]
    assert ["accepted", "12", "1", "12"] in [line.split() for line in text.splitlines()]
    assert ["testable", "31", "31"] in [line.split() for line in text.splitlines()]
    assert ["untestable", "6", "6"] in [line.split() for line in text.splitlines()]


def test_a_replay_of_which_no_tape_is_left_says_why_in_one_line_each():
    left_out = [
        {"tape": "cart", "reason": "`pytest` (tape) fails. Name another.\nthe log"},
        {"tape": "[b]x", "reason": "no clone"},
    ]
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(nothing_played({"tapes": {}, "left_out": left_out}), soft_wrap=True)
    assert console.export_text().splitlines() == [
        "No tape is left to play, and nothing was asked.",
        "  cart: `pytest` (tape) fails. Name another.",
        "  [b]x: no clone",
    ]


def test_the_table_says_once_where_the_tests_come_from_if_it_is_the_same_for_all_tapes():
    mixed = {"toolchain": "tape", "command": "flag", "requires": "ghosttape.toml and flag", "setup": "ghosttape.toml"}
    words = "flag: command; ghosttape.toml and flag: requires; ghosttape.toml: setup; tape: toolchain"
    same = printed({**ONE, "tests_from": {"one": mixed, "two": mixed}})
    assert f"where the tests come from {words} " in " ".join(same.split()) + " "
    assert same.count("toolchain") == 1
    other = {name: {"command": "tape"} for name in ("two", "three", "four", "five")}
    found = printed({**ONE, "tests_from": {"one": mixed, **other}})
    assert f"{words} (one)" in " ".join(found.split())
    assert "  tape: command (two, three, four and 1 more)" in found


def test_many_tapes_have_a_line_each():
    text = printed({**ONE, "tapes": {f"tape-{number}": ONE for number in range(9)}})
    lines = [line for line in text.splitlines() if "12 of 31, 39 % (24\N{EN DASH}56 %)" in line]
    assert [line.split()[:3] for line in lines] == [[f"tape-{number}", "31", "84"] for number in range(9)]


@pytest.mark.parametrize("tapes", [1, 2, 3, 8])
def test_every_line_fits_80_columns(tapes):
    text = printed({**ONE, "tapes": {f"a-rather-long-name-of-a-tape-{number}": ONE for number in range(tapes)}})
    assert max(len(line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize(
    "summary",
    [
        {},
        {
            "moments": 0,
            "metrics": {"pass_at_1": {"value": None, "low": None, "high": None, "n": 0}, "latency_ms": {"n": 0}},
        },
        {"metrics": {"keystrokes_saved": {"value": 0, "of": 0}}, "tapes": {"a": {}, "b": {}}},
    ],
)
def test_what_was_not_measured_is_left_out(summary):
    text = printed(summary)
    assert "tests passed" not in text
    assert "keystrokes" not in text
    assert "latency" not in text


@pytest.mark.parametrize("tapes", [1, 2])
def test_what_passed_in_time_is_shown_where_answers_were_late_or_missed(tapes):
    share = {"value": 9 / 88, "low": 0.05, "high": 0.18, "n": 88, "too_late": 5, "unanswered": 3}
    late = {**ONE, "metrics": {**ONE["metrics"], "passed_in_time": share}}
    text = printed({**late, "tapes": {str(at): late for at in range(tapes)}})
    wide = "9 of 88 testable, 10 %; 5 passed too late; 3 without an answer"
    assert (wide if tapes == 1 else "9 of 88") in " ".join(text.split())
    quick = {**share, "n": 31, "too_late": 0, "unanswered": 0}
    assert "in time" not in printed({**ONE, "metrics": {**ONE["metrics"], "passed_in_time": quick}})


def test_the_table_says_that_latencies_were_measured_on_a_busy_machine():
    said = "the machine was busy when the run began: load 3.0 on 2 processors"
    assert said in " ".join(printed({**ONE, "machine": {"calibrations": [], "warnings": [said]}}).split())
    assert "machine" not in printed({**ONE, "machine": {"calibrations": [], "warnings": []}})


@pytest.mark.parametrize(
    ("share", "said"),
    [
        ({"value": 1.0, "low": 0.438, "high": 1.0, "n": 3, "clusters": 3}, "All pass: 3 holes that end alike cannot tell 100 % from 44 %."),
        ({"value": 0.0, "low": 0.0, "high": 0.21, "n": 40, "clusters": 14}, "None passes: 14 holes that end alike cannot tell 0 % from 21 %."),
        ({"value": 1.0, "low": 0.207, "high": 1.0, "n": 1, "clusters": 1}, "All pass: 1 hole cannot tell 100 % from 21 %."),
        ({"value": 1.0, "low": 0.93, "high": 1.0, "n": 60, "clusters": 50}, ""),
        ({"value": 1.0, "low": None, "high": None, "n": 9, "clusters": 1}, ""),
        ({"value": 0.5, "low": 0.1, "high": 0.9, "n": 4, "clusters": 4}, ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tapes", [1, 2, 4])
def test_why_an_interval_is_wide_is_said_where_all_moments_end_alike(share, said, tapes):
    one = {**ONE, "metrics": {**ONE["metrics"], "pass_at_1": share}}
    text = printed({**one, "tapes": {f"tape-{n}": one for n in range(tapes)}})
    assert (said in text) if said else ("cannot tell" not in text)
    assert text.count("cannot tell") == bool(said)
