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


def test_a_person_gets_a_table_and_the_way_to_look_closer(here):
    done = here("replay", "demo", "--provider", "ngram", "--limit", "3", *QUICK, "--out", "here")
    assert "tests passed" in done.out
    assert "ghosttape tui here" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert "tests run twice" in done.err


def test_without_node_the_second_tape_is_left_out_and_the_table_says_so(here, tmp_path, need):
    only = tmp_path / "bin"
    only.mkdir()
    for name in ("sh", "bwrap", "python3", "env", "cat", "git"):
        (only / name).symlink_to(_which(name))
    done = here("replay", "demo", "--provider", "fixed", "--limit", "2", env={"PATH": str(only)})
    assert "router" in done.out
    assert "node" in done.out.lower()
    assert "left out" in done.out


def _which(name):
    import shutil

    return shutil.which(name)
