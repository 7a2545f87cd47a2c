"""Gates on the command line: exit statuses, what people are told, and what CI reads."""

import json
import shutil
import xml.etree.ElementTree as ET
from contextlib import chdir

import pytest
from scipy import stats
from typer.testing import CliRunner

from replay.numbers.figures import summary
from replay.records import Ending, Moment, Record, Verdict
from replay.run.folders import RUNS
from replay.run.store import Store
from tui.cli.app import app

SIZE = 400


def invoked(*words, status=0):
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == status, done.output
    return done


def record(at, passes):
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
    return Record(moment=moment, ending=Ending("shown"), verdict=Verdict(name="passed" if passes else "failed"))


def made(name, passes, size=SIZE):
    """A finished run in which these moments pass."""
    records = [record(at, passes(at)) for at in range(size)]
    with Store.create(RUNS / name, {"policy": "blocks", "sources": {"small": "1"}, "seed": 0}) as store:
        store.put_all(records)
        store.put_fact(
            "summary", summary(records, {"small": size}) | {"run": "elsewhere", "left_out": [], "skipped": []}
        )


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    """A folder with runs that pass half of 400 moments, or a little or much more or fewer; one of 20 moments."""
    folder = tmp_path_factory.mktemp("gated")
    with chdir(folder):
        made("base", lambda at: at % 2)
        made("same", lambda at: at % 2)
        made("better", lambda at: at % 2 or at % 8 == 0)
        made("worse", lambda at: at % 2 and at % 8 != 1)
        made("unsure", lambda at: (at % 2 and at % 10 != 1) or at % 10 == 2)
        made("few", lambda at: at % 2, size=20)
    return folder


@pytest.fixture
def runs(made_once, tmp_path, monkeypatch):
    """A copy of those runs, in the folder of the test."""
    shutil.copytree(made_once, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("run", "standing", "status", "strict"),
    [("better", "better", 0, 0), ("same", "equal", 0, 0), ("worse", "worse", 1, 1), ("unsure", "unsure", 0, 1)],
)
def test_the_exit_status_of_a_run_that_is_better_equal_worse_or_unsure(runs, run, standing, status, strict):
    words = ["--fail-if-worse-than", "base", "--margin", "0.02"]
    shown = json.loads(invoked("runs", "show", run, "--json", *words, status=status).stdout)
    assert [gate["standing"] for gate in shown["gates"]] == [standing]
    assert shown["gates"][0]["fails"] == bool(status)
    invoked("runs", "show", run, "--json", *words, "--strict", status=strict)
    invoked("compare", "base", run, *words, status=status)
    invoked("compare", "base", run, *words, "--strict", status=strict)


def test_a_gate_that_fails_is_named_with_its_numbers(runs):
    said = invoked("compare", "base", "worse", "--fail-if-worse-than", "base", status=1).stderr
    assert "✗ not worse than base: gate failed" in said
    assert "it is worse by more than 2 points: -12.5 points in tests passed (95 % -" in said
    said = invoked("runs", "show", "few", "--json", "--fail-under", "pass_at_1=0.6").stderr
    assert "? pass_at_1=0.6: not sure" in said


def test_each_of_several_gates_is_checked(runs):
    words = ["--fail-under", "pass_at_1=0.3", "--fail-under", "moments=400", "--fail-under", "failed=0"]
    said = invoked("runs", "show", "base", "--json", *words).stderr
    assert said.count("✓") == 3
    said = invoked("runs", "show", "base", "--json", *words, "--fail-under", "pass_at_1=0.9", status=1).stderr
    assert (said.count("✓"), said.count("✗ pass_at_1=0.9")) == (3, 1)


def test_what_cannot_be_a_gate_is_refused_before_anything_runs(runs):
    for words, said in [
        (["--fail-under", "speed=1"], "'speed=1' is no gate"),
        (["--fail-if-worse-than", "nobody"], "there is no run 'nobody'"),
        (["--strict"], "are of gates"),
        (["--junit", "a.xml"], "are of gates"),
    ]:
        assert said in invoked("runs", "show", "base", *words, status=2).stderr
        assert said in invoked("replay", "nowhere.tape.jsonl", *words, status=2).stderr
    words = ["--fail-under", "moments=1", "--live"]
    assert "gates and --live exclude each other" in invoked("replay", "nowhere", *words, status=2).stderr


def test_ci_gets_junit_annotations_and_a_summary(runs, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(runs / "summary.md"))
    words = ["--fail-under", "pass_at_1=0.3", "--fail-if-worse-than", "base", "--junit", "out/gates.xml", "--github"]
    done = invoked("compare", "base", "worse", *words, status=1)
    annotations = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert annotations[0].startswith(
        "::notice title=ghosttape%3A pass_at_1=0.3::pass_at_1 must be at least 0.3; 0.375 (95 %25 "
    )
    assert annotations[1].startswith("::error title=ghosttape%3A not worse than base::it is worse")
    cases = list(ET.parse("out/gates.xml").getroot().iter("testcase"))
    assert [case.find("failure") is not None for case in cases] == [False, True]
    text = (runs / "summary.md").read_text(encoding="utf-8")
    assert text.startswith("## ghosttape: worse\n\n| gate | |\n| --- | --- |\n| 🟢 pass\\_at\\_1=0.3 |")
    assert "| 🔴 not worse than base |" in text
    assert "**🔴 B passes 12.5 points fewer, 95 %" in text
    invoked("compare", "base", "same", *words)
    assert (runs / "summary.md").read_text(encoding="utf-8").count("## ghosttape: ") == 2


def test_with_json_annotations_go_to_standard_error(runs):
    done = invoked("runs", "show", "base", "--json", "--fail-under", "moments=401", "--github", status=1)
    assert json.loads(done.stdout)["gates"][0]["outcome"] == "missed"
    assert "::error title=ghosttape%3A moments=401::" in done.stderr


def test_a_finished_run_shows_its_table_again(runs):
    shown = invoked("runs", "show", "base").stdout
    assert "200 of 400" in shown
    assert str(RUNS / "base") in shown


def test_a_run_is_no_baseline_of_itself(runs):
    for words in (
        ["runs", "show", "same"],
        ["compare", "base", "same"],
        ["replay", "demo", "--out", str(RUNS / "same")],
    ):
        said = invoked(*words, "--fail-if-worse-than", "same", status=2).stderr
        assert "same is the run itself, and never worse" in said


def test_a_run_that_was_stopped_is_no_baseline_and_a_comparison_says_so_first(runs):
    with Store.create(RUNS / "stopped", {"policy": "blocks", "sources": {"small": "1"}, "seed": 1}) as store:
        store.put_all([record(at, at % 2) for at in range(60)])
    said = invoked("runs", "show", "same", "--fail-if-worse-than", "stopped", status=2).stderr
    assert "stopped has not come to its end (stopped)" in said
    found = json.loads(invoked("compare", "base", "stopped", "--json").stdout)
    assert [one["says"] for one in found["unfair"]] == [
        "stopped was stopped before its end: only its moments so far are compared",
        "the runs differ in seed: 0 and 1",
    ]


def test_a_gate_beside_other_comparisons_is_adjusted_for_their_number_and_stands_in_the_document(runs):
    words = ["--json", "--fail-if-worse-than", "base"]
    alone = json.loads(invoked("compare", "base", "unsure", *words).stdout)
    three = json.loads(invoked("compare", "base", "same", "unsure", *words).stdout)
    one, both = alone["gates"][0], three["gates"][0]
    assert "for all 2 comparisons together, that is 97.5 % for each" in both["says"]
    ratio = stats.t.ppf(0.9875, 199) / stats.t.ppf(0.975, 199)
    assert (both["high"] - both["value"]) / (one["high"] - one["value"]) == pytest.approx(ratio)


def test_a_gate_of_compare_goes_by_the_clusters_that_compare_is_asked_for(runs):
    words = ["compare", "base", "worse", "--fail-if-worse-than", "base"]
    assert "in 200 holes" in invoked(*words, "--json", status=1).stdout
    one_tape = invoked(*words, "--cluster-by", "tape")  # one tape says nothing of others
    assert "(95 % unknown to unknown, p unknown)" in one_tape.stderr
