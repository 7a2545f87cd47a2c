"""Tests of real editors, containers, kills and whole data (`make test-real`)."""

import time
from pathlib import Path

import pytest

from tests.support.whole_data import LACKING, LEFT_OUT, long_session, shared  # noqa: F401 - fixtures

HERE = Path(__file__).parent
PATIENCE_S = 120
LATE_MS = 15


@pytest.fixture(scope="session", autouse=True)
def quick_starts():
    """Here ghosttape starts itself as it does for a person: by its console script."""


def pytest_collection_modifyitems(config, items):
    """Leave out what needs the whole data where there is none, so that one line says it, and not one for each file."""
    if not LEFT_OUT:
        return
    lacking = [item for item in items if "shared" in item.fixturenames and item.path.is_relative_to(HERE)]
    config.hook.pytest_deselected(items=lacking)
    items[:] = [item for item in items if item not in lacking]


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    if LEFT_OUT:
        terminalreporter.write_line(f"tests/real: what needs the whole data: {LACKING}")


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
