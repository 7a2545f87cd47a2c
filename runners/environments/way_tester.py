"""Tries the ways in which a project may be tested, in the sandbox, until one works."""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote

from runners.environments.candidate import Assumption, Candidate
from runners.environments.manifests import Files
from runners.environments.python.python_candidates import PythonProject, is_test, package_of, python_project
from runners.environments.tried_ways import (
    FIXTURES,
    KeptTrials,
    Missing,
    TriedWay,
    error_line,
    failing_tests,
    problem_of,
)
from runners.errors import IndexUnreachable, MachineFails, RunnerError, SandboxFailed, SetupFailed, ToolchainMissing
from runners.other_files import NOTHING, OtherFiles
from runners.project import SETUP_S, Project, prepare
from runners.protocol import Sandbox
from runners.toolchains import language_of
from runners.verdicts import Result

NOTHING_KEPT = KeptTrials()
WITHIN_S = 100.0
"""Finding out takes so long at most, unless a person gives the tests longer."""
MOST = 8
"""How many ways are tried at most."""
_FEW = 40
"""So many tests that fail here can be left out, if they are no more than `_SHARE` of all."""
_SHARE = 0.2
_LEAST_S = 1.0
"""What is begun has so much time at least."""
_GRACE_S = 15.0
"""So much longer than its limit a run may take, to lay out its files and to end."""
_SHOWN = 3
"""So many tests are named."""


@dataclass(frozen=True, slots=True)
class WorkingWay:
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
    """Where ways are tried. `within_s`: finding out takes no longer, installing included; only a set-up that may use the network has `SETUP_S` beyond it, as what it fetched would be lost. `named`: packages that a person asks for, with their versions."""

    sandbox: Sandbox
    cache: Path
    notify: Callable[[str], None]
    within_s: float = WITHIN_S
    now: Callable[[], float] = field(default=time.monotonic)
    named: tuple[str, ...] = ()
    others: OtherFiles = NOTHING
    """What the project has beside the texts that are tried."""

    @property
    def ends(self) -> float:
        """When finding out is over, if it begins now; on the clock `now`."""
        return self.now() + self.within_s

    async def first_working(
        self,
        files: Files,
        candidates: Iterable[Candidate],
        kept: KeptTrials = NOTHING_KEPT,
        ends: float | None = None,
    ) -> WorkingWay:
        """Find the first way in which the tests pass. What a log names as missing is added if a file of the project names it; where nearly all tests pass, the others are left out.

        Ways that `kept` knows are not tried again. At `ends` (see there; by default `within_s` from now on) what runs is stopped.

        Raises:
            NotTestable: no way was found; says what to do.
            SandboxFailed, MachineFails: the machine failed.
            SetupFailed: a package that a person asks for cannot be installed, or none can be (`IndexUnreachable`).

        """
        ends = self.ends if ends is None else ends
        queue, trials, seen, again = deque(candidates), list[TriedWay](), set[str](), 0
        while queue and len(trials) < MOST and (not trials or self.now() < ends):
            candidate = queue.popleft()
            if repr(candidate.plan) in seen:
                continue
            seen.add(repr(candidate.plan))
            before = kept.of(candidate)
            again += before is not None
            trial = await self.tried(files, candidate, kept, ends)
            trials.append(trial)
            if trial.result is not None and not trial.problem:
                return WorkingWay(trial.candidate, trial.result, tuple(trials))
            self._refuse_uninstallable(trial)
            if not trial.is_toolchain_missing:  # the error says it
                self.notify(f"that did not work{' before' if before else ''}: {trial.problem}")
            queue = _still_likely(queue, trial)
            queue.extendleft(reversed([*_mended(files, trial, self.named)]))
            if not queue:
                queue.extend(_without_failures(files, trials))
        raise NotTestable(tuple(trials), tuple(_remedies(files, trials, again)))

    async def tried(self, files: Files, candidate: Candidate, kept: KeptTrials, ends: float) -> TriedWay:
        """Try one way, once more if it may have failed by chance, and keep how it ended; or say how it ended before."""
        if before := kept.of(candidate):
            return before
        trial = await self.try_one(files, candidate, ends)
        if trial.may_be_chance and self.now() < ends:
            self.notify(f"once more, as it may be chance: {trial.problem}")
            trial = await self.try_one(files, candidate, ends)
        kept.keep(trial)
        return trial

    def _refuse_uninstallable(self, trial: TriedWay) -> None:
        """End where a package cannot be installed that a person asks for. What was only found in files may be left out."""
        gone = {_plain(name) for name in trial.missing.uninstallable}
        if refused := next((each for each in self.named if package_name(each) in gone), ""):
            reason = trial.problem.removeprefix("ERROR: ").partition(" (from versions: ")[0]
            raise SetupFailed(
                f"--requires {refused}: it cannot be installed: {reason}: are name and version right, and is there a network?"
            )

    async def try_one(self, files: Files, candidate: Candidate, ends: float | None = None) -> TriedWay:
        """Set a project up as a candidate says, and run its tests once; both are stopped at `ends`, by default `within_s` from now on."""
        began = self.now()
        ends = self.ends if ends is None else ends
        self.notify(f"trying: {candidate.plan.command}")
        fetching = SETUP_S if candidate.plan.network else 0.0
        try:
            async with asyncio.timeout(max(ends - began, _LEAST_S) + fetching):
                project = await prepare(
                    files, candidate.plan, self.sandbox, self.cache, self.notify, others=self.others
                )
        except TimeoutError:
            return self._cut(candidate, began, "its packages are installed, and it is set up")
        except ToolchainMissing as error:
            return TriedWay(candidate, None, str(error), "", self.now() - began, is_toolchain_missing=True)
        except (IndexUnreachable, MachineFails, SandboxFailed):
            raise  # no other way would fare better
        except RunnerError as error:
            said = str(error).replace(f" {candidate.plan.setup!r}", "")  # it was shown when it began
            return TriedWay(candidate, None, error_line(said), str(error), self.now() - began)
        return await self._run(project, candidate, began, max(ends - self.now(), _LEAST_S))

    async def _run(self, project: Project, candidate: Candidate, began: float, left_s: float) -> TriedWay:
        """Run the tests of a project that is set up, no longer than there is time."""
        limit_s = min(candidate.plan.timeout_s, left_s)
        try:
            async with asyncio.timeout(limit_s + _GRACE_S):
                result = await replace(project, plan=replace(project.plan, timeout_s=limit_s)).run({})
        except TimeoutError:
            return self._cut(candidate, began, "its tests end")
        finally:
            project.close()
        if result.verdict_class == "timeout" and limit_s < candidate.plan.timeout_s:
            return self._cut(candidate, began, "its tests end", result)
        problem, unsupported = problem_of(result, candidate.plan), project.layer.unsupported
        return TriedWay(candidate, result, problem, result.log, self.now() - began, unsupported=unsupported)

    def _cut(self, candidate: Candidate, began: float, until: str, result: Result | None = None) -> TriedWay:
        """A way that was stopped, as the time is over."""
        problem = f"stopped before {until}: finding out takes no longer than {self.within_s:g} s"
        return TriedWay(candidate, result, problem, result.log if result else "", self.now() - began, is_cut=True)


def _still_likely(queue: deque[Candidate], trial: TriedWay) -> deque[Candidate]:
    """The ways that are left after one failed, the likeliest first."""
    failed = trial.candidate
    if trial.result is not None and not trial.missing.is_more_needed:
        queue = deque(other for other in queue if not _is_like(other, failed))
    if trial.is_toolchain_missing:
        queue = deque(other for other in queue if other.plan.toolchain != failed.plan.toolchain)
    if trial.missing.metadata:
        queue = deque(sorted(queue, key=lambda other: not other.plan.setup))
    return queue


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
    """Without what cannot be installed, or needs such a package."""
    gone = {_plain(name) for name in (*missing.uninstallable, *missing.needing)}
    rest = tuple(item for item in candidate.plan.requires if package_name(item) not in gone)
    if rest != candidate.plan.requires:
        left_out = [package_name(item) for item in candidate.plan.requires if item not in rest]
        why = f" (nor {', '.join(missing.uninstallable)}, which it needs)" if missing.needing else ""
        said = Assumption(f"left out, as it cannot be installed here: {', '.join(left_out)}{why}", "", "--requires")
        yield candidate.changed(f"without {', '.join(left_out)}", said, requires=rest)


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
    names = sorted({name.partition("[")[0] for name in _failed(best)})
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


def _failed(trial: TriedWay) -> set[str]:
    """What failed: as the log names it; where that was cut, and names less than failed, as the witness does too."""
    named, result = set(trial.missing.failed), trial.result
    if result is not None and len(named) < (result.failed or 0):
        named |= {name for name in result.failing if "::" in name}
    return named


def _passes(trial: TriedWay) -> int:
    return (trial.result.passed or 0) if trial.result else -1


def _test_files(files: Files) -> int:
    return sum(is_test(path) for path in files)


def _remedies(files: Files, trials: Iterable[TriedWay], again: int) -> Iterator[str]:
    """What a person can do, the likeliest first; `again` says how many ways were not tried now, as they failed before."""
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
        yield f"tests need {service}, which does not run in the sandbox: name a command that runs the other tests with --test-command"
    if "allow-network-setup" in best.log:
        yield "its set-up needs the network: if you trust this project, allow it with --allow-network-setup"
    if best.candidate.plan.network and best.missing.unreached:
        yield f"its set-up could not reach {best.missing.unreached}, although it had the network: check the network, and pass on the variable of a proxy with --setup-env NAME"
    if any(trial.is_cut and trial.result is None for trial in known):
        yield "there was no time to set it up: the same command goes on with what was downloaded; --test-timeout SECONDS gives it longer"
    elif best.is_cut or (best.result is not None and best.result.verdict_class == "timeout"):
        yield "its tests may be slow: give them longer with --test-timeout SECONDS, or name fewer with --test-command"
    yield from _unsupported(best)
    if again:
        yield f"{again} of {len(known)} ways failed when they were tried before, and are not tried again for the same commit and flags: --try-again tries them"
    if failing := failing_tests(best.log):
        yield f"these fail here: {_few(failing)}: name a command that runs the others with --test-command"
    else:
        yield f"{best.problem} (with {best.candidate.plan.command}): name another command with --test-command"


def _unsupported(trial: TriedWay) -> Iterator[str]:
    """Where no test ran: the packages that are for other interpreters, of those that are required or in which errors arose."""
    if trial.result is None or trial.result.passed:
        return
    named = {package_name(item) for item in trial.candidate.plan.requires} | {*map(_plain, trial.missing.inside)}
    found = [each for each in trial.unsupported if package_name(each.package) in named][:_SHOWN]
    if found:
        wanted = "; ".join(f"{each.package} wants {each.wants}" for each in found)
        yield f"installed packages need another version of Node.js than {found[0].has}, which is installed here ({wanted}): install one that fits, or name older versions of the packages with --requires"


def _few(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _toolchain_remedy(trial: TriedWay) -> str:
    """What to install, with what it is wanted for."""
    why = [each for each in trial.candidate.assumptions if each.flag == "--toolchain"]
    because = "".join(f" ({each.said.partition(', as ')[2]}: {each.source})" for each in why if each.source)
    return f"{trial.problem}{because}" + ("; --toolchain names another version" if why else "")
