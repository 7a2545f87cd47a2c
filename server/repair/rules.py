"""Rules of a benchmark about how answers to it are read, where they differ from ours: entry points of the group `ghosttape.rules`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from server.errors import SettingsError
from server.repair.draft import Draft
from server.settings import OWN_RULES, RepairName
from syntax.entry_points import extensions


@dataclass(frozen=True, slots=True)
class AnswerRules:
    """How answers are read."""

    code_in: Callable[[str], str] | None = None
    """What of a whole answer is its code. An answer then has no end before it is there whole."""
    behind: Mapping[RepairName, Callable[[Draft], str]] = field(default_factory=dict)
    """What runs behind a step of ours, by the name of the step."""


_OWN = AnswerRules()


@cache
def rules_named(name: str) -> AnswerRules:
    """The rules of a name that `server.settings.known_rules` has.

    Raises:
        SettingsError: they cannot be imported; the message names the package.

    """
    if name == OWN_RULES:
        return _OWN
    rules: AnswerRules = extensions("rules")[name].load_or(SettingsError)
    return rules
