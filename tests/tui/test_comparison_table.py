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


def printed(found):
    console = Console(width=80, file=io.StringIO())
    console.print(comparison_table(found))
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    return " ".join(text.split())


def test_both_shares_their_difference_and_its_clusters_are_named():
    text = printed(FOUND)
    assert "A runs/one 100 of 300, 33 %" in text
    assert "B less A +9.3 (+2.1 to +16.6) p 0.012" in text
    assert "300 in 41 holes, design effect 2.3 only B passes 40, only A 12" in text
    assert "B passes more" in text
    assert "language python 300 41 +9.3 (+2.1 to +16.6) <0.001 more" in text
    assert "the runs differ in policy" in text


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
