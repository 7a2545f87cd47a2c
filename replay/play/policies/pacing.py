"""A policy at work: what it remembers of the session, and so when and whether it asks. Pure; told the time by its caller."""

from __future__ import annotations

import math
import re
from collections import deque
from dataclasses import dataclass

from replay.play.policies.policy import Policy

_WORD = re.compile(r"\w", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A change as a policy sees it: `left` and `right` are the parts of the cursor's line, `typed` is what was written.

    `before` and `after` count the characters (UTF-16 code units) of the document left and right of the cursor, `wordless` says that
    no word character is among the latter. `moved`: it is no change, only the cursor went somewhere else.
    """

    now: float
    path: str
    line: int
    left: str
    right: str
    before: int
    after: int
    wordless: bool = False
    typed: str = ""
    reason: str | None = None
    focused: bool = True
    cursors: int = 1
    changed: bool = True
    moved: bool = False


class Pacer:
    """One policy during one session."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        adaptive, backoff = policy.adaptive, policy.backoff
        self._gaps: deque[float] = deque(maxlen=adaptive.samples_max if adaptive else 0)
        self._responses: deque[float] = deque(maxlen=adaptive.responses if adaptive else 0)
        self._decisions: deque[tuple[float, float]] = deque(maxlen=backoff.actions if backoff else 0)
        self._changed = self._asked = self._kept = -math.inf
        self._rejected = -math.inf
        self._mean = adaptive.first if adaptive else 0.0
        self._edited: dict[str, float] = {}
        self._lines: dict[str, dict[int, float]] = {}
        self._begun: tuple[str, int] | None = None
        self._begins = False
        self._accepted = ""
        self._wanted = -math.inf

    # Whether

    def gate(self, situation: Situation) -> str:
        """Why a change or a move is not followed by a request at all, or nothing. Call it once for each, in their order."""
        policy = self.policy
        if situation.reason in policy.ignores:
            return str(situation.reason)
        if not situation.moved:
            if not situation.changed:
                return "no change"
            self._edited[situation.path] = situation.now
            self._lines[situation.path] = {situation.line: situation.now}
        if not situation.focused:
            return "not focused"
        return self._by_cursor(situation) or self._by_accept(situation) or self._by_move(situation)

    def _by_cursor(self, situation: Situation) -> str:
        policy = self.policy
        if policy.one_cursor and situation.cursors > 1:
            return "several cursors"
        if not policy.empty and not situation.before + situation.after:
            return "empty document"
        if situation.before + situation.after < policy.min_prompt:
            return "too little text"
        if policy.right and not re.search(policy.right, situation.right):
            return "text right of the cursor"
        if policy.left_not and re.search(policy.left_not, situation.left):
            return "the line is finished"
        return ""

    def _by_accept(self, situation: Situation) -> str:
        accepted = situation.reason == "accept" and "\n" not in (situation.typed or self._accepted)
        return "just accepted" if self.policy.not_after_accept and accepted else ""

    def _by_move(self, situation: Situation) -> str:
        """Copilot's `InlineEditTriggerer`: what holds a request back that only a move of the cursor calls for."""
        if not situation.moved:
            return ""
        policy, now, path = self.policy, situation.now, situation.path
        if now - self._rejected < policy.rejection_cooldown:
            self._edited.pop(path, None)
            return "just rejected"
        if policy.fresh and now - self._edited.get(path, -math.inf) >= policy.fresh:
            return "the change lies too far back"
        lines = self._lines.setdefault(path, {})
        if now - lines.get(situation.line, -math.inf) < policy.line_cooldown:
            return "same line"
        lines[situation.line] = now
        return ""

    # When

    def delay(self, situation: Situation, *, accepted: bool = False) -> float:
        """How long after a change or a move it asks, if nothing changes until then (ms). Call it once, after `gate`."""
        policy = self.policy
        self._wanted = situation.now
        self._learn(situation.now)
        self._begins = self._begins_line(situation)
        if accepted and policy.after_accept is not None:
            return policy.after_accept
        if self._begins and policy.line_start is not None:
            return policy.line_start
        wait = self._adapted(situation) if policy.adaptive else policy.debounce
        if policy.backoff:
            wait = min(wait, self._backed_off(situation.now))
        return wait + (policy.line_end if not situation.right.strip() else 0.0)

    def _begins_line(self, situation: Situation) -> bool:
        here = (situation.path, situation.line)
        begins = self.policy.line_start is not None and not situation.left.strip() and here != self._begun
        if begins:
            self._begun = here
        return begins

    def _learn(self, now: float) -> None:
        adaptive, gap = self.policy.adaptive, now - self._changed
        self._changed = now
        if adaptive is None or gap > adaptive.gap_max:
            return
        self._gaps.append(gap)
        if len(self._gaps) > adaptive.samples_min:
            self._mean = min(max(sum(self._gaps) / len(self._gaps), adaptive.gap_min), adaptive.gap_max)

    def _adapted(self, situation: Situation) -> float:
        adaptive = self.policy.adaptive
        assert adaptive is not None
        score = adaptive.non_word * (not _WORD.search(situation.left[-1:]))
        score += adaptive.line_end * (not _WORD.search(situation.right))
        score += adaptive.document_end * (situation.wordless or not situation.after)
        rate = adaptive.rate_max - (adaptive.rate_max - adaptive.rate_min) * min(score, 1.0)
        response = sum(self._responses) / len(self._responses) if self._responses else 0.0
        return min(max(rate * self._mean - response, adaptive.min), adaptive.max)

    def _backed_off(self, now: float) -> float:
        """How long after a change nothing is shown (ms), by the decisions so far."""
        backoff, factor = self.policy.backoff, 1.0
        assert backoff is not None
        for at, weight in self._decisions:
            if now - at <= backoff.decay:
                factor *= 1 + (weight - 1) * math.exp((at - now) / backoff.decay)
        return min(max(self.policy.debounce * factor, backoff.min), backoff.max)

    def due(self, wanted: float) -> float:
        """When a request that was wanted at a time may be sent: the throttle's word."""
        return max(wanted, self._asked + self.policy.throttle) if self.policy.throttle else wanted

    def held(self, now: float, latency: float, cache: str = "none") -> float:
        """How many ms after a request that is sent now its answer is shown, if it comes after `latency` ms.

        `cache` says where the server had it from; what is typed as suggested is never held back.
        """
        policy = self.policy
        if cache == "typed":
            return latency
        least = policy.hold
        if cache != "none":
            least = max(least, self._wanted + policy.cached - now)
        elif policy.backoff:
            least = max(least, self._wanted + self._backed_off(now) - now)
        return max(latency, least)

    # What it is told

    def asked(self, now: float) -> bool:
        """A request is sent: whether it is one that is not given up."""
        self._asked = now
        begins, self._begins = self._begins, False
        if self.policy.keeps_every and (begins or now - self._kept > self.policy.keeps_every):
            self._kept = now
            return True
        return False

    def answered(self, latency: float) -> None:
        """An answer came after so many ms, not from a cache."""
        self._responses.append(latency)

    def decided(self, now: float, accepted: str) -> None:
        """The person accepted a text, or rejected what was shown (nothing accepted)."""
        self._accepted = accepted
        if not accepted:
            self._rejected = now
        if self.policy.backoff:
            weight = self.policy.backoff.accepted if accepted else self.policy.backoff.rejected
            self._decisions.append((now, weight))
