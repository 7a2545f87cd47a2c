"""`ghosttape corpora` as a person types it: what there is, the data of a benchmark, and what its tasks are like."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.places import SCRIPT
from tests.support.simcopilot_data import STAIRS, STAIRS_CASES, checkpoints, write


@pytest.fixture
def ghosttape(tmp_path, monkeypatch):
    monkeypatch.setenv("GHOSTTAPE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words, status=0):
        done = subprocess.run([SCRIPT, *map(str, words)], capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == status, done.stderr
        return done

    return run


def test_the_list_says_what_runs_here_and_where_the_data_is(ghosttape, tmp_path):
    entry, simcopilot = json.loads(ghosttape("corpora", "--json").stdout)["corpora"]
    assert (simcopilot["name"], simcopilot["tasks"], simcopilot["lacking"]) == ("simcopilot", 1163, {})
    assert (entry["name"], entry["tasks"], entry["licence"], entry["data"]) == ("devbench", 1800, "MIT", "")
    assert "python" in entry["runs"]
    assert set(entry["runs"]) | set(entry["does_not_run"]) == {
        "python",
        "javascript",
        "typescript",
        "java",
        "cpp",
        "csharp",
    }
    shown = ghosttape("corpora").stdout
    assert "not here: `ghosttape corpora get devbench`" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_data_from_a_local_copy_is_found_by_the_other_commands(ghosttape, shared, tmp_path):
    asked = ["evaluate", "devbench", "--provider", "oracle", "--no-tests", "--limit", "6", "--json"]
    assert "`ghosttape corpora get devbench` fetches it" in ghosttape(*asked, status=2).stderr
    got = ghosttape("corpora", "get", "devbench", "--from", shared / "devbench").stdout.strip()
    assert Path(got) == tmp_path / "data" / "corpora" / "devbench"
    assert json.loads(ghosttape(*asked).stdout)["tasks"] == 6
    assert "is there already" in ghosttape("corpora", "get", "devbench", "--from", shared, status=2).stderr


def test_an_audit_of_tasks_names_near_duplicates_and_how_various_they_are(ghosttape, shared):
    words = ["corpora", "audit", "devbench", "--data", shared / "devbench", "--languages", "python"]
    words += ["--categories", "syntax_completion"]
    found = json.loads(ghosttape(*words, "--json").stdout)
    assert found["tasks"] == 50
    assert {"python/syntax_completion/11", "python/syntax_completion/14"} <= {
        name for pair in found["near_duplicates"]["list"] for name in (pair["one"], pair["other"])
    }
    shown = ghosttape(*words).stdout
    assert f"{found['near_duplicates']['pairs']} pair" in shown
    assert f"{found['diversity']['mean']:.3f}" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_an_audit_looks_at_so_many_tasks_as_it_is_told(ghosttape, shared):
    words = ["corpora", "audit", "devbench", "--data", shared / "devbench", "--languages", "python", "--limit", "12"]
    found = json.loads(ghosttape(*words, "--json").stdout)
    assert found["tasks"] == 12
    assert [cell["tasks"] for cell in found["diversity"]["cells"]] == [2] * 6
    assert "the least various (--json has all)" in ghosttape(*words).stdout
    assert "only --tests makes one" in ghosttape(*words, "--out", "run", status=2).stderr


def test_an_audit_of_tests_counts_what_each_task_is(ghosttape, shared):
    words = ["corpora", "audit", "devbench", "--data", shared / "devbench", "--languages", "python", "--limit", "6"]
    found = json.loads(ghosttape(*words, "--tests", "--json", "--out", "run").stdout)
    counted = found["all"]
    assert counted["tasks"] == 6
    assert counted["tasks"] == sum(number for name, number in counted.items() if name != "tasks")
    assert len(found["cells"]) == 6
    shown = ghosttape(*words, "--tests", "--out", "run").stdout  # the same run: nothing is tested again
    assert "testable" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_benchmark_whose_programs_lack_their_data_says_so_and_runs_the_others(ghosttape, tmp_path):
    """Made-up programs under the names of published ones: one needs nothing, one a file that is not there."""
    names = ("simplex_method", "Timeseries_Clustering")
    programs = [(checkpoints(name, [(6, 6), (5, 6)], [(5, 6)]), STAIRS, STAIRS_CASES) for name in names]
    data = write(tmp_path / "data" / "corpora" / "simcopilot", programs)
    for name in names:
        (data / "example_code" / "Python" / name / "Test" / "width.txt").write_text("7")
    why = "Timeseries_Clustering reads norm_ret_df.csv, which the data does not hold"
    assert f"does not run {why}" in " ".join(ghosttape("corpora").stdout.split())
    asked = ["evaluate", "simcopilot", "--languages", "python", "--json"]
    found = json.loads(ghosttape(*asked, "--provider", "oracle", "--out", "oracle").stdout)
    assert (found["tasks"], found["passed"], found["verdicts"]) == (3, 3, {"passed": 3})
    assert [(cell["category"], cell["tasks"], cell["reason"]) for cell in found["apart"]] == [
        ("infilling", 2, why),
        ("completion", 1, why),
    ]
    shown = ghosttape(*asked[:-1], "--provider", "oracle", "--out", "oracle").stdout
    assert f"simcopilot python, 3 tasks {why}" in " ".join(shown.split())
