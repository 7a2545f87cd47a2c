"""When an editor asks: policies as data (`policies.toml`), chosen by name, their numbers overridden one by one.

`vscode`, `copilot`, `copilot-nes`, `tabby`, `continue`, `cody`, `zed`, `pause:MS`, `every` follow time; `recorded` follows the
tape's own assistant; `blocks` does not depend on time (DESIGN.md §5). `replay.pacing` carries them out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias

import msgspec

from replay.blocks import Place, block_places
from replay.errors import ReplayError
from replay.timeline import Timeline

Kind: TypeAlias = Literal["function", "if", "for", "while", "try", "statement"]
At: TypeAlias = Literal["header", "inside", "operator", "call", "declaration"]
_NAMES = {"kinds", "at", "ignores"}
_TEXTS = {"about", "asks", "right", "left_not"}


class UnknownPolicyError(ReplayError):
    """No policy has this name, or it has no such number."""


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
        """Refuse numbers that mean nothing."""
        _refuse_odd(self)


class Backoff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a wait grows by each rejection and shrinks by each accept (Copilot, `UserInteractionMonitor`).

    The wait is multiplied by the weight of each of the last `actions` decisions, `rejected` or `accepted`. A weight goes back to 1 as
    its decision grows old, by e^(-age / `decay`), and is 1 once that is `decay` ms ago. The product lies between `min` and `max` ms.
    """

    rejected: float
    accepted: float
    decay: float
    actions: int
    min: float
    max: float

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        _refuse_odd(self)
        if not self.decay:
            raise ValueError("decay is 0, and must be above 0")


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When to ask, and what becomes of requests under way. Times in ms of virtual time.

    Waiting: `debounce` after a change, begun anew by the next one; `line_start` in its place where only white space stands
    left of the cursor, once a line; `line_end` on top where nothing but white space stands right of it; `after_accept` in
    its place after an accept; `adaptive` computes it. `throttle` is the least time between two requests. `moves`: it asks as
    well after the cursor was moved, not only after changes.

    Under way: `cancels` when the text changes or the cursor or the focus moves (else the answer comes late);
    `lets_finish`: the server is not told, so that its cache gets the answer; one request in each `keeps_every` is not
    given up, nor is the one at a line's start; at most `pending` at once (the last one gives way); `follows`: an answer
    serves still when what was typed meanwhile is how it begins.

    Shown: not before `hold` after the request, nor before `backoff` has passed since the change; not before `cached` after
    the change if the server had the answer already; not if shorter than `min_suggestion` characters; `extends`: in place of
    a shown one only if it begins with it. What was shown for less than `seen` when a change took it away does not count;
    what stood for `patience` is rejected.

    Gates: reasons of edits that it `ignores`; a document of fewer than `min_prompt` characters; the rest of the line
    must match `right`, its beginning must not match `left_not`; `one_cursor`; no `empty` document; `not_after_accept` of a
    single line. Of moves alone: the document's last change must be `fresh`; no `line_cooldown` since it was asked on this
    line, no `rejection_cooldown` since a rejection.
    """

    name: str = ""
    about: str = ""
    asks: Literal["changes", "recorded", "blocks"] = "changes"
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
    ignores: tuple[str, ...] = ("agent", "external")
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

    def __post_init__(self) -> None:
        """Refuse numbers and patterns that mean nothing."""
        _refuse_odd(self)
        for pattern in (self.right, self.left_not):
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is no regular expression: {error}") from error

    @property
    def is_timed(self) -> bool:
        """Whether moments follow the tape's time, so that an answer can come too late."""
        return self.asks != "blocks"

    def places(self, timeline: Timeline) -> Iterator[Place]:
        """The moments that do not depend on time, in the order of the tape."""
        return block_places(timeline, kinds=self.kinds, at=self.at) if self.asks == "blocks" else iter(())


def _refuse_odd(numbers: msgspec.Struct) -> None:
    for field in numbers.__struct_fields__:
        value = getattr(numbers, field)
        if isinstance(value, int | float) and not 0 <= value < math.inf:
            raise ValueError(f"{field} is {value}, and must be at least 0")


def policy_of(text: str, own: Mapping[str, Mapping[str, Any]] | None = None) -> Policy:
    """The policy of a name, with numbers: `vscode`, `pause:250`, `copilot:hold=100,debounce=75`, `blocks:at=operator+call`.

    A number of a table within is named with a dot: `tabby:adaptive.max=500`. `own` are more policies, as in
    `[policies.NAME]` of `ghosttape.toml`: `base` names the one that they start from; who bears the name of one that comes
    with the project starts from that.

    Raises:
        UnknownPolicyError: there is none of this name, or it has no such number; the message says which there are.

    """
    name, _, numbers = text.partition(":")
    tables = {**_tables(), **_derived(own or {})}
    if name not in tables:
        known = ", ".join(tables)
        raise UnknownPolicyError(f"no policy is called {name!r}: choose one of {known} (pause:250 waits 250 ms)")
    return _made(text, _merged(tables[name], _overrides(text, name, numbers)))


def policy_names() -> list[str]:
    """The names of the policies that come with the project."""
    return list(_tables())


@cache
def _tables() -> dict[str, dict[str, Any]]:
    data = resources.files("replay").joinpath("policies.toml").read_bytes()
    return msgspec.toml.decode(data, type=dict[str, dict[str, Any]])


def _derived(own: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    derived = {}
    for name, table in own.items():
        base = table.get("base", name if name in _tables() else "")
        if base and base not in _tables():
            raise UnknownPolicyError(f"policy {name!r} has the base {base!r}: choose one of {', '.join(_tables())}")
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
        numbers = ", ".join(field for field in Policy.__struct_fields__ if field not in {"name", "about"})
        raise UnknownPolicyError(f"policy {text!r}: {error}; a policy has {numbers}") from error


def _overrides(text: str, name: str, numbers: str) -> dict[str, Any]:
    """What stands behind the colon: `250` for `pause`, else `key=value` by commas."""
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
