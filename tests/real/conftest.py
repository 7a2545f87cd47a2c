"""Tests of real editors, containers, kills and whole data (`make test-real`)."""

import time

import pytest

from tests.support.whole_data import LACKING, long_session, shared  # noqa: F401 - fixtures

PATIENCE_S = 120
LATE_MS = 15


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    """Say in one line, and not in one for each file, what was left out because there is no whole data."""
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report.longrepr, tuple) and report.longrepr[2].endswith(LACKING):
            report.nodeid = "tests/real"


@pytest.fixture(scope="session", autouse=True)
def quick_starts():
    """Here ghosttape starts itself as it does for a person: by its console script."""


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
