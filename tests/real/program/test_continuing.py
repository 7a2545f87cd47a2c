"""A replay that is killed again and again, and continued by the same command, ends with the records of one that was not."""

import os
import random
import sqlite3
import subprocess
import time
from contextlib import suppress

import pytest

from replay.errors import StoreError
from replay.run.store import Store
from tests.support.places import DEMO, SCRIPT

KILLS = int(os.environ.get("GHOSTTAPE_KILLS", "3"))


def records_of(folder):
    """What a run says of each moment, without what the wall clock measured."""
    with Store.open(folder) as store:
        return {
            record.moment.id: (
                record.moment,
                str(record.ending),
                record.suggestion and (record.suggestion.text, record.suggestion.raw, record.suggestion.latency),
                record.verdict and (record.verdict.name, record.verdict.reason, record.verdict.message),
                record.covered,
            )
            for record in store.records()
        }


def number_of_records(folder):
    with suppress(StoreError, sqlite3.Error), Store.open(folder) as store:
        return sum(1 for _ in store.records())
    return 0


def killed_at_random(command, folder, draw):
    """Begin or continue a run, and kill it while it starts or soon after some records more; return whether it had not ended."""
    more, later = draw.randrange(3), draw.uniform(0.0, 1.5)
    before = number_of_records(folder / "killed")
    process = subprocess.Popen(
        [SCRIPT, "replay", *map(str, command), "--out", "killed"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while process.poll() is None and number_of_records(folder / "killed") < before + more:
        time.sleep(0.2)
    with suppress(subprocess.TimeoutExpired):
        process.wait(later)
    ended = process.poll() is not None
    process.kill()
    process.wait()
    return not ended


@pytest.mark.parametrize(
    "words",
    [
        ("--policy", "blocks", "--limit", "6"),
        ("--policy", "vscode", "--limit", "12"),
        ("--policy", "vscode", "--limit", "12", "--mode", "drive", "--user", "words"),
    ],
    ids=["blocks", "vscode", "drive"],
)
def test_a_run_that_is_killed_at_random_points_ends_with_the_same_records(words, ghosttape, tmp_path, need):
    need("bwrap")
    command = [DEMO / "ledger.tape.jsonl", "--provider", "ngram", "--latency", "lognormal:60,0.8", *words]
    whole = ghosttape("replay", *command, "--out", "whole", "--json").json
    draw = random.Random(words[1])
    killed = [killed_at_random(command, tmp_path, draw) for _ in range(KILLS)]
    assert any(killed)
    continued = ghosttape("replay", *command, "--out", "killed", "--json").json
    assert records_of(tmp_path / "killed") == records_of(tmp_path / "whole")
    for figure in ("moments", "endings", "verdicts", "untestable"):
        assert continued[figure] == whole[figure]
