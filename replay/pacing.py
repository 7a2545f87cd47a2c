"""A policy at work: what it remembers of the session, and so when and whether it asks. Pure; told the time by its caller."""

from __future__ import annotations

import math
import re
from collections import deque
from dataclasses import dataclass

from replay.policies import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A change as a policy sees it: `left` and `right` are the parts of the cursor's line, `typed` is what was written.

    `before` and `after` count the characters (UTF-16 code units) of the document left and right of the cursor.
    """

    now: float
    path: str
    line: int
    left: str
    right: str
    before: int
    after: int
    typed: str = ""
    reason: str | None = None
    focused: bool = True
    cursors: int = 1
    changed: bool = True


class Pacer:
    """One policy during one session."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._gaps: deque[float] = deque(maxlen=policy.adaptive.samples_max if policy.adaptive else 1)
        self._responses: list[float] = []
        self._changed = self._asked = self._kept = -math.inf
        self._rejected = -math.inf
        self._shown: tuple[float, str, int] | None = None
        self._accepted = ""
        self._factor, self._factor_at = 1.0, 0.0

    # When

    def gate(self, situation: Situation) -> str:
        """Why a change is not followed by a request at all, or nothing."""
        policy = self.policy
        if situation.reason in policy.ignores:
            return str(situation.reason)
        if not situation.changed:
            return "no change"
        if not situation.focused:
            return "not focused"
        return self._by_cursor(situation) or self._by_history(situation)

    def _by_cursor(self, situation: Situation) -> str:
        policy = self.policy
        if policy.one_cursor and situation.cursors > 1:
            return "several cursors"
        if not policy.empty and not situation.before + situation.after:
            return "empty document"
        if situation.before < policy.min_prompt:
            return "too little before the cursor"
        if policy.right and not re.search(policy.right, situation.right):
            return "text right of the cursor"
        if policy.left_not and re.search(policy.left_not, situation.left):
            return "the line is finished"
        return ""

    def _by_history(self, situation: Situation) -> str:
        policy, accepted = self.policy, self._accepted
        self._accepted = ""
        if policy.not_after_accept and accepted == "line":
            return "just accepted"
        here = (situation.path, situation.line)
        if self._shown and self._shown[1:] == here and situation.now - self._shown[0] < policy.line_cooldown:
            return "same line"
        return "just rejected" if situation.now - self._rejected < policy.rejection_cooldown else ""

    def delay(self, situation: Situation, *, accepted: bool = False) -> float:
        """How long after a change it asks, if nothing changes until then (ms). Call it once a change, in their order."""
        policy = self.policy
        self._learn(situation.now)
        if accepted and policy.after_accept is not None:
            return policy.after_accept
        if policy.line_start is not None and not situation.left.strip():
            return policy.line_start
        wait = self._adapted(situation) if policy.adaptive else policy.debounce
        if policy.backoff:
            wait = min(max(wait * self._backed_off(situation.now), policy.backoff.min), policy.backoff.max)
        return wait + (policy.line_end if not situation.right.strip() else 0.0)

    def _learn(self, now: float) -> None:
        adaptive, gap = self.policy.adaptive, now - self._changed
        self._changed = now
        if adaptive and gap <= adaptive.gap_max:
            self._gaps.append(gap)

    def _adapted(self, situation: Situation) -> float:
        adaptive = self.policy.adaptive
        assert adaptive is not None
        mean = adaptive.first
        if len(self._gaps) > adaptive.samples_min:
            mean = min(max(sum(self._gaps) / len(self._gaps), adaptive.gap_min), adaptive.gap_max)
        score = adaptive.non_word * (not re.search(r"\w", situation.typed[-1:]))
        score += adaptive.line_end * (not situation.right.strip())
        score += adaptive.document_end * (not situation.after)
        rate = adaptive.rate_max - (adaptive.rate_max - adaptive.rate_min) * min(score, 1.0)
        response = sum(self._responses) / len(self._responses) if self._responses else 0.0
        return min(max(rate * mean - response, adaptive.min), adaptive.max)

    def _backed_off(self, now: float) -> float:
        """The factor of the rejections and accepts so far, on its way back to 1."""
        backoff = self.policy.backoff
        assert backoff is not None
        passed = min(1.0, (now - self._factor_at) / backoff.decay)
        return self._factor + (1.0 - self._factor) * passed

    def due(self, wanted: float) -> float:
        """When a request that was wanted at a time may be sent: the throttle's word."""
        return max(wanted, self._asked + self.policy.throttle) if self.policy.throttle else wanted

    def is_stale(self, changed: float, now: float) -> bool:
        """Whether the change that led to a request lies too far back."""
        return bool(self.policy.fresh) and now - changed > self.policy.fresh

    # What it is told

    def asked(self, now: float) -> bool:
        """A request is sent: whether it is one that is not given up."""
        self._asked = now
        if self.policy.keeps_every and now - self._kept >= self.policy.keeps_every:
            self._kept = now
            return True
        return False

    def answered(self, latency: float) -> None:
        """An answer came after so many ms, not from a cache."""
        self._responses = [*self._responses[-99:], latency]

    def shown(self, now: float, path: str, line: int) -> None:
        """A suggestion is on the screen."""
        self._shown = (now, path, line)

    def decided(self, now: float, accepted: str) -> None:
        """The person accepted a text, or rejected what was shown (nothing accepted)."""
        self._accepted = "" if not accepted else "block" if "\n" in accepted else "line"
        if not accepted:
            self._rejected = now
        if self.policy.backoff:
            step = self.policy.backoff.accepted if accepted else self.policy.backoff.rejected
            self._factor, self._factor_at = self._backed_off(now) * step, now
