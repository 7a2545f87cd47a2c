"""What all tests share: tools that must be there under CI, what is made once a run, and the list of what was skipped."""

import fcntl
import importlib.util
import os
import pickle
import shutil
import signal
import time
from collections import Counter
from itertools import chain, groupby

import hypothesis
import pytest

from replay.importers.workspace_recording.reading import import_recording
from tests.support.places import ROOT

# A shell in the background ignores Ctrl-C, and nohup the end of its terminal: so would all that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

LONG_SESSION = "EditSourceTracker.test1.recording.w.json"
SHARED = ROOT.parent / "shared" / "data"

LONG = (
    "tests/e2e/",
    "tests/replay/judge/test_selection",
    "tests/runners/warm/",
    "tests/server/repair/test_repair_corpora",
)
"""Where the tests are that take longest."""

PACED = "tests/e2e/vscode/"
"""Tests at a person's pace: mostly waiting, but they measure times. One worker has all of them, one after the other."""

REAL_TIME = "tests/e2e/"
"""Tests of real processes by the wall clock. One that fails beside three others on two cores is tried once more, and then named as unsteady."""

UNSTEADY_AT_MOST = 3
"""How many tests of a run may pass at their second try only; with more of them the run fails."""

BEGAN = pytest.StashKey[float]()
LATE = "it was too late to start it (--within)"

# How long an example takes says more about the other workers of the run than about the example.
hypothesis.settings.register_profile(
    "shared cores",
    parent=hypothesis.settings.get_profile(hypothesis.settings.get_current_profile_name()),
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("shared cores")


def pytest_addoption(parser):
    parser.addoption("--within", type=float, metavar="SECONDS", help="start no test later than this (make check)")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Deal the long tests to the workers, each of which begins with them; a worker begins with an equal share of all tests."""
    for item in items:
        if item.nodeid.startswith(REAL_TIME):
            item.add_marker(pytest.mark.flaky(reruns=1, reruns_delay=5))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1:
        return
    long, short = [], []
    for file, tests in groupby(items, key=_pile):
        (long if file.startswith(LONG) else short).append(list(tests))
    long.sort(key=lambda tests: _pile(tests[0]) != PACED)
    rest = list(chain.from_iterable(short))
    share, dealt = len(items) // workers, []
    for worker in range(workers):
        pile = list(chain.from_iterable(long[worker::workers]))
        size = max(0, share - len(pile))
        dealt += [*pile, *rest[:size]]
        rest = rest[size:]
    items[:] = dealt + rest


def _pile(item):
    """What one worker gets as a whole: a file, or the folder of tests that measure times."""
    return PACED if item.nodeid.startswith(PACED) else item.nodeid.partition("::")[0]


def pytest_runtest_setup(item):
    began = item.config.stash.setdefault(BEGAN, time.monotonic())
    within = item.config.getoption("within")
    if within and time.monotonic() - began > within:
        pytest.skip(LATE)


def _lacking(what):
    """Skip because a tool is missing; under CI that is a failure."""
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
    """A function that skips the test because something is missing, with the reason; under CI it fails."""
    return _lacking


@pytest.fixture(scope="session")
def embedded():
    """The embedded model can be loaded."""
    if importlib.util.find_spec("xllamacpp") is None:
        _lacking("xllamacpp (pip install 'ghosttape[embedded]')")


@pytest.fixture(scope="session")
def shared():
    """The folder of shared data: real recordings and benchmarks."""
    if not SHARED.is_dir():
        _lacking("the folder ../shared/data is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory):
    """A folder that all workers of this run share; what is made in it once must be safe among processes."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "run"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def cache(run_folder):
    """One cache of layers for the whole run, in which each layer is installed once."""
    folder = run_folder / "cache"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def once(run_folder):
    """A function that gives the value of this name, which the first worker of the run makes for all of them."""
    made = {}

    def give(name, make):
        if name not in made:
            file = run_folder / f"{name}.pickle"
            with file.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not file.exists():
                    file.write_bytes(pickle.dumps(make()))
            made[name] = pickle.loads(file.read_bytes())
        return made[name]

    return give


@pytest.fixture(scope="session")
def recordings(shared):
    return sorted((shared / "recordings").glob("*.json"))


@pytest.fixture(scope="session")
def long_session(shared, once):
    """The tape of the recording of 92 minutes; importing it takes seconds."""
    return once("long-session", lambda: import_recording(shared / "recordings" / LONG_SESSION).tape)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """Fail where too many tests passed at their second try only."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == pytest.ExitCode.OK and reporter and len(_unsteady(reporter)) > UNSTEADY_AT_MOST:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _unsteady(reporter):
    """What each test that passed at its second try failed of at the first: its name → the report's text."""
    first = {report.nodeid: report.longreprtext for report in reporter.stats.get("rerun", [])}
    failed = {report.nodeid for kind in ("failed", "error") for report in reporter.stats.get(kind, [])}
    return {test: text for test, text in first.items() if test not in failed}


def pytest_terminal_summary(terminalreporter):
    """Name the tests that passed at their second try only, with what they failed of, and end with what was skipped, and why."""
    unsteady = _unsteady(terminalreporter)
    if unsteady:
        terminalreporter.section(
            f"unsteady: {len(unsteady)} passed at the second try only, at most {UNSTEADY_AT_MOST} may"
        )
    for test, text in unsteady.items():
        terminalreporter.write_line(f"{test}\n{text}\n")
    skipped = [(report.nodeid, _reason(report)) for report in terminalreporter.stats.get("skipped", [])]
    late = Counter(test.partition("::")[0] for test, reason in skipped if reason == LATE)
    terminalreporter.section("left out")
    for test, reason in skipped:
        if reason != LATE:
            terminalreporter.write_line(f"{test}: {reason}")
    for file, count in sorted(late.items()):
        terminalreporter.write_line(f"{file}: {count} tests, {LATE}")
    if not skipped:
        terminalreporter.write_line("nothing: every test ran")


def _reason(report):
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")
