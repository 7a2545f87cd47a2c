"""A run that one process lists anew while another continues it."""

import json
import sqlite3
import subprocess
import sys
import time

from replay.run.store import Store
from tests.support.tapes import record_of

_WRITES = """
import json, sys, time
from pathlib import Path
from replay.numbers.clusters import by_cluster, cluster_of
from replay.records import Ending, Record
from replay.run.store import Store
with Store.open(Path(sys.argv[1])) as store:
    record = next(store.records())
    print("ready", flush=True)
    sys.stdin.readline()
    longest = number = 0
    while store.fact("listed") is None:
        began = time.monotonic()
        store.put(record)
        longest, number = max(longest, time.monotonic() - began), number + 1
    print(json.dumps([longest, number]))
"""


def test_a_process_that_continues_a_run_goes_on_storing_while_another_lists_it_anew(tmp_path):
    with Store.create(tmp_path / "run", {}) as store:
        store.put_all(record_of(event, "accepted") for event in range(8_000))
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as database:
        for table in ("listing", "searched"):  # as in a run of an older version
            database.execute(f"DROP TABLE {table}")
        database.execute("DELETE FROM facts WHERE name = 'listing'")
    database.close()
    writing = subprocess.Popen([sys.executable, "-c", _WRITES, tmp_path / "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
    with writing, Store.open(tmp_path / "run") as store:
        assert writing.stdout.readline() == "ready\n"
        writing.stdin.write("go\n")
        writing.stdin.flush()
        began = time.monotonic()
        store.listing.complete()
        took = time.monotonic() - began
        store.put_fact("listed", value=True)
        longest, number = json.loads(writing.communicate()[0])
    assert number > 20
    assert longest < took / 2
