"""What all tests share: tools that must be there under CI, what is made once a run, and the list of what was left out."""

import fcntl
import gc
import importlib.util
import os
import pickle
import shutil
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import hypothesis
import pytest

from replay.importers.workspace_recording.recording_import import import_recording
from tests.support.kept import kept_folder, take_digests
from tests.support.places import EXCERPTS
from tests.support.preloaded import preloaded_script
from tests.support.recording_names import BEGINNING
from tests.support.scale import examples
from tests.support.second_tries import LEFT_OUT

take_digests()
pytest_plugins = ("tests.support.program", "tests.support.extension")

# A shell in the background ignores Ctrl-C, and nohup the end of its terminal: so would all that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

BEGAN = pytest.StashKey[float]()
LATE = "it was too late to start it (--within)"

# How long an example takes says more about the other workers of the run than about the example.
hypothesis.settings.register_profile(
    "shared cores",
    parent=hypothesis.settings.get_profile(hypothesis.settings.get_current_profile_name()),
    deadline=None,
    max_examples=examples(100),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("shared cores")


def pytest_addoption(parser):
    parser.addoption("--within", type=float, metavar="SECONDS", help="start no test later than this (make check)")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Whole programs begin first: they take longest, and at the end one worker would run the last of them alone."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/tui/program/"))


def pytest_collection_finish():
    """What is loaded and collected stays: to look through it again and again takes a tenth of the run, and to look for garbage so often another one."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


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


@pytest.fixture(scope="session", autouse=True)
def quick_starts():
    """What ghosttape starts of itself is forked from a process that has loaded everything (tests/real starts the console script)."""
    os.environ["GHOSTTAPE_SCRIPT"] = preloaded_script()


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
    """A folder with excerpts of real recordings and benchmarks; under tests/real it is the whole data (tests/real/conftest.py)."""
    return EXCERPTS


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory):
    """A folder that all workers of this run share; what is made in it once must be safe among processes."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "run"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def cache(run_folder):
    """One cache for the whole run. Its layers are those of the runs before, as long as the code that makes them is the same."""
    folder = run_folder / "cache"
    folder.mkdir(exist_ok=True)
    with suppress(FileExistsError):
        (folder / "layers").symlink_to(kept_folder("layers"), target_is_directory=True)
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
def recording_file(shared):
    """A function from the name of a real recording to its file."""
    return (shared / "recordings").joinpath


@pytest.fixture(scope="session")
def recorded_session(once):
    """The tape of the first 19 minutes of a real session of 92."""
    return once("recorded-session", lambda: import_recording(EXCERPTS / "recordings" / BEGINNING).tape)


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config):
    """End with what was left out, and why: each reason once."""
    skipped = [
        (report.nodeid.partition("::")[0], _reason(report)) for report in terminalreporter.stats.get("skipped", [])
    ]
    terminalreporter.section("left out")
    for (file, reason), count in sorted(Counter(skipped).items()):
        terminalreporter.write_line(f"{file}: {count} {'test' if count == 1 else 'tests'}: {reason}")
    if not skipped:
        terminalreporter.write_line("nothing: every test ran")
    if LEFT_OUT in os.environ:
        with Path(os.environ[LEFT_OUT]).open("a", encoding="utf-8") as kept:
            kept.writelines(f"{file}: {reason}\n" for file, reason in skipped)


def _reason(report):
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")
