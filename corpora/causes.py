"""Why a finished program fails its own tests, as far as its log tells: the rules of `causes.toml`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from runners.verdicts import Result

LACKING = frozenset({"network", "service", "missing-library", "missing-tool"})
"""Causes that lie with what is not there, and not with the program."""


class Cause(msgspec.Struct, frozen=True):
    """A kind of cause, and what of that kind: `missing-library boost`."""

    kind: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.detail}".strip()

    @property
    def is_lack(self) -> bool:
        """Whether something is not there that the program needs, such as a network."""
        return self.kind in LACKING


class _Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cause: str
    detail: str = ""
    log: str = ""
    program: str = ""
    classes: tuple[str, ...] = ()

    def cause_of(self, result: Result, program: str) -> Cause | None:
        """The cause, if all fits that the rule names."""
        said = re.search(self.log, f"{result.message}\n{result.log}", re.MULTILINE)
        if (
            said is None
            or not re.search(self.program, program)
            or (self.classes and result.verdict_class not in self.classes)
        ):
            return None
        first = next((group for group in said.groups() if group), "")
        return Cause(self.cause, self.detail.format(first))


class _Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rules: tuple[_Rule, ...]


@cache
def _rules() -> Sequence[_Rule]:
    return msgspec.toml.decode(Path(__file__).with_name("causes.toml").read_bytes(), type=_Rules).rules


def cause_of(result: Result, program: str) -> Cause | None:
    """Why a program that should pass did not: the first rule that fits; None if it passed."""
    if result.verdict_class == "passed":
        return None
    return next(cause for rule in _rules() if (cause := rule.cause_of(result, program)))


def kind_of(cause: str) -> Cause:
    """Read a cause from its words."""
    kind, _, detail = cause.partition(" ")
    return Cause(kind, detail)
