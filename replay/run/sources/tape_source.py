"""A tape as a source of moments: a player on its events, judged by the tests of its project."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import cached_property

import msgspec

from replay.errors import LeftOutError, ReplayError
from replay.judge.shared_results import ResultsInScope
from replay.judge.tape_cases import TapeCases, TapeTests, prepare_tests
from replay.judge.tape_project import (
    ProjectMissingError,
    clones_of,
    origins_of_tests,
    setup_variables,
    starting_files,
    with_tests,
)
from replay.options import ReplayOptions
from replay.play.assistant import Reply, Steps
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, Instruction
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.records import Verdict
from replay.run.sources.seam import Subject, TestContext
from replay.tapes.chosen_paths import is_excluded
from replay.tapes.file_kinds import file_kind
from replay.tapes.tape import Edit, Folder, Ghost, Open, Select, Tape, Tests
from replay.tapes.timeline import Timeline
from runners.errors import IndexUnreachable, SetupFailed
from runners.verdicts import tail
from server.edit_answers import ProposedChange, edit_answer
from server.nearest import did_you_mean

EXCLUDED = "left out by --exclude"
"""Why nothing is asked in a document that the user excludes."""
_NAMED = 8
"""How many documents an error names."""


def check_paths(tapes: Sequence[Tape], paths: Sequence[str]) -> None:
    """Refuse a path with which no document of any tape begins.

    Raises:
        ReplayError: says which path, and what is near.

    """
    known = sorted({event.path for tape in tapes for event in tape.events if isinstance(event, Open)})
    for path in paths:
        if not any(name.startswith(path) for name in known):
            near = did_you_mean(path, known) or (f": they have {', '.join(known[:_NAMED])}" if known else "")
            raise ReplayError(f"--path {path}: no document of the tapes begins with it{near}")


def unmatched(tapes: Sequence[Tape], excluded: Sequence[str]) -> list[str]:
    """What is excluded, but leaves out no document of any tape."""
    known = {event.path for tape in tapes for event in tape.events if isinstance(event, Open)}
    return [one for one in excluded if not any(is_excluded(path, [one]) for path in known)]


@dataclass(frozen=True, slots=True)
class ExpectedQuestions:
    """How often an editor is going to ask on a tape: `exact`, or at most so often."""

    asks: int
    given_up: int
    """Of these, those that the editor may give up before the answer comes."""
    exact: bool


@dataclass(frozen=True)
class TapeSource:
    """A tape under the policy, the user and the latency of the options."""

    tape: Tape
    options: ReplayOptions

    @property
    def name(self) -> str:
        """The tape's id."""
        return self.tape.header.id

    @property
    def origin(self) -> str:
        """The file of the tape."""
        return self.tape.source

    @cached_property
    def digest(self) -> str:
        """A hash of the header, all events, and the files of a project that lies in a folder."""
        hashed = hashlib.sha256(msgspec.json.encode(self.tape.header))
        for event in self.tape.events:
            hashed.update(msgspec.json.encode(event))
        if self.options.tests and isinstance(self.tape.header.workspace, Folder):
            hashed.update(msgspec.json.encode(starting_files(self.tape)))
        return hashed.hexdigest()[:32]

    @property
    def size(self) -> int:
        """How many events the tape has."""
        return len(self.tape.events)

    @property
    def is_timed(self) -> bool:
        """Whether the policy goes by time, or accepted text changes what follows."""
        return policy_of(self.options.policy, self.options.policies).is_timed or self.options.mode == "drive"

    def has_places(self) -> bool:
        """Whether the policy asks anywhere on the tape; one that goes by time is taken to do so."""
        policy = policy_of(self.options.policy, self.options.policies)
        if policy.is_timed:
            return True
        timeline = Timeline(self.tape)
        skipped, begins = self._skipped(timeline), tuple(self.options.paths) or ""
        return any(place.path.startswith(begins) and place.path not in skipped for place in policy.places(timeline))

    def check(self) -> None:
        """Refuse options that contradict each other, and a latency that this tape cannot give."""
        options, user = self.options, user_of(self.options.user)
        if user.needs_tests and not options.tests:
            raise ReplayError(
                f"the user {options.user!r} accepts what passes the tests: run them (leave --no-tests out)"
            )
        if options.samples > 1 and self.is_timed:
            raise ReplayError(
                "--samples asks several times at one moment, so moments must stand alone: use --policy blocks and --mode judge"
            )
        if policy_of(options.policy, options.policies).asks == "edits":
            self._check_edits()
        latency_of(options.latency, 0, self.tape)
        if options.tests:
            with_tests(self.tape, options)
            with suppress(ProjectMissingError):  # only this tape is left out then
                starting_files(self.tape, clones_of(options))

    def _check_edits(self) -> None:
        """Refuse what has no meaning where next edits are asked for."""
        from server.providers.registry import (  # with all that wraps a provider, which other replays need in the server alone
            PROVIDERS,
            edit_providers,
        )

        options, provider = self.options, self.options.settings.provider.name
        if options.mode == "drive" or options.ablate:
            flag = "--mode drive" if options.mode == "drive" else "--ablate repairs"
            raise ReplayError(
                f"{flag} is not for next edits: leave it out, or choose another --policy than {options.policy}"
            )
        if provider in PROVIDERS and provider not in edit_providers():
            able = ", ".join(edit_providers())
            raise ReplayError(
                f"provider {provider!r} proposes no edits: choose one of {able}, or another --policy than {options.policy}"
            )

    async def open(self, context: TestContext, stack: AsyncExitStack) -> Subject:
        """Lay the project out and run its tests, if anything is tested."""
        options = self.options
        tape = self.tape if context.sandbox is None else self._with_project()
        timeline = Timeline(tape)
        try:
            tests = await self._tests(timeline, context)
        except SetupFailed as error:
            raise LeftOutError(why_not_set_up(error), lacking=False) from error
        stack.push_async_callback(tests.close)
        origins = {} if context.sandbox is None else origins_of_tests(self.tape.header.tests, options)
        settings = tape.header.tests
        if (fault := tests.cases.fault) is not None and settings is not None and not options.keep_going:
            raise LeftOutError(why_left_out(fault, settings, origins), lacking=False)
        if user_of(options.user).needs_tests and tests.judge is None:
            reason = f"the tape names no tests, and the user {options.user!r} goes by them"
            raise LeftOutError(reason, lacking=False)
        return Subject(
            player=lambda sample: self._player(timeline, sample),
            located=tests.cases.located,
            judge=tests.judge,
            answer=(lambda ask: _truth(tests.cases, ask)) if options.is_oracle else None,
            skipped=self._skipped(timeline),
            keys=sum(map(timeline.is_by_hand, range(len(tape.events)))),
            no_person=self._no_person(timeline),
            warnings=[*tests.warnings],
            tests_from=origins,
        )

    async def _tests(self, timeline: Timeline, context: TestContext) -> TapeTests:
        options = self.options
        return await prepare_tests(
            timeline,
            context.sandbox,
            context.cache,
            context.slots,
            context.notify,
            clones=clones_of(options),
            selects=options.which_tests == "touching",
            seed=options.seed,
            tested=context.tested,
            shared=ResultsInScope(context.shared, self._scope(timeline.tape, context)) if context.shared else None,
            adherence=context.adherence,
        )

    def _scope(self, tape: Tape, context: TestContext) -> str:
        """What results of its tests depend on beside the text: all of the tape with its project, and how it is set up and tested."""
        options, sandbox = self.options, context.sandbox.name if context.sandbox else ""
        how = (
            options.network_setup,
            sorted(setup_variables(tape.header.tests, os.environ).items()) if tape.header.tests else (),
        )
        return repr((self.digest, sandbox, msgspec.json.encode(tape.header.tests), how))

    @cached_property
    def expected(self) -> ExpectedQuestions:
        """How often the editor asks for each sample: the tape is played with answers that say nothing, where answers do not decide it."""
        policy, options = policy_of(self.options.policy, self.options.policies), self.options
        if options.mode == "judge" and not policy.asks_by_answers:
            asks = list(_asks(self._player(Timeline(self.tape), 0)))
            given_up = sum(ask.will_cancel or ask.patience < math.inf for ask in asks)
            return ExpectedQuestions(len(asks), given_up, exact=True)
        kinds = (Edit, Ghost, Select) if policy.moves else (Edit, Ghost)
        most = sum(isinstance(event, kinds) for event in self.tape.events)  # each has it asked once at most
        if options.mode == "drive":  # and so has what is accepted
            most = 2 * self.size + 1
        most = min(most, most if options.limit is None else options.limit)
        return ExpectedQuestions(most, most if policy.cancels else 0, exact=False)

    def _no_person(self, timeline: Timeline) -> dict[str, int]:
        """How much of the tape no person wrote, and how many places of the policy are left out for it."""
        policy = policy_of(self.options.policy, self.options.policies)
        return timeline.by_no_person() | {"places": policy.places_left_out(timeline)}

    def _with_project(self) -> Tape:
        """The tape with the tests that count; left out where no clone has its project."""
        try:
            starting_files(self.tape, clones_of(self.options))
        except ProjectMissingError as error:
            raise LeftOutError(str(error), lacking=True, project=error.project) from error
        return with_tests(self.tape, self.options)

    def _skipped(self, timeline: Timeline) -> dict[str, str]:
        """The documents without moments, with the reason: those that the user excludes, and by their kind those that he does not name."""
        edited = [path for path, edits in timeline.edits.items() if edits]
        excluded = {path: EXCLUDED for path in edited if is_excluded(path, self.options.excluded)}
        if self.options.paths:
            return excluded
        kinds = {path: file_kind(path, timeline.final[path]) for path in edited}
        return {
            path: kind for path, kind in kinds.items() if kind and not (kind == "tests" and self.options.include_tests)
        } | excluded

    def _player(self, timeline: Timeline, sample: int) -> Player:
        options = self.options
        return Player(
            timeline,
            policy_of(options.policy, options.policies),
            user_of(options.user),
            latency_of(options.latency, options.seed, timeline.tape),
            drive=options.mode == "drive",
            seed=options.seed,
            limit=options.limit,
            paths=options.paths,
            skipped=self._skipped(timeline),
            sample=sample,
            only=options.moments,
        )


def _asks(player: Player) -> Iterator[Ask]:
    """What a player asks if every answer is empty."""
    steps = player.play()
    reply: Reply = None
    while (step := _next(steps, reply)) is not None:
        reply = Answer(0.0) if isinstance(step, Ask) else None
        if isinstance(step, Ask):
            yield step


def _next(steps: Steps, reply: Reply) -> Instruction | None:
    try:
        return steps.send(reply)
    except StopIteration:
        return None


def _truth(cases: TapeCases, ask: Ask) -> str | None:
    """What was really written at the moment that a question is about, or done next."""
    if ask.moment.next_edit is not None:
        return edit_answer([ProposedChange(one.path, *one.change) for one in ask.moment.next_edit.changes])
    hole = cases.hole(ask.spot)
    return None if isinstance(hole, str) else hole.truth


# Why a tape is left out whose finished project fails its own tests, and what can be done about it.

_LOG = 1500
"""Characters of the end of the log that are shown."""
_HOW: Mapping[str, str] = {
    "broken-baseline": "does not pass in the finished project itself",
    "flaky": "passes only sometimes in the finished project itself",
    "infrastructure": "could not be run in the finished project, which is this machine's fault",
}
_AGAIN = "The same command tries it again; --keep-going asks all the same."
_ANOTHER = (
    "Name another command with --test-command, or what it needs with --requires, --setup or --toolchain; --keep-going asks all "
    "the same."
)


def why_not_set_up(error: SetupFailed) -> str:
    """Say why a project could not be set up, what to do, and then the rest of what is known."""
    if isinstance(error, IndexUnreachable):
        return f"{error}."
    first, _, rest = str(error).partition("\n")
    return (
        f"{first.rstrip('.')}. Name another set-up with --setup, or other packages with --requires or in ghosttape.toml."
        + (f"\n{rest}" if rest else "")
    )


def why_left_out(fault: Verdict, tests: Tests, origins: Mapping[str, str]) -> str:
    """Say which command ran, where it comes from, how it ended and what to do, with the end of its log.

    `fault` is the verdict on the finished project, `origins` says where each member of its tests comes from.
    """
    name = fault.reason or fault.name
    where = "" if tests.cwd == "." else f" in the folder {tests.cwd!r}"
    command = f"`{tests.command}` ({origins.get('command', 'tape')}){where}"
    ended = f" ({name}: {fault.message})" if fault.message else f" ({name})"
    said = f"{command} {_HOW.get(name, 'fails in the finished project itself')}{ended}, so that it can say nothing of a suggestion."
    log = f"\n{tail(fault.log, _LOG).strip()}" if fault.log.strip() else ""
    return f"{said} {_AGAIN if name == 'infrastructure' else _ANOTHER}{log}"
