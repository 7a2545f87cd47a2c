"""One line of a pipeline (`ghosttape repair`): a JSON object with a completion in its place in, the same with the repaired text out.

All other members of the object are copied as they were written: numbers of any size, escapes, the order of the members.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from msgspec.structs import replace

from server.errors import LineError
from server.repair.chain import RepairStep
from server.repair.draft import Draft
from server.repair.offer import Repaired, offered
from server.settings import OWN_RULES, REPAIRS, RepairName
from syntax.languages import LANGUAGES, TEXTS, Language, language_named
from syntax.wanted import Stop

_DECODER = json.JSONDecoder(parse_int=lambda digits: int(digits) if len(digits) < 100 else float(digits))
"""Python refuses to read a number of thousands of digits as an integer; such a number is read as a float."""
LONGEST = 65_536
"""Characters of a completion. A longer one is not an answer for one cursor, and its repair would take minutes."""
_SPACES = re.compile(r"[ \t\r\n]*")
_MISSING = object()
Made: TypeAlias = Literal["repaired", "covered", "trail", "error"]
_MADE: frozenset[str] = frozenset(get_args(Made))


@dataclass(frozen=True, slots=True)
class Wishes:
    """How to repair. `stop` is the hint for a line that has none; with `any` no completion is cut because of its extent."""

    steps: tuple[RepairName, ...] = REPAIRS
    rules: str = OWN_RULES
    stop: Stop = "any"


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object: name and value as they were written, and what the value means."""

    name: str
    written: str
    value: Any


_Object: TypeAlias = Mapping[str, _Member]


def repaired(line: str, wishes: Wishes) -> str:
    """The line's object with `repaired`, `covered` and `trail`.

    `repaired` takes the place of the completion and of the first `covered` characters (code points) of `after`. `trail` holds
    the steps that changed something: `step`, `before`, `after`, and `undone` where the result would have parsed worse.

    Raises:
        LineError: it is no such object.

    """
    members = _members(line)
    made = offered(_draft(members, wishes), wishes.steps, wishes.rules)
    return _written(members, _made(made))


def refused(line: str, reason: str) -> str:
    """The line's object with the reason why it was not repaired as `error`; an object of only that where it is none."""
    try:
        return _written(_members(line), {"error": reason})
    except LineError:
        return _written({}, {"error": reason})


def _made(made: Repaired) -> dict[Made, Any]:
    return {"repaired": made.text, "covered": made.covered, "trail": [_step_members(step) for step in made.trail]}


def _step_members(step: RepairStep) -> dict[str, Any]:
    members: dict[str, Any] = {"step": step.step, "before": step.before, "after": step.after}
    return members | {"undone": True} if step.undone else members


def _draft(members: _Object, wishes: Wishes) -> Draft:
    before, after, text = (_text(members, name) for name in ("before", "after", "completion"))
    if len(text) > LONGEST:
        raise LineError(f"`completion` has {len(text):,} characters, and {LONGEST:,} is the most that is repaired")
    draft = Draft(_language(members), before, after, text, wishes.stop)
    stop = _value(members, "stop")
    if stop is None or stop is _MISSING:
        return draft
    hint = next((known for known in get_args(Stop) if known == stop), None)
    if hint is None:
        raise LineError(f"`stop` is {json.dumps(stop)[:40]}: choose one of {', '.join(get_args(Stop))}")
    return replace(draft, stop=hint)


def _text(members: _Object, name: str) -> str:
    value = _value(members, name)
    if name == "after" and (value is None or value is _MISSING):
        return ""
    if value is _MISSING:
        raise LineError(f"the object has no `{name}`")
    if not isinstance(value, str):
        raise LineError(f"`{name}` must be a string, not {json.dumps(value)[:40]}")
    return value


def _language(members: _Object) -> Language | None:
    """The language; None where the line says null or names one without a grammar: a text that is repaired without knowing its syntax."""
    name = _value(members, "language")
    if name is None:
        return None
    if name is _MISSING:
        raise LineError("the object has no `language`; null repairs without knowing the syntax")
    found = language_named(name) if isinstance(name, str) else None
    if found is None and not (isinstance(name, str) and name.strip().lower() in TEXTS):
        known = ", ".join(LANGUAGES)
        raise LineError(
            f"`language` {json.dumps(name)[:40]} is not known: {known}; null repairs without knowing the syntax"
        )
    return found


def _value(members: _Object, name: str) -> Any:
    return members[name].value if name in members else _MISSING


def _members(line: str) -> dict[str, _Member]:
    """The members of the object that a line holds; of two with one name the later one.

    Raises:
        LineError: it holds something else.

    """
    try:
        return _read(line.strip(" \t\r\n"))
    except json.JSONDecodeError as error:
        raise LineError(f"no JSON: {error.msg} (character {error.pos + 1})") from error
    except RecursionError as error:
        raise LineError("no JSON that can be read: it is nested too deeply") from error


def _read(text: str) -> dict[str, _Member]:
    if not text.startswith("{"):
        _DECODER.decode(text)
        raise LineError("a JSON value, but no object: one object a line is wanted")
    members: dict[str, _Member] = {}
    at = _skipped(text, 1)
    more = not text.startswith("}", at)
    while more:
        if not text.startswith('"', at):
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
        name, end = _DECODER.raw_decode(text, at)
        colon = _expected(text, end, ":")
        start = _skipped(text, colon)
        value, stop = _DECODER.raw_decode(text, start)
        members[name] = _Member(text[at:end], text[start:stop], value)
        at = _skipped(text, stop)
        more = text.startswith(",", at)
        at = _skipped(text, at + 1) if more else at
    if (end := _expected(text, at, "}")) < len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return members


def _skipped(text: str, at: int) -> int:
    found = _SPACES.match(text, at)
    return found.end() if found else at


def _expected(text: str, at: int, sign: str) -> int:
    """The place behind an expected character; white space before it is skipped."""
    at = _skipped(text, at)
    if not text.startswith(sign, at):
        raise json.JSONDecodeError(f"Expecting {sign!r}", text, at)
    return at + 1


def _written(members: _Object, made: Mapping[Made, Any]) -> str:
    taken = _MADE if "error" in made else _MADE - {"error"}
    kept = [f"{member.name}: {member.written}" for name, member in members.items() if name not in taken]
    return "{" + ", ".join([*kept, *(f'"{name}": {_json(value)}' for name, value in made.items())]) + "}"


def _json(value: Any) -> str:
    """JSON that UTF-8 can hold: a half of a surrogate pair stays the escape that it was."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text
