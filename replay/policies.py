"""When an editor asks: policies as data (`policies.toml`), chosen by name, their numbers overridden one by one.

`vscode`, `copilot`, `copilot-nes`, `tabby`, `continue`, `cody`, `zed`, `pause:MS`, `every` follow time; `recorded` follows the
tape's own assistant; `blocks` does not depend on time (DESIGN.md §5). `replay.pacing` carries them out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias

import msgspec

from replay.blocks import Place, block_places
from replay.errors import ReplayError
from replay.timeline import Timeline

Kind: TypeAlias = Literal["function", "if", "for", "while", "try", "statement"]
At: TypeAlias = Literal["header", "inside", "operator", "call", "declaration"]


class UnknownPolicyError(ReplayError):
    """No policy has this name, or it has no such number."""


class Adaptive(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wait that follows the person's rhythm (Tabby, `CompletionDebouncer`).

    The mean gap between changes (the last `samples_max` of those up to `gap_max` ms, once there are more than
    `samples_min`; before that `first`) times a rate from `rate_max` down to `rate_min` as the context's score goes from 0 to 1,
    less the mean response time so far; between `min` and `max` ms. The score adds `non_word` (no word character was
    written), `line_end` and `document_end`.
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
    min: float
    max: float


class Backoff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a wait grows by each rejection and shrinks by each accept; it decays to itself within `decay` ms."""

    rejected: float
    accepted: float
    decay: float
    min: float
    max: float


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When to ask, and what becomes of requests under way. Times in ms of virtual time.

    Waiting: `debounce` after a change, begun anew by the next one; `line_start` in its place where only white space stands
    left of the cursor; `line_end` on top where nothing stands right of it; `after_accept` in its place after an accept;
    `adaptive` and `backoff` compute it. `throttle` is the least time between two requests.

    Under way: `cancels` when the text changes or the cursor or the focus moves (else the answer comes late);
    `lets_finish`: the server is not told, so that its cache gets the answer; one request in each `keeps_every` is not
    given up; at most `pending` at once (the last one gives way); `follows`: an answer serves still when what was typed
    meanwhile is how it begins.

    Shown: not before `hold` after the request; `cached` later if the server had it already; not if shorter than
    `min_suggestion` characters; `extends`: in place of a shown one only if it begins with it. What was shown for less
    than `seen` and then replaced does not count; what stood for `patience` is rejected.

    Gates: reasons of edits that it `ignores`; fewer than `min_prompt` characters left of the cursor; the rest of the line
    must match `right`, its beginning must not match `left_not`; `one_cursor`; no `empty` document; the last
    change must be `fresh`; `line_cooldown` on the line of the last suggestion, `rejection_cooldown` after a rejection;
    `not_after_accept` of a single line.
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
        for field, value in zip(self.__struct_fields__, msgspec.structs.astuple(self), strict=True):
            if isinstance(value, int | float) and not 0 <= value < float("inf"):
                raise ValueError(f"{field} is {value}, and must be at least 0")
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


def policy_of(text: str, own: Mapping[str, Mapping[str, Any]] | None = None) -> Policy:
    """The policy of a name, with numbers: `vscode`, `pause:250`, `copilot:hold=100,debounce=75`, `blocks:at=operator+call`.

    `own` are more policies, as in `[policies.NAME]` of `ghosttape.toml`: `base` names the one that they start from.

    Raises:
        UnknownPolicyError: there is none of this name, or it has no such number; the message says which there are.

    """
    name, _, numbers = text.partition(":")
    tables = {**_tables(), **_derived(own or {})}
    if name not in tables:
        raise UnknownPolicyError(
            f"no policy is called {name!r}: choose one of {', '.join(tables)} (pause:250 waits 250 ms)"
        )
    return _made(text, {**tables[name], **_overrides(name, numbers)})


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
        base = table.get("base", "")
        if base and base not in _tables():
            raise UnknownPolicyError(f"policy {name!r} has the base {base!r}: choose one of {', '.join(_tables())}")
        rest = {key: value for key, value in table.items() if key != "base"}
        derived[name] = {**_tables().get(base, {}), **rest}
    return derived


def _made(text: str, values: Mapping[str, Any]) -> Policy:
    try:
        return msgspec.convert({**values, "name": text}, Policy)
    except msgspec.ValidationError as error:
        numbers = ", ".join(field for field in Policy.__struct_fields__ if field not in {"name", "about"})
        raise UnknownPolicyError(f"policy {text!r}: {error}; a policy has {numbers}") from error


def _overrides(name: str, numbers: str) -> dict[str, Any]:
    """What stands behind the colon: `250` for `pause`, else `key=value` by commas."""
    if not numbers:
        return {}
    if name == "pause" and "=" not in numbers:
        numbers = f"debounce={numbers}"
    pairs = [pair.partition("=") for pair in numbers.split(",")]
    return {key.strip(): _value(key.strip(), value.strip()) for key, _, value in pairs}


def _value(key: str, value: str) -> Any:
    """A number, true or false, names joined by `+`, or a text."""
    readers: tuple[Callable[[], Any], ...] = (lambda: msgspec.json.decode(value), lambda: value)
    if key in {"kinds", "at", "ignores"}:
        return [part for part in value.split("+") if part]
    for read in readers:
        try:
            return read()
        except msgspec.DecodeError:
            continue
    return value
