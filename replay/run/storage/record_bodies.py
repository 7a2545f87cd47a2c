"""What a run's database holds of a record: its JSON, in which long texts are replaced by their hashes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from replay.records import Missed, Record, Suggestion, Verdict

_With = TypeVar("_With", Record, Missed)


def with_texts(record: _With, turned: Callable[[str], str]) -> _With:
    """A record with its long texts replaced by their hashes, or the reverse; so is what it says of a missed answer."""
    found: dict[str, Any] = {}
    if record.suggestion:
        found["suggestion"] = _turned(record.suggestion, ("prompt",), turned)
    if record.verdict:
        found["verdict"] = _turned(record.verdict, ("log", "program"), turned)
    if isinstance(record, Record) and record.missed:
        found["missed"] = with_texts(record.missed, turned)
    return msgspec.structs.replace(record, **found)


_Part = TypeVar("_Part", Suggestion, Verdict)


def _turned(part: _Part, names: Iterable[str], turned: Callable[[str], str]) -> _Part:
    long = {name: turned(text) for name in names if (text := getattr(part, name))}
    return msgspec.structs.replace(part, **long)


def encoded(record: Any) -> bytes:
    """The JSON of a record, a trial or a fact. Half a surrogate pair, which UTF-8 cannot encode, becomes U+FFFD."""
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        return msgspec.json.encode(whole_text(msgspec.to_builtins(record)))


def whole_text(value: Any) -> Any:
    """A value in whose texts each half of a surrogate pair is U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {whole_text(key): whole_text(item) for key, item in value.items()}
    return [whole_text(item) for item in value] if isinstance(value, list | tuple) else value
