"""A suggestion on the screen, and what the person does with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from replay.play.drive.driven_documents import Pages
from replay.play.drive.rebase import RecordedPlace
from replay.play.flights import PendingRequest, RequestFate, Visible, added
from replay.play.latency import share_of
from replay.play.player_instructions import SendFeedback
from replay.play.policies.policy import Policy
from replay.play.stage import Stage
from replay.play.users.decisions import Decisions
from replay.play.users.recorded_requests import NOT_TYPED, RecordedDecision
from replay.play.users.user import Offer, User, takes
from replay.records import Ending
from replay.tapes.lasting_text import Followed, follow
from replay.tapes.tape import Close, Edit, Event, Focus, Ghost, Select
from syntax.text import Change, cut, length, minimal


@dataclass(frozen=True, slots=True)
class Decision:
    """How a shown moment ends. `covered` are the events made needless, `change` puts in what was accepted."""

    ending: Ending
    covered: tuple[int, ...] = ()
    change: Change | None = None
    accepted: str = ""
    keys: int = 1
    after: float = 0.0
    """When the person has decided (virtual ms): a rejection is what they do next."""


class Screen:
    """What is shown, and who looks at it."""

    def __init__(self, stage: Stage, lookahead: Lookahead, policy: Policy, user: User, seed: int) -> None:
        self.stage, self.lookahead, self.policy, self.user, self.seed = stage, lookahead, policy, user, seed
        self.visible: Visible | None = None
        self._decisions = Decisions(stage.timeline.tape)

    def decide(self, index: int, now: float, flying: PendingRequest, *, idle: float, passes: bool | None) -> Decision:
        """Show a suggestion just before event `index`, and let the user look at it. `idle` is ms since the last change."""
        start, end, new = self._change(flying)
        here = flying.ask.moment.offset + length(flying.typed or "")
        place = self.stage.place(index, flying.doc, start)
        followed = self._followed(place, flying, (start, end, new))
        then = self._then(flying, place, (start, end, new))
        offer = replace(self._offer(flying, here, followed), idle=idle, then=then, passes=passes)
        taken = max(0, min(self.user.accepts(offer), len(new)))
        self.visible = None if taken else Visible(flying.doc, here, new, offer.draw)
        if not taken:
            return self._not_taken(index, now, offer, since=place.event if place else index)
        whole = taken == len(new)
        covered = followed.until(taken) if followed.stood >= taken else ()
        return Decision(
            Ending("accepted" if whole else "part"),
            tuple(filter(self.stage.timeline.is_by_hand, covered)),
            (start, end if whole else start, new[:taken]),
            new[:taken],
            takes(new, offer.language, taken),
            now,
        )

    def fresh(self, flying: PendingRequest) -> str:
        """What accepting a suggestion would add."""
        return self._change(flying)[2]

    def pass_over(self, doc: int, changes: Sequence[Change]) -> None:
        """Take a change in: what is shown stays while it is typed as suggested."""
        if self.visible is not None:
            self.visible = self.visible.after(doc, changes)

    def _change(self, flying: PendingRequest) -> Change:
        """What accepting changes, without what the suggestion says again."""
        offset = flying.ask.moment.offset
        here = offset + length(flying.typed or "")
        start = here if flying.stale else flying.suggestion.start
        end = flying.suggestion.end + (here - offset if flying.suggestion.end >= offset else 0)
        rest = flying.rest(follows=self.policy.follows) or ""
        return added(self.stage.text(flying.doc), here, (start, end, rest))

    def _then(self, flying: PendingRequest, place: RecordedPlace | None, change: Change) -> RecordedDecision | None:
        """What the tape's person decided: about the same request, or, where the policy asks by itself, at the same place."""
        request = flying.ask.moment.request
        if request is not None:
            then = self._decisions.of(request)
        else:
            path = self.stage.path(flying.doc)
            then = self._decisions.at(path, place.event, place.offset) if place else None
        return then and then.about(minimal(self.stage.text(flying.doc), change)[2], change[2])

    def _followed(self, place: RecordedPlace | None, flying: PendingRequest, change: Change) -> Followed:
        start, end, new = change
        if place is None or not new:
            return Followed(new, (), ())
        begun = cut(place.text, place.offset, place.offset + end - start)
        path = self.stage.path(flying.doc)
        return follow(self.stage.timeline, path, place.event, place.offset, new, begun=begun)

    def _offer(self, flying: PendingRequest, here: int, followed: Followed) -> Offer:
        document = self.stage.text(flying.doc)
        return Offer(
            text=followed.wanted,
            before=cut(document, 0, here),
            after=cut(document, here, length(document)),
            language=flying.ask.moment.language,
            latency=flying.suggestion.latency,
            idle=0.0,
            followed=followed,
            confidence=flying.answer.confidence,
            draw=self._draw(flying, here, followed.wanted),
        )

    def _draw(self, flying: PendingRequest, here: int, text: str) -> float:
        """The person's luck with a suggestion: one draw for as long as it stands there, also when it is asked for again."""
        if self.visible and (self.visible.doc, self.visible.offset, self.visible.text) == (flying.doc, here, text):
            return self.visible.draw
        return share_of(self.seed, flying.ask.moment, "user")

    def _not_taken(self, index: int, now: float, offer: Offer, *, since: int) -> Decision:
        stays, followed = self.lookahead.next_change(index) - now, offer.followed
        if left := self.user.leaves(offer):
            return Decision(Ending(left), after=now)
        if followed.whole and self._is_typed(followed, since):
            return Decision(Ending("typed-through"), after=now)
        if stays < self.policy.seen:
            return Decision(Ending("superseded", "hardly seen"), after=now)
        if self.policy.patience and stays > self.policy.patience:
            return Decision(Ending("rejected"), after=now + self.policy.patience)
        if followed.touched:
            return Decision(Ending("rejected"), after=self.lookahead.times[followed.touched[0]])
        return Decision(Ending("shown"), after=now)

    def _is_typed(self, followed: Followed, since: int) -> bool:
        """Whether what came to stand there from event `since` on may have been typed: no undo, paste or acceptance brought it."""
        events = (self.lookahead.events[at] for at, _ in followed.steps if at >= since)
        return not any(isinstance(event, Edit) and event.reason in NOT_TYPED for event in events)


def notifications(flying: PendingRequest, decision: Decision) -> Iterator[SendFeedback]:
    """What the server hears of an item that was accepted, or its beginning."""
    item = flying.answer.item
    if item is None or decision.change is None:
        return
    if decision.ending.name == "accepted":
        yield SendFeedback(item, "accepted")
    else:
        start, _, text = decision.change
        yield SendFeedback(item, "part", start - flying.suggestion.start + length(text))


# What lies before and behind a point of a tape: when something next ends a wait, seen from the stage as it
# is now.


class Lookahead:
    """The events of a tape with their virtual times (ms). `asks` says at which words of the tape's assistant the policy asks."""

    def __init__(
        self, events: Sequence[Event], times: Sequence[float], stage: Stage, asks: Callable[[Ghost], bool]
    ) -> None:
        self.events, self.times, self.stage, self.asks = events, times, stage, asks

    def next_change(self, index: int) -> float:
        """When a text changes next, from event `index` on."""
        pages = self.stage.pages.copy()
        following = range(index, len(self.events))
        return next((self.times[at] for at in following if self._changes(at, pages)), math.inf)

    def given_up(self, index: int, doc: int, offset: int, fate: RequestFate | None = None) -> float:
        """When an editor next cancels a request at a place: a text changes, the cursor or the focus moves away, or it asks again.

        Where the tape tells the request's `fate`, only its own document can end it before that.
        """
        pages = self.stage.pages.copy()
        following = range(index, len(self.events))
        return next(
            (self.times[at] for at in following if self._gives_up(at, doc, offset, pages, fate)),
            math.inf,
        )

    def _gives_up(self, at: int, doc: int, offset: int, pages: Pages, fate: RequestFate | None) -> bool:
        changes = self._changes(at, pages)
        if fate is None or at > fate.event:
            return changes or self._leaves(at, doc, offset, pages)
        match self.events[at]:
            case Edit(doc=changed):
                return changes and changed == doc
            case Close(doc=closed):
                return closed == doc
            case _:
                return at == fate.event and fate.name == "cancelled"

    def _changes(self, at: int, pages: Pages) -> bool:
        event = self.events[at]
        if not isinstance(event, Edit):
            return False
        by_hand = self.stage.timeline.is_by_hand(at)
        return not pages.rebased or bool(pages.take(at, event, by_hand=by_hand))

    def _leaves(self, at: int, doc: int, offset: int, pages: Pages) -> bool:
        match self.events[at]:
            case Focus(doc=to):
                return to != doc
            case Close(doc=closed):
                return closed == doc
            case Select(doc=moved, ranges=ranges) as event if moved == doc and ranges:
                return pages.selected(event) != (offset, offset)
            case Ghost() as ghost:
                return self.asks(ghost)
            case _:
                return False
