"""Tests of real editors, containers, kills and whole data (`make test-real`)."""

import time

import pytest

from replay.importers.workspace_recording.reading import import_recording
from tests.support.places import SHARED

LONG_SESSION = "EditSourceTracker.test1.recording.w.json"
PATIENCE_S = 120
LATE_MS = 15


@pytest.fixture(scope="session", autouse=True)
def quick_starts():
    """Here ghosttape starts itself as it does for a person: by its console script."""


@pytest.fixture(scope="session")
def shared(lacking):
    """The folder of all shared data: real recordings and benchmarks."""
    if not SHARED.is_dir():
        lacking("the folder ../shared/data is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def long_session(shared, once):
    """The tape of the recording of 92 minutes; importing it takes seconds."""
    return once("long-session", lambda: import_recording(shared / "recordings" / LONG_SESSION).tape)


def _latest_timer_ms():
    """By how much the latest of 100 timers of 10 ms is late, in ms: what a machine with other work does to a test of time."""
    late = []
    for _ in range(100):
        due = time.perf_counter() + 0.01
        time.sleep(0.01)
        late.append(1000 * (time.perf_counter() - due))
    return max(late)


@pytest.fixture
def quiet_machine():
    """The machine has nothing else to do, so that times can be judged: waited for before the test, never asked after it."""
    end = time.monotonic() + PATIENCE_S
    while (late := _latest_timer_ms()) > LATE_MS:
        if time.monotonic() > end:
            pytest.skip(f"the machine was busy for {PATIENCE_S} s: a timer of 10 ms was {late:.0f} ms late")
