"""One mutant set against tests: a forked pytest that imports the mutant in the place of the file.

The parent imports what is slow to import and nothing of ghosttape. Each fork imports ghosttape anew, so that also `from x import f` and
constants are the mutant's. A process that a test starts sees the mutant too, unless it starts with an environment of its own: PYTHONPATH leads
to `inside/sitecustomize.py`. A kill counts only if the test that failed passes alone without the mutant.
"""

from __future__ import annotations

import gc
import os
import resource
import runpy
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from importlib import import_module
from pathlib import Path

import msgspec
import psutil
import pytest

from tools.mutants.mutations import Mutant

INSIDE = Path(__file__).parent / "inside"
PRELOADED = (
    "hypothesis",
    "httpx",
    "lsprotocol.types",
    "numpy",
    "pygls.lsp.server",
    "pytest_lsp",
    "respx",
    "syrupy",
    "textual.app",
)
"""What takes longest to import of what tests and rooms import."""
OPTIONS = (
    *("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # plugins of pytest are preloaded too
    *("-p", "no:unraisableexception"),  # collects garbage at the end for as long as the tests take
)
TIMES = 10
"""A test with a mutant may take this many times what it takes without, and `EXTRA_S`."""
EXTRA_S = 20.0
"""Processor time, in seconds. Before the first test it is all that imports and collection may take."""
WAITING_S = 100.0
"""A fork is ended if it and what it started use less than a hundredth of so many seconds of the processor: it waits for what never comes."""
PROCESS_S = 600
"""Processor time of a process that a test starts, in seconds."""
DATA_BYTES = 4 << 30
"""Memory of a fork and of each process it starts: an endless loop may fill it."""


class MutantVerdict(StrEnum):
    """What became of a mutant. A timeout is a kill that is counted apart."""

    KILLED = "killed"
    TIMEOUT = "timeout"
    SURVIVED = "survived"


class MutantTrial(msgspec.Struct, frozen=True):
    """What a set of tests said to a mutant."""

    verdict: MutantVerdict
    by: str = ""
    """The test that failed, or what pytest could not import or collect."""
    ran: int = 0
    """Tests that passed before that."""


class _Chosen:
    """The plugin of a fork: runs the chosen tests in their order, and writes down how many passed and what failed.

    A test that takes too much processor time ends the fork with SIGPROF.
    """

    def __init__(self, tests: Mapping[str, float], report: Path) -> None:
        self._seconds = tests
        self._order = {test: at for at, test in enumerate(tests)}
        self._report = report
        self._ran = 0
        self._failed = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        yield
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid]
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        signal.setitimer(signal.ITIMER_PROF, EXTRA_S + TIMES * self._seconds[item.nodeid])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._failed = self._failed or report.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._ran += report.when == "call" and report.passed
        if report.failed:
            self._failed = self._failed or report.nodeid

    def pytest_unconfigure(self) -> None:
        self._report.write_bytes(msgspec.json.encode((self._ran, self._failed)))


class MutantTrials:
    """Forks with and without mutants, in a checkout."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder / "fork"
        self._stable: dict[str, bool] = {}
        for module in PRELOADED:
            import_module(module)
        gc.freeze()

    def against(self, mutant: Mutant, text: str, tests: Mapping[str, float]) -> MutantTrial:
        """Run tests (name → the seconds it takes without a mutant) in their order until one fails."""
        left = {test: seconds for test, seconds in tests.items() if self._stable.get(test, True)}
        while left:
            found = self._fork(left, (self._root / mutant.file, mutant.apply(text)))
            suspect = found.by if found.by in left else next(iter(left))
            if found.verdict is not MutantVerdict.KILLED or self.is_stable(suspect, left[suspect]):
                return found
            del left[suspect]
        return MutantTrial(MutantVerdict.SURVIVED)

    def is_stable(self, test: str, seconds: float) -> bool:
        """Whether a test passes alone without a mutant; the log in the folder says why it does not."""
        if test not in self._stable:
            self._stable[test] = self._fork({test: seconds}, None) == MutantTrial(MutantVerdict.SURVIVED, ran=1)
        return self._stable[test]

    def unstable(self) -> list[str]:
        """Return the tests that failed with a mutant and also alone without one; they count for no mutant."""
        return [test for test, stable in self._stable.items() if not stable]

    def _fork(self, tests: Mapping[str, float], mutated: tuple[Path, str] | None) -> MutantTrial:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        child = os.fork()
        if child == 0:
            try:
                os._exit(_run(self._root, self._folder, tests, mutated))
            except BaseException:  # noqa: BLE001  # a fork must never go on with what its parent does
                traceback.print_exc()
                os._exit(70)
        status = _await(child)
        report = self._folder / "report.json"
        if status is None or not report.exists():
            stopped = status is None or status == -signal.SIGPROF
            return (
                MutantTrial(MutantVerdict.TIMEOUT)
                if stopped
                else MutantTrial(MutantVerdict.KILLED, f"exit status {status}")
            )
        ran, failed = msgspec.json.decode(report.read_bytes(), type=tuple[int, str])
        if status in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            return MutantTrial(MutantVerdict.SURVIVED, ran=ran)
        return MutantTrial(MutantVerdict.KILLED, failed or f"exit status {status}", ran)


def _run(root: Path, folder: Path, tests: Mapping[str, float], mutated: tuple[Path, str] | None) -> int:
    """Run pytest in this process, which is a fork, and return its exit status."""
    os.setsid()
    signal.setitimer(signal.ITIMER_PROF, EXTRA_S)
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESS_S, PROCESS_S))
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(root)
    os.environ["PYTHONPATH"] = str(INSIDE)
    sys.dont_write_bytecode = False  # or each fork compiles all modules
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
    if mutated is not None:
        file, text = mutated
        (folder / "mutant.py").write_text(text, encoding="utf-8")
        os.environ["MUTANT_FILE"], os.environ["MUTANT_TEXT"] = str(file), str(folder / "mutant.py")
        runpy.run_path(str(INSIDE / "sitecustomize.py"))
    files = dict.fromkeys(test.partition("::")[0] for test in tests)
    options = [*OPTIONS, f"--basetemp={folder / 'tmp'}"]
    return int(pytest.main([*options, *files], plugins=[_Chosen(tests, folder / "report.json")]))


def _await(child: int) -> int | None:
    """Return the exit status of a fork, negative for a signal; None if it waited in vain. What it started is ended with it.

    The clock alone does not tell: on a busy machine everything takes many times what it took.
    """
    used, looked, status, waits = 0.0, time.monotonic(), None, False
    try:
        while status is None and not waits:
            time.sleep(0.02)
            done, raw = os.waitpid(child, os.WNOHANG)
            if done:
                status = os.waitstatus_to_exitcode(raw)
            elif time.monotonic() - looked > WAITING_S:
                before, used, looked = used, _processor_s(child), time.monotonic()
                waits = used - before < WAITING_S / 100
    finally:
        with suppress(ProcessLookupError):  # it has ended, and left nothing behind
            os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    return status


def _processor_s(child: int) -> float:
    """Return the processor time of a process and of what it started, in seconds."""
    process = psutil.Process(child)
    used: float = sum(process.cpu_times()[:4])
    for below in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            used += sum(below.cpu_times()[:4])
    return used
