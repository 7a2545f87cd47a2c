"""`ghosttape replay demo --ablate repairs`: arms that are compared, and an ordinary run inside."""

import pytest

from tests.support.ablation_answers import DEMO

QUICK = ["--latency", "fixed:0"]
LEDGER = DEMO / "ledger.tape.jsonl"


@pytest.fixture(autouse=True)
def tools(need):
    need("bwrap", "node", "npm")


def test_a_person_gets_the_table_below_that_of_the_run(here):
    words = ["--provider", "ngram", "--limit", "2", "--ablate", "repairs", "--repairs", "indent,stop", "--out", "here"]
    done = here("replay", LEDGER, *words, *QUICK)
    rows = [line.split()[0] for line in done.out.splitlines() if line.strip()]
    assert done.out.index("tests passed") < done.out.index("left out") < done.out.index("ghosttape tui here")
    assert {"indent", "stop"} <= set(rows)
    assert not {"prose", "repeats", "brackets"} & set(rows)
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mode", "drive"], "--mode judge"),
        (["--policy", "vscode"], "use --policy blocks"),
        (["--no-tests"], "leave --no-tests out"),
        (["--repairs", "none"], "nothing to leave out"),
    ],
)
def test_arms_that_cannot_be_compared_are_refused(here, words, said):
    done = here("replay", "demo", "--provider", "fixed", "--ablate", "repairs", *words, status=2)
    assert said in done.err
    assert done.out == ""


def test_only_repairs_can_be_ablated(here):
    assert "ablate" in here("replay", "demo", "--ablate", "context", status=2).err
