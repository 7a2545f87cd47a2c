"""What stands on a line of a tape, to and from JSON. Half of a surrogate pair, which UTF-8 cannot say, is an escape."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from replay.versions import Line, Upgrade

T = TypeVar("T")
_ENCODER = msgspec.json.Encoder()
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def encoded(value: msgspec.Struct) -> bytes:
    """The line of a header or an event, with its end."""
    try:
        return _ENCODER.encode(value) + b"\n"
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode() + b"\n"


def decoding(form: Any, upgrade: Upgrade | None = None) -> Callable[[bytes], Any]:
    """A function from a line to a value of `form`; lines of an older format go through `upgrade` first.

    It raises ValueError with the reason for what is no such line.
    """
    decode = _reading(form) if upgrade is None else _upgrading(form, upgrade)

    def decoded(line: bytes) -> Any:
        try:
            return decode(line)
        except (msgspec.DecodeError, ValueError) as error:
            raise ValueError(str(error) if line.strip() else "is an empty line") from error
        except RecursionError:
            raise ValueError("is nested too deeply") from None

    return decoded


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
        try:
            new = upgrade(old)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"cannot be upgraded to the format of today: {error!r}") from error
        return msgspec.convert(new, form)

    return read


def _parsed(line: bytes) -> Line:
    parsed = json.loads(line.decode(), parse_constant=_refused)
    if not isinstance(parsed, dict):
        raise ValueError(f"Expected `object`, got `{type(parsed).__name__}`")  # noqa: TRY004 - it is the file that is wrong
    return parsed


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no number in JSON")
