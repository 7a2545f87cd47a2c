"""What all tests share: tools that must be there under CI, and the list of what was skipped."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"


def _lacking(what):
    """Skip for want of a tool; under CI that is a failure."""
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(f"missing under CI: {what}", pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="session")
def need():
    """A function that skips the test unless all named commands are on PATH."""

    def check(*commands):
        missing = [command for command in commands if shutil.which(command) is None]
        if missing:
            _lacking(f"not on PATH: {', '.join(missing)}")

    return check


@pytest.fixture(scope="session")
def lacking():
    """A function that skips the test for want of something, with the reason; under CI it fails."""
    return _lacking


@pytest.fixture(scope="session")
def shared():
    """The folder of shared data: real recordings and benchmarks."""
    if not SHARED.is_dir():
        _lacking("the folder ../shared/data is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def recordings(shared):
    return sorted((shared / "recordings").glob("*.json"))


def pytest_terminal_summary(terminalreporter):
    """End with what was skipped, and why."""
    skipped = terminalreporter.stats.get("skipped", [])
    terminalreporter.section("left out")
    for report in skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line(f"{report.nodeid}: {reason.removeprefix('Skipped: ')}")
    if not skipped:
        terminalreporter.write_line("nothing: every test ran")
