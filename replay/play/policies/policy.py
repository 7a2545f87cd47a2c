"""When an editor asks: policies as data (`policies.toml`).

A policy is chosen by name, and each of its numbers can be overridden.

`vscode`, `copilot`, `copilot-nes`, `tabby`, `continue`, `cody`, `zed`, `pause:MS`, `every` follow time; `recorded` follows
the tape's own assistant; `blocks` and `edits` do not depend on time. `replay.play.policies.pacing` carries them out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias

import msgspec

from replay.errors import ReplayError
from replay.play.policies.block_places import MomentPlace, block_places, left_out
from replay.play.policies.edit_groups import Grouping
from replay.play.policies.edit_places import edit_places
from replay.tapes.timeline import Timeline
from server.nearest import did_you_mean
from server.settings import explain_error
from syntax.entry_points import Extension, extensions
from syntax.errors import ExtensionBroken

Kind: TypeAlias = Literal["function", "if", "for", "while", "try", "statement"]
At: TypeAlias = Literal["header", "inside", "operator", "call", "declaration"]
_NAMES = {"kinds", "at", "ignores"}
_TEXTS = {"about", "asks", "right", "left_not"}


class UnknownPolicyError(ReplayError):
    """No policy has this name, or the policy has no number of this name."""


class Adaptive(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wait that follows the person's rhythm (Tabby, `CompletionDebouncer`).

    The mean gap between changes (the last `samples_max` of those up to `gap_max` ms, once there are more than
    `samples_min`; before that `first`; at least `gap_min`) times a rate from `rate_max` down to `rate_min` as the context's
    score goes from 0 to 1, less the mean of the last `responses` response times; between `min` and `max` ms. The score
    adds `non_word` (no word character stands left of the cursor), `line_end` and `document_end` (none stands right of it in
    the line, in the document).
    """

    first: float
    samples_min: int
    samples_max: int
    gap_min: float
    gap_max: float
    rate_max: float
    rate_min: float
    non_word: float
    line_end: float
    document_end: float
    responses: int
    min: float
    max: float

    def __post_init__(self) -> None:
        """Refuse numbers outside of their range."""
        _refuse_odd(self)


class Backoff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How late something is shown: later with each rejection, sooner with each accept (Copilot, `UserInteractionMonitor`).

    It never makes a request later than the debounce, but may make it sooner. The wait is multiplied by the weight of each of the last `actions` decisions, `rejected` or `accepted`. A weight goes
    back to 1 as its decision grows old, by e^(-age / `decay`), and is 1 once that is `decay` ms ago. The product lies
    between `min` and `max` ms.
    """

    rejected: float
    accepted: float
    decay: float
    actions: int
    min: float
    max: float

    def __post_init__(self) -> None:
        """Refuse numbers outside of their range."""
        _refuse_odd(self)
        if not self.decay:
            raise ValueError("decay is 0, and must be above 0")


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When to ask, when to cancel, and what is shown. Times are in ms of virtual time.

    Waiting: `debounce` after a change; the next change restarts it. `line_start` replaces it if only white space is left of
    the cursor, once a line. `line_end` is added if only white space is right of the cursor. After an accept `after_accept`
    replaces the debounce; `adaptive` computes the debounce. `throttle` is the minimum time between two requests. `moves`: the policy asks after
    moves of the cursor too, not only after changes.

    Under way: `cancels` when the text changes or the cursor or the focus moves (otherwise the answer comes late).
    `lets_finish`: the server is not notified of the cancellation, so that its cache gets the answer. One request in each
    `keeps_every` is not cancelled, and neither is a request at the start of a line. At most `pending` requests are under
    way; a new one replaces the last. `follows`: an answer is still used if it begins with the text that was typed meanwhile.

    Shown: at the earliest `hold` after the request and `backoff` after the change, or `cached` after the change if the
    server had the answer in its cache. An answer of fewer than `min_suggestion` characters is not shown. `extends`: an
    answer replaces a shown one only if it begins with that. A suggestion that a change removed after less than `seen` does
    not count; a suggestion that was shown for `patience` is rejected.

    An edit that no person made (an agent's, a formatter's) is no moment under any policy. Gates, in which the policy does not ask: the edit's reason is in `ignores`; the document has fewer than `min_prompt`
    characters; the rest of the line does not match `right`, or its beginning matches `left_not`; there are several cursors
    (`one_cursor`); the document is empty (`empty`); a single line was just accepted (`not_after_accept`). For moves only:
    the document's last change is older than `fresh`; the last request on this line is younger than `line_cooldown`; the last
    rejection is younger than `rejection_cooldown`.
    """

    name: str = ""
    about: str = ""
    asks: Literal["changes", "recorded", "blocks", "edits"] = "changes"
    debounce: float = 0.0
    line_start: float | None = None
    line_end: float = 0.0
    after_accept: float | None = None
    adaptive: Adaptive | None = None
    backoff: Backoff | None = None
    throttle: float = 0.0
    moves: bool = False
    cancels: bool = False
    lets_finish: bool = False
    keeps_every: float = 0.0
    pending: int = 0
    follows: bool = False
    hold: float = 0.0
    cached: float = 0.0
    min_suggestion: int = 0
    extends: bool = False
    seen: float = 0.0
    patience: float = 0.0
    ignores: tuple[str, ...] = ()
    min_prompt: int = 0
    right: str = ""
    left_not: str = ""
    one_cursor: bool = False
    empty: bool = True
    fresh: float = 0.0
    line_cooldown: float = 0.0
    rejection_cooldown: float = 0.0
    not_after_accept: bool = False
    kinds: tuple[Kind, ...] = ("function", "if", "for", "while", "try", "statement")
    at: tuple[At, ...] = ("header", "inside")
    grouping: Grouping | None = None

    def __post_init__(self) -> None:
        """Refuse numbers outside of their range and invalid patterns."""
        _refuse_odd(self)
        for pattern in (self.right, self.left_not):
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is no regular expression: {error}") from error

    @property
    def is_timed(self) -> bool:
        """Whether moments follow the tape's time, so that an answer can come too late."""
        return self.asks not in {"blocks", "edits"}

    @property
    def asks_by_answers(self) -> bool:
        """Whether the times at which it asks depend on what was shown before, and on how long answers took; if not, the tape alone says them."""
        of_decisions = self.backoff is not None or self.rejection_cooldown > 0 or self.not_after_accept
        return self.extends or self.adaptive is not None or of_decisions

    def places(self, timeline: Timeline) -> Iterator[MomentPlace]:
        """The moments that do not depend on time, in the order of the tape."""
        if self.asks == "edits":
            return edit_places(timeline, self.grouping or Grouping())
        return block_places(timeline, kinds=self.kinds, at=self.at) if self.asks == "blocks" else iter(())

    def places_left_out(self, timeline: Timeline) -> int:
        """How many such places are no moments because no person wrote there."""
        return left_out(timeline, kinds=self.kinds, at=self.at) if self.asks == "blocks" else 0


def _refuse_odd(numbers: msgspec.Struct) -> None:
    for field in numbers.__struct_fields__:
        value = getattr(numbers, field)
        if isinstance(value, int | float) and not 0 <= value < math.inf:
            raise ValueError(f"{field} is {value}, and must be at least 0")


def policy_of(text: str, own: Mapping[str, Mapping[str, Any]] | None = None) -> Policy:
    """The policy of a name, with numbers: `vscode`, `pause:250`, `copilot:hold=100,debounce=75`, `blocks:at=operator+call`.

    A number of an inner table is named with a dot: `tabby:adaptive.max=500`. `own` are further policies, as in
    `[policies.NAME]` of `ghosttape.toml`. The `base` of such a policy names the policy that it starts from; without `base`,
    it starts from the project's policy of the same name.

    Raises:
        UnknownPolicyError: no policy has this name, or the policy has no such number; the message lists those that exist.

    """
    name, _, numbers = text.partition(":")
    tables = {**_tables(), **_derived(own or {})}
    if name not in tables and name in extensions("policies"):
        tables[name] = _table_of(extensions("policies")[name])
    if name not in tables:
        names = [*tables, *extensions("policies")]
        near, known = did_you_mean(name, names), ", ".join(names)
        raise UnknownPolicyError(f"no policy is called {name!r}{near}: choose one of {known} (pause:250 waits 250 ms)")
    return _made(text, _merged(tables[name], _overrides(text, name, numbers)))


def policy_names() -> list[str]:
    """The names of the policies that come with the project."""
    return list(_tables())


def _table_of(extension: Extension) -> dict[str, Any]:
    """The numbers of a policy that another package registers: a mapping, as a table of `policies.toml` is."""
    try:
        return dict(extension.load())
    except (ExtensionBroken, TypeError, ValueError) as error:
        raise UnknownPolicyError(f"policy {extension.name!r} of {extension.origin}: {error}") from error


@cache
def _tables() -> dict[str, dict[str, Any]]:
    data = resources.files("replay.play.policies").joinpath("policies.toml").read_bytes()
    return msgspec.toml.decode(data, type=dict[str, dict[str, Any]])


def _derived(own: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    derived = {}
    for name, table in own.items():
        base = table.get("base", name if name in _tables() else "")
        if base and base not in _tables():
            near, known = did_you_mean(base, _tables()), ", ".join(_tables())
            raise UnknownPolicyError(f"policy {name!r} has the base {base!r}{near}: choose one of {known}")
        rest = {key: value for key, value in table.items() if key != "base"}
        derived[name] = _merged(_tables().get(base, {}), rest)
    return derived


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A table with some of its numbers replaced, also in the tables within it."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _made(text: str, values: Mapping[str, Any]) -> Policy:
    try:
        return msgspec.convert({**values, "name": text}, Policy)
    except msgspec.ValidationError as error:
        raise UnknownPolicyError(f"policy {text!r}: {explain_error(error, Policy)}{_numbers(values)}") from error


def _numbers(values: Mapping[str, Any]) -> str:
    """All numbers of a policy, as the end of a message, where a name is none of them and near to none."""
    numbers = [field for field in Policy.__struct_fields__ if field not in {"name", "about"}]
    wrong = next((key for key in values if key not in Policy.__struct_fields__), "")
    return f"; a policy has {', '.join(numbers)}" if wrong and not did_you_mean(wrong, numbers) else ""


def _overrides(text: str, name: str, numbers: str) -> dict[str, Any]:
    """The overrides behind the colon: `250` for `pause`, otherwise `key=value` pairs between commas."""
    chosen: dict[str, Any] = {}
    for at, pair in enumerate(numbers.split(",") if numbers else ()):
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals and name == "pause" and not at:
            key, value = "debounce", pair.strip()
        elif not equals or not key:
            raise UnknownPolicyError(
                f"policy {text!r}: {pair!r} is no NUMBER=VALUE; what holds a comma goes into [policies.NAME] of ghosttape.toml"
            )
        table, _, within = key.rpartition(".")
        (chosen.setdefault(table, {}) if table else chosen)[within] = _value(key, value)
    return chosen


def _value(key: str, value: str) -> Any:
    """A number, true or false, names joined by `+`, or a text."""
    if key in _NAMES:
        return [part for part in value.split("+") if part]
    if key in _TEXTS:
        return value
    try:
        return msgspec.json.decode(value)
    except msgspec.DecodeError:
        return value
