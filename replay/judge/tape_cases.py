"""The moments of a tape as test cases: the finished project with its tests, and the hole that each moment cuts into it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
from msgspec import structs

from replay.judge.baselines import Notify, finished_project, passing_tests
from replay.judge.edit_grafts import edit_graft
from replay.judge.fitting import Fit, clipped, fit, fit_fixed
from replay.judge.grafts import Hole, emptied, graft, hole_of, language_at, named, names_at, rewriting_of
from replay.judge.judge import Adherence, Judge
from replay.judge.selected_tests import Selection
from replay.judge.shared_results import ResultsInScope
from replay.judge.states import Case, Judgeable, ProjectState
from replay.judge.tape_project import other_files, starting_files
from replay.judge.tested_states import StateRun, Trials
from replay.play.player_instructions import MomentEnded, Spot
from replay.play.shown_edits import shown_edits
from replay.records import ANSWERED, Moment, NextEdit, Rewriting, Suggestion, Untestable, Verdict
from replay.tapes.timeline import Timeline
from runners.project import Project
from runners.protocol import Sandbox
from runners.verdicts import Result, RetryPolicy, against_baseline, restrict_to
from syntax.wanted import Stop

NO_TESTS = "nothing says how the project is tested: name --test-command, or [tests] in ghosttape.toml"
NO_WITNESS = "tests are judged by their status and summary alone, which the code under test may forge"


@dataclass(frozen=True, slots=True)
class TestWarning:
    """Why the tests of this tape cannot be trusted: a verdict class or another short name, and the first line of the reason."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ProjectTests:
    """The tests of a tape's project. `baseline` is the result of the finished project; each graft's result is compared with it."""

    project: Project
    baseline: Result
    final: Mapping[str, str]
    """Path → text of the finished documents."""
    lasting: bool = False

    @property
    def timeout_s(self) -> float:
        """Time limit (s) for one run of the tests."""
        return self.project.plan.timeout_s

    def for_emptied(self, finished: Result) -> ProjectTests:
        """The same tests: how long those of a project take does not hang on one part of it."""
        del finished
        return self

    def runs_of_emptied(self, state: ProjectState) -> int:
        """Once: a project's tests are many, and each takes long; one that comes and goes shows in the finished project, which runs twice."""
        return 1

    def key(self, state: ProjectState) -> str:
        """The text that differs between states: the changed documents."""
        return "\0".join(part for document in state.documents.items() for part in document)

    async def prepare(self, state: ProjectState) -> None:
        """Nothing: a project is made ready before the first moment."""

    async def run(self, state: ProjectState, only: frozenset[str] | None = None) -> Result:
        """Run the tests in a copy of the project."""
        return await self.project.run(state.documents, only)

    def compared(self, result: Result, state: ProjectState, only: frozenset[str] | None = None) -> Result:
        """Count a pass only if the same tests passed as in the finished project. The finished project itself is `flaky` if it fails."""
        found = against_baseline(result, restrict_to(self.baseline, only), list(state.documents))
        unchanged = all(self.final.get(path) == text for path, text in state.documents.items())
        blamed = found.verdict_class not in {"passed", "infrastructure"}
        return replace(found, verdict_class="flaky") if unchanged and blamed else found

    def is_repeatable(self, result: Result, state: ProjectState) -> bool:
        """No result is stored for other runs."""
        return False

    def explained(self, verdict: Verdict, result: Result, state: ProjectState) -> Verdict:
        """Nothing to add: the log of a project's tests names the failure."""
        return verdict


@dataclass(frozen=True, slots=True)
class TapeCases:
    """The cases of one tape. If the finished project cannot be tested, `fault` is the verdict on every moment."""

    timeline: Timeline
    tests: ProjectTests | None = None
    fault: Verdict | None = None

    def hole(self, spot: Spot | None) -> Hole | Untestable:
        """The hole that a moment cuts into the finished project, or the reason why it has none."""
        return "diverged" if spot is None else hole_of(self.timeline, spot.moment, spot.before, spot.after)

    def located(self, ended: MomentEnded) -> Moment:
        """The moment with what is known of it in the finished project; its truths only if there was an answer."""
        moment, spot = ended.moment, ended.spot
        if moment.next_edit is not None:
            truth = shown_edits(ended.texts, moment.next_edit.changes) if ended.ending.name in ANSWERED else ""
            return structs.replace(moment, truth=truth, **self._edit_names(moment, moment.next_edit))
        if spot is None:
            return moment
        there = named(self.timeline, spot.moment, spot.before, spot.after)
        moment = structs.replace(moment, hole=there.hole, function=there.function)
        if ended.ending.name not in ANSWERED:
            return moment
        within = (structs.replace(part, truth=self._truth(spot, part.stop, "")) for part in moment.within)
        return structs.replace(moment, truth=self._truth(spot, moment.stop, moment.truth), within=tuple(within))

    def _edit_names(self, moment: Moment, next_edit: NextEdit) -> dict[str, str]:
        """The names of what a next edit is about: the statement in the finished document in which it begins, and the outermost function around it."""
        if not next_edit.changes:
            return {"hole": f"{moment.path}:event {moment.event}"}
        path, start, end, _ = msgspec.structs.astuple(next_edit.changes[0])
        place, _ = self.timeline.carried(path, moment.event, start, end)
        return names_at(path, self.timeline.final[path], place)

    def _rewriting(self, spot: Spot | None) -> Rewriting | None:
        """What the place was and what it became, if it was rewritten."""
        return None if spot is None else rewriting_of(self.timeline, spot.moment, spot.before, spot.after)

    def _truth(self, spot: Spot, stop: Stop, known: str) -> str:
        """What the developer wrote at a place up to where a hint stops; what is known already where there is no hole."""
        hole = self.hole(replace(spot, moment=structs.replace(spot.moment, stop=stop)))
        return known if isinstance(hole, str) else hole.truth

    def case(self, asked: Judgeable) -> Case | Verdict:
        """The states that decide about a suggestion; what offered nothing is tested as nothing."""
        if self.fault is not None:
            return self.fault
        moment, spot = asked.moment, asked.spot
        if moment.next_edit is not None:
            return self._edit_case(asked, moment.next_edit)
        hole = self.hole(spot)
        if isinstance(hole, str) or spot is None:
            return Verdict(name="untestable", reason=str(hole), rewriting=self._rewriting(spot))
        suggestion = _on_tape(asked.suggestion, moment, spot.moment)
        if moment.stop != "auto":
            return self._case(fit_fixed(self.timeline, hole, spot, suggestion), spot, suggestion)
        kept = clipped(hole, spot, suggestion)
        fixed = self._case(fit_fixed(self.timeline, hole, spot, kept), spot, kept)
        case = self._case(fit(self.timeline, hole, spot, suggestion), spot, suggestion)
        return case if case == fixed else replace(case, fixed=fixed)

    def _edit_case(self, asked: Judgeable, next_edit: NextEdit) -> Case | Verdict:
        """The states that decide about an edit suggestion; what offered nothing is tested as no change."""
        assert self.tests is not None
        if next_edit.kind == "silence":
            return Verdict(name="untestable", reason="silence")
        changes = asked.suggestion.changes if asked.suggestion else ()
        found = edit_graft(self.timeline, asked.moment, asked.texts, changes)
        if found is None:
            return Verdict(name="untestable", reason="rewritten")
        if found.is_broken(self.timeline.final):
            return Verdict(name="untestable", reason="unparsable")
        return Case(self.tests, _state(found.grafted), _state(found.emptied), is_elsewhere=found.is_elsewhere)

    def _case(self, fitted: Fit, spot: Spot, suggestion: Suggestion) -> Case:
        assert self.tests is not None
        hole = fitted.hole
        line = hole.final.count("\n", 0, hole.start) + 1
        return Case(
            tests=self.tests,
            graft=ProjectState(hole.path, graft(hole, suggestion, spot.moment, spot.before, spot.after), line=line),
            emptied=ProjectState(hole.path, emptied(fitted.emptied, language_at(spot.moment)), line=line),
            hole=hole,
            part=fitted.part,
            repeats=fitted.repeats,
        )


@dataclass(slots=True)
class TapeTests:
    """The cases of a tape, the judge that tests them, and warnings about how far the verdicts can be trusted."""

    cases: TapeCases
    judge: Judge | None = None
    warnings: tuple[TestWarning, ...] = ()
    _project: Project | None = None
    _trials: Trials | None = field(default=None)

    async def close(self) -> None:
        """Stop what runs and remove the copies of the project."""
        if self._trials is not None:
            await self._trials.close()
        if self._project is not None:
            self._project.close()


async def prepare_tests(
    timeline: Timeline,
    sandbox: Sandbox | None,
    cache: Path,
    slots: asyncio.Semaphore,
    notify: Notify,
    *,
    clones: Sequence[Path] = (),
    selects: bool = False,
    seed: int = 0,
    tested: Callable[[StateRun], None] = lambda _: None,
    shared: ResultsInScope | None = None,
    adherence: Adherence | None = None,
) -> TapeTests:
    """Write the finished project to disk and run its tests twice: a failing or flaky test there is not the model's fault.

    `shared` are results that other runs have too; its scope says what the project is. `tested` is told of each later run of the tests. With `selects`, the first of the two runs records which test executes which function; each graft then runs only some
    tests.

    Raises:
        RunnerError: the toolchain or the sandbox is missing, or the project's set-up failed.
        ProjectError: the project cannot be laid out, or no clone has the tape's commit.

    """
    settings = timeline.tape.header.tests
    if sandbox is None:
        return TapeTests(TapeCases(timeline))
    if settings is None:
        return TapeTests(TapeCases(timeline), warnings=(TestWarning("no tests", NO_TESTS),))
    files, retries = starting_files(timeline.tape, clones) | timeline.final, RetryPolicy()
    others = other_files(timeline.tape, clones)
    found = await finished_project(
        files, settings, sandbox, cache, notify, retries=retries, selects=selects, others=others, shared=shared
    )
    project, baseline, fault = found.project, found.baseline, found.fault
    cases = TapeCases(timeline, ProjectTests(project, baseline, timeline.final), fault)
    if shared is not None:
        shared = replace(shared, scope=f"{shared.scope} {passing_tests(found)}")
    trials = Trials(slots, shared=shared, retries=retries, notify=tested)
    selection = Selection(found.coverage, baseline.tests or frozenset(), seed) if selects else None
    return TapeTests(
        cases, Judge(cases, trials, selection, adherence=adherence), _warnings(fault, baseline), project, trials
    )


def _warnings(fault: Verdict | None, baseline: Result) -> tuple[TestWarning, ...]:
    broken = [TestWarning(fault.reason or fault.name, fault.message)] if fault is not None else []
    forgeable = [TestWarning("no witness", NO_WITNESS)] if baseline.tests is None and not broken else []
    return (*broken, *forgeable, *damage_warnings([baseline.damage]))


def damage_warnings(damages: Iterable[str]) -> Iterator[TestWarning]:
    """The warnings about damaged JUnit files (`Result.damage`); none for an empty one."""
    for damage in dict.fromkeys(filter(None, damages)):
        yield TestWarning("damaged report", f"not every test may be known, as a JUnit file is damaged: {damage}")


def _state(documents: Mapping[str, str]) -> ProjectState:
    """The finished project with some documents of another text."""
    (path, text), *others = documents.items()
    return ProjectState(path, text, tuple(others))


def _on_tape(offered: Suggestion | None, moment: Moment, there: Moment) -> Suggestion:
    """A suggestion with its range in the recorded document. In drive mode the actual document may be ahead of it."""
    if offered is None:
        return Suggestion(text="", start=there.offset, end=there.offset, latency=0.0)
    shift = there.offset - moment.offset
    return structs.replace(offered, start=max(0, offered.start + shift), end=max(there.offset, offered.end + shift))
