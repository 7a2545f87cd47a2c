"""Values to and from JSON, such as the lines of a tape.

Half of a surrogate pair, which UTF-8 cannot say, is an escape, as `JSON.stringify` writes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from replay.errors import TapeError

T = TypeVar("T")
_ENCODER = msgspec.json.Encoder()
_SORTED = msgspec.json.Encoder(order="sorted")
_DEEP = "is nested too deeply"
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def encoded(value: msgspec.Struct) -> bytes:
    """The line of a header or an event, with its end.

    Raises ValueError if it is nested too deeply.
    """
    return json_of(value) + b"\n"


def json_of(value: Any, *, ordered: bool = False) -> bytes:
    """Any value as JSON; `ordered` sorts the members of its objects.

    Raises ValueError if it is nested too deeply.
    """
    try:
        return (_SORTED if ordered else _ENCODER).encode(value)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value), separators=(",", ":"), sort_keys=ordered).encode()
    except RecursionError:
        raise ValueError(_DEEP) from None


def decoding(form: Any, upgrade: Upgrade | None = None) -> Callable[[bytes], Any]:
    """A function from a line (or other JSON) to a value of `form`; lines of an older format go through `upgrade` first.

    It raises ValueError with the reason for what is no such line.
    """
    decode = _reading(form) if upgrade is None else _upgrading(form, upgrade)

    def decoded(line: bytes) -> Any:
        try:
            return decode(line)
        except (msgspec.DecodeError, ValueError) as error:
            raise ValueError(str(error) if line.strip() else "is an empty line") from error
        except RecursionError:
            raise ValueError(_DEEP) from None

    return decoded


def decoded_line(path: Path, number: int, line: bytes, decode: Callable[[bytes], Any]) -> Any:
    """A line of a file, decoded.

    Raises:
        TapeError: it cannot be.

    """
    try:
        return decode(line)
    except ValueError as error:
        raise TapeError(str(path), number, str(error)) from error


def upgrade_of(path: Path, line: bytes, upgrades: Mapping[int, Upgrade]) -> Upgrade | None:
    """What the lines of a tape with this header go through; None if it is of the format of today.

    Raises:
        TapeError: it is no header, or of a format that is not known.

    """
    try:
        number = number_of(line)
    except (msgspec.DecodeError, ValueError) as error:
        raise TapeError(str(path), 1, f"is no header of a tape: {error if line else 'the file is empty'}") from error
    return upgrade_from(str(path), number, upgrades)


def _reading(form: Any) -> Callable[[bytes], Any]:
    decode = msgspec.json.Decoder(form).decode

    def read(line: bytes) -> Any:
        try:
            return decode(line)
        except msgspec.DecodeError as error:
            if isinstance(error, msgspec.ValidationError) or not _HALF.search(line):  # msgspec reads no half of a pair
                raise
        return msgspec.convert(_parsed(line), form)

    return read


def _upgrading(form: Any, upgrade: Upgrade) -> Callable[[bytes], Any]:
    def read(line: bytes) -> Any:
        old = _parsed(line)
        if not isinstance(old, dict):
            raise ValueError(f"Expected `object`, got `{type(old).__name__}`")  # noqa: TRY004 - it is the file that is wrong
        try:
            new = upgrade(old)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"cannot be upgraded to the format of today: {error!r}") from error
        return msgspec.convert(new, form)

    return read


def _parsed(line: bytes) -> Any:
    return json.loads(line.decode(), parse_constant=_refused)


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no number in JSON")


# Tapes of older formats: each line goes through a chain of pure functions until it is of the format of
# today.
#
# To change the format: raise `FORMAT` and `Header.tape`, and register under the old number the function that makes a line of
# the old format one of the next. docs/tapes.md says more.

FORMAT = 1
"""The number that a header of today bears as `tape`."""
Line: TypeAlias = dict[str, Any]
"""A decoded line: the header (which has no `event`) or an event."""
Upgrade: TypeAlias = Callable[[Line], Line]
"""A line of one format as a line of the next. It need not set the header's `tape`, and may change what it is given."""
UPGRADES: Mapping[int, Upgrade] = {}
"""Number of an old format → the upgrade to the one after it. There is no older format yet."""


class _Numbered(msgspec.Struct):
    tape: int


def number_of(line: bytes) -> int:
    """The format that a header says it is of, whatever else is on it.

    Raises:
        msgspec.DecodeError: the line is no JSON object with a number `tape`.

    """
    return msgspec.json.decode(line, type=_Numbered).tape


def upgrade_from(
    source: str, number: int, upgrades: Mapping[int, Upgrade] = UPGRADES, current: int = FORMAT
) -> Upgrade | None:
    """What makes a line of format `number` one of format `current`; None if it is one.

    Raises:
        TapeError: the format is newer than `current`, or too old. `source` names the file in it.

    """
    if number > current:
        raise TapeError(
            source,
            1,
            f"is a tape of format {number}, but this ghosttape reads up to {current}: install a newer ghosttape",
        )
    steps = range(number, current)
    missing = next((step for step in reversed(steps) if step not in upgrades), None)
    if missing is not None:
        oldest = missing + 1
        raise TapeError(
            source,
            1,
            f"is a tape of format {number}, and this ghosttape reads none before {oldest}: use an older ghosttape",
        )
    return _chain([upgrades[step] for step in steps], current) if steps else None


def _chain(upgrades: list[Upgrade], current: int) -> Upgrade:
    def upgraded(line: Line) -> Line:
        is_header = "event" not in line
        for upgrade in upgrades:
            line = upgrade(line)
        return {**line, "tape": current} if is_header else line

    return upgraded
