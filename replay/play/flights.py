"""Requests on the virtual clock: what waits for its debounce, what is under way, what an answer is worth when it comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from replay.play.player_instructions import Answer, Ask, MomentEnded
from replay.play.policies.policy import Policy
from replay.records import Ending, Suggestion
from replay.tapes.tape import Ghost, Tape
from replay.tapes.typing_along import Rest
from syntax.text import Change, common_prefix, common_suffix, cut, length


@dataclass(slots=True)
class PendingDebounce:
    """A change whose debounce runs, since when, and until when."""

    since: float
    due: float
    doc: int


@dataclass(slots=True)
class PendingRequest:
    """A request under way. `typed` is what was written at its place since, None when something else happened there.

    `came` is when the server has the answer, `due` when it may be shown (virtual ms). `fate` is what became of it on the tape, if that counts.
    """

    due: float
    doc: int
    ask: Ask
    answer: Answer
    suggestion: Suggestion
    kept: bool = False
    came: float = 0.0
    stale: bool = False
    typed: str | None = ""
    fate: RequestFate | None = None

    def outlasts(self, index: int) -> bool:
        """Whether the tape's editor still waited for it at event `index`."""
        return self.fate is not None and index < self.fate.event

    def pass_over(self, doc: int, changes: Sequence[Change]) -> None:
        """Take a change in that was made while it was under way."""
        if doc != self.doc:
            return
        self.stale = True
        here = self.ask.moment.offset + length(self.typed or "")
        if self.typed is None or len(changes) != 1 or changes[0][:2] != (here, here):
            self.typed = None
        else:
            self.typed += changes[0][2]

    def rest(self, *, follows: bool) -> str | None:
        """What is left of the suggestion to show after what was typed meanwhile; None where it does not fit any more."""
        text = self.suggestion.text
        if not self.stale:
            return text
        if not follows or not self.typed or self.suggestion.start != self.ask.moment.offset:
            return None
        rest = text.removeprefix(self.typed) if text.startswith(self.typed) else ""
        return rest or None


@dataclass(frozen=True, slots=True)
class Visible:
    """A suggestion on the screen that was not accepted: where, and what of it is left. `draw` is the person's luck with it.

    `closing` is what the editor closed behind it (`Rest`).
    """

    doc: int
    offset: int
    text: str
    draw: float = 0.0
    closing: str = ""

    def after(self, doc: int, changes: Sequence[Change]) -> Visible | None:
        """What is left of it on the screen after a change: the rest while it is typed as suggested."""
        rest = Rest(self.offset, self.text, self.closing).after(changes) if doc == self.doc else None
        if rest is None or not rest.is_visible:
            return None
        return replace(self, offset=rest.offset, text=rest.text, closing=rest.closing)


def outcome(flying: PendingRequest, policy: Policy, visible: Visible | None, fresh: str) -> Ending:
    """What an answer is worth when it comes. `fresh` is what accepting it would add."""
    answer = flying.answer
    if answer.given_up:
        return Ending("cancelled", "given up")
    if answer.failed:
        return Ending("failed", answer.failed)
    rest = flying.rest(follows=policy.follows)
    if rest is None:
        return Ending("late")
    if answer.filtered:
        return Ending("filtered", answer.filtered)
    if not rest:
        return Ending("late") if flying.stale else Ending("empty")
    if len(rest.strip()) < policy.min_suggestion:
        return Ending("filtered", f"shorter than {policy.min_suggestion} characters")
    if policy.extends and visible and visible.doc == flying.doc and not fresh.startswith(visible.text):
        return Ending("superseded", "does not extend what is shown")
    return Ending("shown")


def moment_ended(flying: PendingRequest, ending: Ending, covered: tuple[int, ...] = (), keys: int = 1) -> MomentEnded:
    """The end of a request, with its suggestion if an answer came."""
    ask = flying.ask
    suggestion = None if flying.answer.failed or flying.answer.given_up else flying.suggestion
    return MomentEnded(ask.moment, ask.before, ask.after, ending, suggestion, covered, ask.spot, keys, ask.texts)


def suggestion_of(answer: Answer, ask: Ask, latency: float) -> Suggestion:
    """An answer as a suggestion. Without text its range is the cursor."""
    at = ask.moment.offset
    return Suggestion(
        text=answer.text,
        start=answer.start if answer.text else at,
        end=answer.end if answer.text else at,
        latency=latency,
        raw=answer.raw,
        prompt=answer.prompt,
        provider=answer.provider,
        cache=answer.cache,
        trail=answer.trail,
        first_token=answer.first_token,
        prompt_tokens=answer.prompt_tokens,
        tokens=answer.tokens,
        finish=answer.finish,
        changes=answer.changes,
    )


def added(text: str, cursor: int, change: Change) -> Change:
    """What a suggestion really adds: without what it says again of the text left and right of the cursor.

    At another place than the cursor only what it takes the place of counts.
    """
    start, end, new = change
    cursor = max(start, min(cursor, end))
    left, right = cut(text, start, cursor), cut(text, cursor, end)
    head = common_prefix(left, new)
    tail = common_suffix(right, new[head:])
    return start + length(left[:head]), end - length(right[len(right) - tail :]), new[head : len(new) - tail]


# What the tape says became of the requests of its own assistant, for a policy that asks the same requests
# again.


@dataclass(frozen=True, slots=True)
class RequestFate:
    """How a request left the editor of the tape, and the index of the event that tells it.

    Up to that event the editor waited: moves of the cursor, another focus and further requests did not end the request then.
    """

    event: int
    name: Literal["answered", "cancelled"]


def fates(tape: Tape) -> dict[int, RequestFate]:
    """Request → its fate. A request has none if the tape does not tell its end (tapes of recorders before this was written down)."""
    told: dict[int, RequestFate] = {}
    for index, event in enumerate(tape.events):
        if isinstance(event, Ghost) and event.phase in {"shown", "empty", "cancelled"}:
            told.setdefault(
                event.request, RequestFate(index, "cancelled" if event.phase == "cancelled" else "answered")
            )
    return told
