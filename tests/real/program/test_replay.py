"""The bundled tapes, all the way through: server process, sandbox, the projects' own tests."""

import pytest

from replay.run.store import Store
from runners.verdicts import CLASSES

QUICK = ["--latency", "fixed:0"]  # where no model is measured, every core runs tests
TESTED = set(CLASSES) - {"infrastructure", "flaky"}


@pytest.fixture(autouse=True)
def tools(need):
    need("bwrap", "node", "npm")


def judged(summary):
    assert set(summary["verdicts"]) <= TESTED
    return sum(summary["verdicts"].values())


@pytest.mark.parametrize("text", ["", "pass"])
def test_what_does_nothing_fails_every_test(ghosttape, text):
    summary = ghosttape("replay", "demo", "--provider", "fixed", "--text", text, *QUICK, "--json").json
    assert judged(summary) >= 25
    assert summary["verdicts"].get("passed", 0) == 0
    assert summary["metrics"]["pass_at_1"]["value"] == 0.0


def test_the_oracle_passes_every_test(ghosttape):
    summary = ghosttape("replay", "demo", "--provider", "oracle", *QUICK, "--json").json
    figures = summary["metrics"]["pass_at_1"]
    assert summary["moments"] >= 30
    assert judged(summary) >= 25
    assert figures["value"] == 1.0
    assert figures["n"] == judged(summary) == summary["verdicts"]["passed"]
    assert 0.5 < figures["low"] < figures["high"] == 1.0
    assert figures["clusters"] >= 15
    assert figures["testable"]["n"] == summary["moments"]
    assert sum(summary["endings"].values()) == summary["moments"]
    assert sum(summary["untestable"].values()) + judged(summary) == summary["moments"]
    assert summary["left_out"] == []
    assert summary["metrics"]["keystrokes_saved"]["value"] > 0


def test_the_same_run_twice_is_the_same(here, tmp_path, seeded_run):
    here(*seeded_run.words, "--out", tmp_path / "again")
    results = [all_of(seeded_run.folder), all_of(tmp_path / "again")]
    assert len(results[0]) == 8
    assert results[0] == results[1]


def all_of(folder):
    with Store.open(folder) as store:
        return [
            (
                record.moment.id,
                record.moment.t,
                record.suggestion.text,
                record.suggestion.latency,
                str(record.ending),
                record.verdict.name,
                record.verdict.reason,
            )
            for record in store.records()
        ]
