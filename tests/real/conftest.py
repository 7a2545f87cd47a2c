"""Tests of real editors, containers, kills and whole data (`make test-real`)."""

import time

import pytest

from tests.support.whole_data import long_session, shared  # noqa: F401 - fixtures

PATIENCE_S = 120
LATE_MS = 15


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
