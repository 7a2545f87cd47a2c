"""Which runs an experiment has: every combination of what is named along its axes, less what cannot go together."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

AXES: Final = ("over", "provider", "prompt", "policy", "user", "repairs", "latency", "samples")
"""The axes in the order in which their values vary: the last one fastest. `over`: the tapes, or a corpus."""
OF_TAPES: Final = ("policy", "user", "latency")
"""Axes that decide nothing over a corpus, whose tasks say where to ask, and where nobody types on."""
TAPES: Final = "tapes"
"""The value of `over` that means the tapes of the experiment, all in one run."""

Combination: TypeAlias = Mapping[str, Any]
"""A value for each axis; None where the axis is not named, and the run takes what it takes without it."""


@dataclass(frozen=True, slots=True)
class Omission:
    """A combination that is no run of the experiment, and why."""

    choice: Combination
    reason: str

    @property
    def name(self) -> str:
        """What was chosen, in words."""
        return words_of(self.choice)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The values of each axis (`AXES`); an axis without values has one choice, which is None."""

    values: Mapping[str, Sequence[Any]]
    leave_out: Sequence[Mapping[str, Any]] = ()
    """What the person does not want: a combination that has all these values (each one, or a list of several), for the member `reason`."""
    omissions: list[Omission] = field(default_factory=list)
    """What `choices` left out."""

    def choices(self) -> Iterator[Combination]:
        """Every combination that is to be run. Of those that differ only in what means nothing over a corpus, the first one."""
        for values in itertools.product(*(self.values.get(axis) or (None,) for axis in AXES)):
            choice = dict(zip(AXES, values, strict=True))
            if reason := self._reason(choice):
                self.omissions.append(Omission(choice, reason))
            else:
                yield plain(choice)

    def _reason(self, choice: Combination) -> str:
        if unwanted := next((rule for rule in self.leave_out if _matches(rule, choice)), None):
            return str(unwanted.get("reason") or "[[leave-out]] names it")
        return self._without_meaning(choice) if choice["over"] != TAPES else ""

    def _without_meaning(self, choice: Combination) -> str:
        """Why a combination over a corpus is the same as an earlier one; empty for the first of them that is wanted."""
        for axis in OF_TAPES:
            others = list(self.values.get(axis) or (None,))
            earlier = ({**choice, axis: other} for other in others[: others.index(choice[axis])])
            if any(not any(_matches(rule, each) for rule in self.leave_out) for each in earlier):
                return f"{choice['over']} is a corpus, whose tasks say where to ask: {axis} {choice[axis]} decides nothing there"
        return ""


def plain(choice: Combination) -> Combination:
    """A choice without what means nothing where it runs."""
    if choice["over"] == TAPES:
        return choice
    return {axis: None if axis in OF_TAPES else value for axis, value in choice.items()}


def _matches(rule: Mapping[str, Any], choice: Combination) -> bool:
    named = {axis: values for axis, values in rule.items() if axis != "reason"}
    return all(
        choice[axis] in (values if isinstance(values, list | tuple) else (values,)) for axis, values in named.items()
    )


def words_of(choice: Combination) -> str:
    """A choice in words: `over tapes, provider ngram, repairs none`."""
    return ", ".join(f"{axis} {value}" for axis, value in choice.items() if value is not None)


def names_of(choices: Sequence[Combination]) -> list[str]:
    """A name for each choice, of the values in which they differ: `tapes-ngram-blocks`, `devbench-ngram`.

    A name holds letters, digits, `_`, `.` and `-`; two that would be the same get a number.
    """
    differing = [axis for axis in AXES if len({choice[axis] for choice in choices}) > 1] or ["over"]
    made: dict[str, int] = {}
    return [_numbered(slug(*(choice[axis] for axis in differing)), made) for choice in choices]


def _numbered(name: str, made: dict[str, int]) -> str:
    made[name] = made.get(name, 0) + 1
    return name if made[name] == 1 else f"{name}-{made[name]}"


def slug(*parts: Any) -> str:
    """A name for a folder, of all parts that are not None."""
    words: Iterable[str] = (str(part) for part in parts if part is not None)
    return re.sub(r"(?:\.{2,}|[^\w.])+", "-", "-".join(words), flags=re.ASCII).strip("-.") or "cell"
