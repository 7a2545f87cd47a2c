"""The cases beside the checkout, `../shared/cases`: situations of strangers' bug reports, each with the right answer."""

import json

import pytest

from replay.run.store import Store
from tests.support.places import SHARED

CASES = SHARED.parent / "cases"


@pytest.fixture(autouse=True)
def cases(lacking):
    if not CASES.is_dir():
        lacking("the folder ../shared/cases is not beside this checkout")


def test_every_answer_is_repaired_to_what_was_expected(ghosttape_here, tmp_path):
    rows = [json.loads(line) for line in (CASES / "repairs.jsonl").read_text().splitlines()]
    wrong = []
    for stop in sorted({row["stop"] for row in rows}):
        asked = [row for row in rows if row["stop"] == stop]
        given = "".join(json.dumps(row) + "\n" for row in asked)
        said = ghosttape_here(tmp_path, "repair", "--stop", stop, stdin=given).out
        for row, told in zip(asked, map(json.loads, said.splitlines()), strict=True):
            made = row["before"] + told["repaired"] + row["after"][told["covered"] :]
            if made != row["expected"]:
                wrong.append((row["id"], made))
    assert len(rows) == 32
    assert wrong == []


def test_a_table_with_a_carriage_return_is_refused_in_a_sentence(ghosttape):
    said = ghosttape("import", "--check", CASES / "one-carriage-return.csv", status=1)
    assert "is of no format that can be imported" in said.err + said.out
    assert "Traceback" not in said.err


OUTCOMES = {
    "tests-pare-1118": (("passed", 1, 0), ("assertion", 0, 1)),
    "tests-pytest-13905": (("passed", 2, 0), ("assertion", 0, 2)),
    "tests-junit-control-characters": (("passed", 2, 0), ("failed", 1, 1)),
}
"""Of each tape: (verdict, tests passed, tests failed) of what the person wrote, and of an answer that is wrong."""


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_tests_of_a_tape_are_counted_as_their_runner_counts_them(ghosttape, tmp_path, need, name):
    need("bwrap")
    for number, provider in enumerate((("oracle",), ("fixed", "--text", "return 99"))):
        folder = tmp_path / str(number)
        ghosttape(
            "replay", CASES / "tests" / name / "t.tape.jsonl", "--provider", *provider, "--limit", "1", "--out", folder
        )
        with Store.open(folder) as store:
            (verdict,) = [record.verdict for record in store.records()]
        assert (verdict.name, verdict.passed, verdict.failed) == OUTCOMES[name][number], verdict.log
