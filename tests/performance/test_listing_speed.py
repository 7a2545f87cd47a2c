"""How fast a large run is opened, sorted, filtered and searched, against one look at all of them; and how much memory that takes."""

import resource
import subprocess
import sys

import pytest

from replay.run.listing.moment_selection import FACETS, SORTS, MomentSelection
from replay.run.store import Store
from tests.support.large_runs import real
from tools.many_moments import many

MOMENTS = 20_000
"""A fifth of what a person may have, so that the suite stays quick: the times grow with it."""
FLOOR = 40.0
"""What an operation may take, in times that one look at all rows takes. Measured: the slowest takes 4 times as long."""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large") / "run"
    with Store.create(folder, {}) as store:
        store.put_all(many([real(event) for event in range(40)], MOMENTS))
    return folder


@pytest.mark.parametrize("what", ["open", *(f"sort {name}" for name in SORTS if name), *(f"filter {name}" for name in FACETS), "search"])  # fmt: skip
def test_no_operation_takes_much_longer_than_one_look_at_all_rows(measure, benchmark, large, what):
    with Store.open(large) as store:
        kind, _, name = what.partition(" ")
        listing = store.listing
        work = {
            "open": lambda: (listing.complete(), listing.rows(listing.order(MomentSelection())[:50])),
            "sort": lambda: listing.order(MomentSelection(sort=name, descending=True)),
            "filter": lambda: (listing.order(MomentSelection(facets={name: ("python", "failed", "none")})), listing.values(name)),
            "search": lambda: listing.order(MomentSelection(text="return 13")),
        }[kind]  # fmt: skip
        look = lambda: store._db.execute("SELECT number, sum(length(suggestion)) FROM listing GROUP BY 1").fetchall()  # noqa: E731
        result = measure(work, look, rounds=5, moments=MOMENTS)
    assert result is not None
    assert benchmark.extra_info["ratio"] < FLOOR


MEMORY = """
import resource, sys
from pathlib import Path
from replay.run.listing.moment_selection import MomentSelection
from replay.run.store import Store
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with Store.open(Path(sys.argv[1])) as store:
    order = store.listing.order(MomentSelection(sort="ms"))
    for at in range(0, len(order), 1000):
        store.listing.rows(order[at : at + 50])
    store.listing.order(MomentSelection(text="return"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, len(order))
"""


def test_memory_does_not_grow_with_what_the_records_hold(large):
    done = subprocess.run([sys.executable, "-c", MEMORY, str(large)], capture_output=True, text=True, check=True)
    grown_kib, moments = map(int, done.stdout.split())
    assert moments == MOMENTS
    assert grown_kib * resource.getpagesize() // 4096 < 60_000
