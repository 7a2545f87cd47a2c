"""Tries the ways in which a project may be tested, in the sandbox, until one works."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote

from runners.environments.candidate import Assumption, Candidate
from runners.environments.manifests import Files
from runners.environments.python.candidates import PythonProject, python_project
from runners.environments.python.imports import is_test, package_of
from runners.environments.remedies import FIXTURES, Missing, failing_tests, missing_in
from runners.errors import RunnerError, SetupFailed, ToolchainMissing
from runners.project import ProjectPlan, prepare
from runners.protocol import Sandbox
from runners.toolchains import language_of
from runners.verdicts import Result
from runners.verdicts.text import plain

MOST = 8
"""How many ways are tried at most."""
_FEW = 40
"""So many tests that fail here can be left out, if they are no more than `_SHARE` of all."""
_FEW_BY_CHANCE = 2
_SHARE = 0.2
_SHOWN = 3
"""So many tests are named."""


@dataclass(frozen=True, slots=True)
class TriedWay:
    """A way that was tried, and how it ended."""

    candidate: Candidate
    result: Result | None
    """How the tests ended; None if the project could not even be set up."""
    problem: str
    """One line that says what went wrong; empty if the tests passed."""
    log: str
    wall_s: float
    """From the beginning to the verdict, installing included."""
    is_toolchain_missing: bool = False
    """Whether its interpreter or compiler is not installed: no other way with the same one can be tried."""

    @property
    def missing(self) -> Missing:
        """What its log names as missing."""
        return missing_in(self.log)


@dataclass(frozen=True, slots=True)
class SettledWay:
    """The first way in which the tests of a project pass, and what was tried before."""

    candidate: Candidate
    result: Result
    trials: tuple[TriedWay, ...]


class NotTestable(RunnerError):  # noqa: N818 - the name says what happened
    """No way was found in which the tests of a project pass."""

    def __init__(self, trials: tuple[TriedWay, ...], remedies: tuple[str, ...]) -> None:
        super().__init__("; ".join(remedies))
        self.trials, self.remedies = trials, remedies


@dataclass(frozen=True, slots=True)
class WayTester:
    """Where ways are tried. `within_s`: after so many seconds no further one is begun. `named`: packages that a person asks for, with their versions."""

    sandbox: Sandbox
    cache: Path
    notify: Callable[[str], None]
    within_s: float = 100.0
    now: Callable[[], float] = field(default=time.monotonic)
    named: tuple[str, ...] = ()

    async def settle(self, files: Files, candidates: Iterable[Candidate]) -> SettledWay:
        """Find the first way in which the tests pass. What a log names as missing is added if a file of the project names it; where nearly all tests pass, the others are left out.

        Raises:
            NotTestable: no way was found; says what to do.
            SandboxFailed, MachineFails: the machine failed.
            SetupFailed: a package that a person asks for cannot be installed.

        """
        began, queue, trials, seen = self.now(), deque(candidates), list[TriedWay](), set[str]()
        while queue and len(trials) < MOST and (not trials or self.now() - began < self.within_s):
            candidate = queue.popleft()
            if repr(candidate.plan) in seen:
                continue
            seen.add(repr(candidate.plan))
            trial = await self.try_one(files, candidate)
            trials.append(trial)
            if _may_be_chance(trial):
                self.notify(f"once more, as it may be chance: {trial.problem}")
                trial = await self.try_one(files, candidate)
            if trial.result is not None and not trial.problem:
                return SettledWay(trial.candidate, trial.result, tuple(trials))
            self._refuse_uninstallable(trial)
            self.notify(f"that did not work: {trial.problem}")
            if trial.result is not None and not trial.missing.is_more_needed:
                queue = deque(other for other in queue if not _is_like(other, candidate))
            if trial.is_toolchain_missing:
                queue = deque(other for other in queue if other.plan.toolchain != candidate.plan.toolchain)
            if trial.missing.metadata:
                queue = deque(sorted(queue, key=lambda other: not other.plan.setup))
            queue.extendleft(reversed([*_mended(files, trial, self.named)]))
            if not queue:
                queue.extend(_without_failures(files, trials))
        raise NotTestable(tuple(trials), tuple(_remedies(files, trials)))

    def _refuse_uninstallable(self, trial: TriedWay) -> None:
        """End where a package cannot be installed that a person asks for. What was only found in files may be left out."""
        gone = {_plain(name) for name in trial.missing.uninstallable}
        if refused := next((each for each in self.named if package_name(each) in gone), ""):
            told = trial.problem.removeprefix("ERROR: ").partition(" (from versions: ")[0]
            raise SetupFailed(
                f"--requires {refused}: it cannot be installed: {told}: are name and version right, and is there a network?"
            )

    async def try_one(self, files: Files, candidate: Candidate) -> TriedWay:
        """Set a project up as a candidate says, and run its tests once."""
        began = self.now()
        self.notify(f"trying: {candidate.plan.command}")
        try:
            project = await prepare(files, candidate.plan, self.sandbox, self.cache, self.notify)
        except ToolchainMissing as error:
            return TriedWay(candidate, None, str(error), "", self.now() - began, is_toolchain_missing=True)
        except RunnerError as error:
            said = str(error).replace(f" {candidate.plan.setup!r}", "")  # it was shown when it began
            return TriedWay(candidate, None, _first(said), str(error), self.now() - began)
        try:
            result = await project.run({})
        finally:
            project.close()
        return TriedWay(candidate, result, _problem(result, candidate.plan), result.log, self.now() - began)


def _may_be_chance(trial: TriedWay) -> bool:
    """Whether another run may pass: few tests failed, for no reason that a log tells."""
    result = trial.result
    few = result is not None and bool(result.failed) and (result.failed or 0) <= _FEW_BY_CHANCE
    return (few or trial.missing.busy) and not trial.missing.is_more_needed and not trial.missing.service


def _problem(result: Result, plan: ProjectPlan) -> str:
    if result.verdict_class == "passed":
        return "no test ran" if result.passed == 0 else ""
    if result.verdict_class == "timeout":
        return f"the tests take longer than {plan.timeout_s:g} s"
    counts = f"{result.failed} of {(result.passed or 0) + result.failed} tests fail: " if result.failed else ""
    return counts + (result.message or f"the tests end with {result.verdict_class}")


def _first(text: str) -> str:
    """The first line of an error that says something, shortened."""
    lines = [line for line in plain(text).splitlines() if line.strip()]
    told = next(
        (line for line in lines if line.startswith("ERROR") or "error:" in line.lower() or "error notarget" in line),
        lines[0] if lines else "",
    )
    return told[:300]


def _mended(files: Files, trial: TriedWay, named: Sequence[str]) -> Iterator[Candidate]:
    """The same way with what its log names as missing, as far as the project itself names it; without what cannot be installed."""
    candidate, missing = trial.candidate, trial.missing
    if project := _python_project(files, candidate):
        yield from _more_packages(candidate, missing, project)
        yield from _open_versions(candidate, missing, named)
    yield from _fewer_packages(candidate, missing)


def _python_project(files: Files, candidate: Candidate) -> PythonProject | None:
    """The project that a candidate tests, if it is one of Python."""
    toolchain = candidate.plan.toolchain
    return python_project(files, toolchain) if language_of(toolchain) == "python" else None


def _more_packages(candidate: Candidate, missing: Missing, project: PythonProject) -> Iterator[Candidate]:
    wanted = {package_of(name) for name in missing.modules} | {
        FIXTURES[name] for name in missing.fixtures if name in FIXTURES
    }
    known = {each.name: each for each in reversed(project.declared)}
    more = [
        known[name]
        for name in sorted(wanted)
        if name in known and known[name].requirement not in candidate.plan.requires
    ]
    if more:
        names = tuple(each.requirement for each in more)
        said = Assumption(f"installed, as tests ask for it: {', '.join(names)}", more[0].source, "--requires")
        yield candidate.changed(f"with {', '.join(names)}", said, requires=(*candidate.plan.requires, *names))


def _open_versions(candidate: Candidate, missing: Missing, named: Sequence[str]) -> Iterator[Candidate]:
    """With any version of what cannot be installed in the one that is asked for; what a person named stays."""
    gone = {_plain(name) for name in missing.uninstallable}
    requires = candidate.plan.requires
    loose = tuple(
        package_name(item)
        if item not in named and ((missing.conflict and "==" in item) or package_name(item) in gone)
        else item
        for item in requires
    )
    if (missing.conflict or gone) and loose != requires:
        said = Assumption("versions that cannot be installed together, or here, are left open", "", "--requires")
        yield candidate.changed("open versions", said, requires=tuple(dict.fromkeys(loose)))


def _fewer_packages(candidate: Candidate, missing: Missing) -> Iterator[Candidate]:
    """Without what cannot be installed."""
    gone = {_plain(name) for name in missing.uninstallable}
    rest = tuple(item for item in candidate.plan.requires if package_name(item) not in gone)
    if rest != candidate.plan.requires:
        said = Assumption(f"left out, as it cannot be installed here: {', '.join(sorted(gone))}", "", "--requires")
        yield candidate.changed(f"without {', '.join(sorted(gone))}", said, requires=rest)


def package_name(requirement: str) -> str:
    """The name of a package of Python or of npm, without its versions. Example: `Ruamel.YAML[x]>=1` gives `ruamel-yaml`."""
    return _plain(re.split(r"[\s\[;<>=!~]|(?<=.)@", requirement)[0])


def _plain(name: str) -> str:
    return name if "/" in name else re.sub(r"[-_.]+", "-", name).lower()


def _is_like(one: Candidate, other: Candidate) -> bool:
    """Whether two ways differ in nothing but packages and a build."""
    tests = [each.plan.command.rpartition('" ')[2] for each in (one, other)]
    return tests[0] == tests[1] and one.plan.toolchain == other.plan.toolchain


def _without_failures(files: Files, trials: Iterable[TriedWay]) -> Iterator[Candidate]:
    """Of the ways in which pytest ran the most tests, the same without tests that fail here: nearly all must pass, or nearly all files of tests can be read."""
    ran = [trial for trial in trials if trial.result and "pytest" in trial.candidate.plan.command]
    best = max(ran, key=_passes, default=None)
    if best is None or best.missing.service:
        return
    names = sorted({name.partition("[")[0] for name in best.missing.failed})
    known = best.candidate.plan.command
    unreadable = [name for name in names if "::" not in name]
    few = (
        len(names) <= _SHARE * (_passes(best) + len(names))
        if not unreadable
        else len(unreadable) <= _SHARE * _test_files(files)
    )
    if not 0 < len(names) <= _FEW or not few or all(f" {quote(name)}" in known for name in names):
        return
    words = [f"--deselect {quote(name)}" if "::" in name else f"--ignore {quote(name)}" for name in names]
    said = Assumption(f"left out, as they fail here before anything is changed: {_few(names)}", "", "--test-command")
    yield best.candidate.changed("without tests that fail here", said, command=" ".join([known, *words]))


def _passes(trial: TriedWay) -> int:
    return (trial.result.passed or 0) if trial.result else -1


def _test_files(files: Files) -> int:
    return sum(is_test(path) for path in files)


def _remedies(files: Files, trials: Iterable[TriedWay]) -> Iterator[str]:
    """What a person can do, the likeliest first."""
    known = list(trials)
    if not known:
        named = "" if _test_files(files) else ", and no file is named as tests are (test_NAME.py, NAME.test.js)"
        yield f"nothing in its files shows how it is tested{named}: if it has tests, name what runs them with --test-command, and the toolchain with --toolchain"
        return
    best = max(known, key=_passes)
    for trial in known:
        if trial.is_toolchain_missing:
            yield _toolchain_remedy(trial)
    if all(trial.is_toolchain_missing for trial in known):
        return
    if project := _python_project(files, best.candidate):
        missing = {name for trial in known for name in trial.missing.modules} & set(project.unnamed)
        for name in sorted(missing):
            yield f"tests import `{name}`, which nothing installs: add it with --requires {package_of(name)}"
    for name in dict.fromkeys(name for trial in known for name in trial.missing.packages):
        yield f"tests need the package {name}, which is not installed: add it with --requires {name}"
    for name in dict.fromkeys(name for trial in known for name in trial.missing.fixtures if name in FIXTURES):
        yield f"tests use the fixture `{name}`: add its plugin with --requires {FIXTURES[name]}"
    if service := next((trial.missing.service for trial in known if trial.missing.service), ""):
        yield f"tests need {service}, and nothing runs beside them in the sandbox: name those that do without it with --test-command"
    if "allow-network-setup" in best.log:
        yield "its set-up needs the network: if you trust this project, allow it with --allow-network-setup"
    if best.result is not None and best.result.verdict_class == "timeout":
        yield "name fewer tests with --test-command, or give them longer: timeout_s in [tests] of ghosttape.toml"
    if failing := failing_tests(best.log):
        yield f"these fail here: {_few(failing)}: name a command that runs the others with --test-command"
    else:
        yield f"{best.problem} (with {best.candidate.plan.command}): name another command with --test-command"


def _few(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _toolchain_remedy(trial: TriedWay) -> str:
    """What to install, with what it is wanted for."""
    why = [each for each in trial.candidate.assumptions if each.flag == "--toolchain"]
    because = "".join(f" ({each.said}: {each.source})" for each in why if each.source)
    return f"{trial.problem}{because}" + ("; --toolchain names another version" if why else "")
