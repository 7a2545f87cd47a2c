"""The table of two runs, and the command that prints it."""

import io
import json

import pytest
from rich.console import Console
from typer.testing import CliRunner

from replay.records import Ending, Moment, Record, Verdict
from replay.run.store import Store
from tui.cli import app
from tui.tables.comparison import comparison_table

DIFFERENCE = {
    "n": 300,
    "clusters": 41,
    "gained": 40,
    "broken": 12,
    "design_effect": 2.31,
    "net": {"value": 28 / 300, "low": 0.021, "high": 0.166},
    "p": 0.0123,
    "says": "more",
}
FOUND = {
    "runs": ["runs/one", "runs/" + "x" * 90],
    "cluster_by": "hole",
    "asked": 0.05,
    "passed": [100, 128],
    "difference": DIFFERENCE,
    "breakdowns": [{**DIFFERENCE, "by": "language", "group": "python", "p_adjusted": 0.0004}],
    "notes": ["the runs differ in policy: 'a' and 'b'"],
}


def table_of(found):
    console = Console(width=80, file=io.StringIO())
    console.print(comparison_table(found))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    return lines


def printed(found):
    return " ".join(" ".join(table_of(found)).split())


def test_both_shares_their_difference_and_its_clusters_are_named():
    text = printed(FOUND)
    assert "A runs/one 100 of 300, 33 %" in text
    assert "B less A +9.3 (+2.1 to +16.6) p 0.012" in text
    assert "300 in 41 holes, design effect 2.3 only B passes 40, only A 12" in text
    assert "B passes more" in text
    assert "language python 300 in 41 +9.3 (+2.1 to +16.6) <0.001 more" in text
    assert "the runs differ in policy" in text


LARGE = {
    "n": 123_456,
    "clusters": 12_345,
    "gained": 100_000,
    "broken": 123_456,
    "design_effect": 123.45,
    "net": {"value": -1.0, "low": -1.0, "high": 1.0},
    "p": 0.0001,
    "p_adjusted": 0.0001,
}


@pytest.mark.parametrize("by", ["hole", "function", "tape", "program"])
@pytest.mark.parametrize("says", ["more", "fewer", "as many", "too few to tell"])
def test_in_80_columns_no_cell_is_cut_whatever_its_numbers_and_names(by, says):
    groups = [
        {**LARGE, "by": kind, "group": group, "says": says}
        for kind, group in [
            ("tape", "EditSourceTracker.test1.recordin"),
            ("language", "typescript"),
            ("length", "over 80"),
            ("kind", "statement"),
        ]
    ]
    runs = ["runs/" + "a" * 35, "runs/" + "b" * 35]
    parts = {"runs": runs, "passed": [123_456, 123_456], "cluster_by": by, "breakdowns": groups}
    text = printed({**FOUND, **parts, "difference": {**LARGE, "says": says}})
    assert "…" not in text
    assert "A runs/" + "a" * 35 + " 123,456 of 123,456, 100 %" in text
    assert "-100.0 (-100.0 to +100.0) p <0.001" in text
    assert "design effect 123.5 only B passes 100,000, only A 123,456" in text
    short = "too few" if says == "too few to tell" else says
    row = f"123,456 in 12,345 -100.0 (-100.0 to +100.0) <0.001 {short}"
    assert text.count(row) == 4
    for name in ("EditSourceTracke r.test1.recordin", "typescript", "over 80", "statement"):
        assert name in text
    assert "pairs in clusters points (95 %) p B passes" in text


def test_a_name_of_any_length_goes_on_in_the_next_lines_and_moves_no_number():
    named = [{**DIFFERENCE, "by": "tape", "group": "x" * size, "p_adjusted": 0.5} for size in (1, 30, 35, 500)]
    lines = table_of({**FOUND, "runs": ["one", "two"], "breakdowns": named})
    places = [line.index("+9.3") for line in lines if "0.500" in line]
    assert len(places) == 4
    assert len(set(places)) == 1
    assert "".join(lines).count("x") == 1 + 30 + 35 + 34
    assert "".join(lines).count("…") == 1


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("fewer", "B passes fewer"),
        ("as many", "as many pass, to within 5 points"),
        ("too few to tell", "too few to tell: the interval is wider than the 5 points"),
    ],
)
def test_what_it_means_is_said_in_words(says, words):
    assert words in printed({**FOUND, "difference": {**DIFFERENCE, "says": says}})


def test_nothing_shared_is_a_table_too():
    nothing = {**DIFFERENCE, "n": 0, "clusters": 0, "net": dict.fromkeys(("value", "low", "high")), "p": None}
    text = printed({**FOUND, "passed": [0, 0], "difference": {**nothing, "says": "too few to tell"}, "breakdowns": []})
    assert "0 of 0" in text
    assert "0 in 0 holes" in text


@pytest.fixture
def runs(tmp_path):
    """Two runs over the same 24 moments in 12 holes; the second passes everywhere."""
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        with Store.create(folder, {"policy": "blocks", "sources": {"small": "1"}}) as store:
            for at in range(24):
                moment = Moment(
                    tape="small",
                    event=at,
                    path="a.py",
                    language="python",
                    offset=at,
                    line=0,
                    character=at,
                    t=0.0,
                    hole=f"a.py:{at // 2}",
                )
                passed = folder.name == "two" or at < 4
                store.put(
                    Record(
                        moment=moment, ending=Ending("shown"), verdict=Verdict(name="passed" if passed else "failed")
                    )
                )
    return [str(folder) for folder in folders]


def test_compare_prints_one_document(runs):
    done = CliRunner().invoke(app, ["compare", *runs, "--json"])
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["passed"] == [4, 24]
    assert (found["difference"]["clusters"], found["difference"]["gained"]) == (12, 20)
    assert found["difference"]["p"] == pytest.approx(2 / 2**10)
    assert found["difference"]["says"] == "more"


def test_compare_prints_a_table_and_goes_by_the_clusters_that_are_named(runs):
    done = CliRunner().invoke(app, ["compare", *runs, "--cluster-by", "tape"])
    assert done.exit_code == 0
    assert "24 in 1 tape" in done.stdout
    assert "too few to tell" in done.stdout


def test_compare_refuses_what_is_no_run_and_what_is_no_cluster(runs, tmp_path):
    assert CliRunner().invoke(app, ["compare", runs[0], str(tmp_path)]).exit_code == 2
    assert CliRunner().invoke(app, ["compare", *runs, "--cluster-by", "file"]).exit_code == 2
