"""Ablation of the repairs: one raw answer a moment, repaired with all steps, with none, and with each step alone left out.

The server is run without repairs. So it gives whole answers, where `stop` would end a stream early, and what the model says does
not depend on the arm. The repairs are done here then, by the same function on the same draft as the server's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from msgspec import structs

from replay.errors import ReplayError
from replay.options import RunOptions
from replay.play.player_instructions import Answer, Ask, MomentEnded
from replay.records import ALL, NONE, ArmTrial, Moment, Suggestion, TrailStep, Verdict, without
from server.repair.draft import Draft
from server.repair.offer import Repaired, offered
from server.settings import OWN_RULES, RepairName
from syntax.languages import language_of
from syntax.text import length


@dataclass(frozen=True, slots=True)
class Ablation:
    """The steps that are left out one at a time, and whose rules they follow."""

    steps: tuple[RepairName, ...]
    rules: str = OWN_RULES

    @property
    def arms(self) -> Mapping[str, tuple[RepairName, ...]]:
        """The steps of each arm by its name, first that with all of them."""
        left_out = {without(step): tuple(other for other in self.steps if other != step) for step in self.steps}
        return {ALL: self.steps, NONE: (), **left_out}

    def repaired(self, answer: Answer, ask: Ask) -> Answer:
        """A raw answer as it would have come from a server with all steps."""
        raw = answer.raw or answer.text
        if answer.failed or answer.given_up:
            return answer
        made = self._made(ask.moment, ask.before, ask.after, raw, self.steps)
        start, end = _range(ask.moment, ask.after, made)
        trail = _trail(made)
        return replace(answer, text=made.text, start=start, end=end, filtered=made.step or "", trail=trail, raw=raw)

    def others(self, ended: MomentEnded) -> Iterator[tuple[str, str, MomentEnded]]:
        """The answer of a moment in each other arm: its name, the step that emptied it ("" if none), and what is judged."""
        moment, before, after, suggestion = ended.moment, ended.before, ended.after, ended.suggestion
        for arm, steps in self.arms.items():
            if arm != ALL and suggestion is not None:
                made = self._made(moment, before, after, suggestion.raw, steps)
                offer = _suggested(suggestion, made, *_range(moment, after, made))
                yield arm, made.step or "", replace(ended, suggestion=offer)

    def _made(self, moment: Moment, before: str, after: str, raw: str, steps: tuple[RepairName, ...]) -> Repaired:
        language = language_of(moment.language) or language_of(moment.path)
        return offered(Draft(language, before, after, raw, moment.stop), steps, self.rules)


def ablation_of(options: RunOptions, *, is_timed: bool) -> Ablation | None:
    """What the options want ablated; None for nothing.

    Raises:
        ReplayError: arms cannot be compared under these options; the message says why, and what to change.

    """
    if not options.ablate:
        return None
    settings = options.settings
    if is_timed:
        raise ReplayError(
            "--ablate repairs compares the arms at the same moments, so moments must stand alone: use --policy blocks and --mode "
            "judge (elsewhere an answer can come too late, or change the moments that follow)"
        )
    if options.samples > 1:
        raise ReplayError("--ablate repairs compares one answer a moment in all arms: leave --samples out")
    if not options.tests:
        raise ReplayError("--ablate repairs compares what the tests say: run them (leave --no-tests out)")
    if not settings.repairs:
        raise ReplayError("--ablate repairs has nothing to leave out: choose some --repairs, or all")
    return Ablation(settings.repairs, settings.paper_rules)


def trial_of(ended: MomentEnded, arm: str, step: str, verdict: Verdict) -> ArmTrial:
    """What is kept of a moment's answer in one arm."""
    moment, offer = ended.moment, ended.suggestion
    language = language_of(moment.language) or language_of(moment.path)
    return ArmTrial(
        moment=moment.id,
        tape=moment.tape,
        place=f"{moment.path}:{moment.line + 1}:{moment.character + 1}",
        language=language.id if language else moment.language,
        arm=arm,
        text=offer.text if offer else "",
        start=offer.start if offer else moment.offset,
        end=offer.end if offer else moment.offset,
        step=step,
        verdict=structs.replace(verdict, log=""),
    )


def _suggested(suggestion: Suggestion, made: Repaired, start: int, end: int) -> Suggestion:
    return structs.replace(suggestion, text=made.text, start=start, end=end, trail=_trail(made))


def _range(moment: Moment, after: str, made: Repaired) -> tuple[int, int]:
    """What an answer takes the place of, in UTF-16 offsets: what stands right of the cursor that it says itself."""
    return moment.offset, moment.offset + length(after[: made.covered])


def _trail(made: Repaired) -> tuple[TrailStep, ...]:
    return tuple(TrailStep(step.step, step.before, step.after, step.undone) for step in made.trail)
