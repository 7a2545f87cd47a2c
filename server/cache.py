"""Answers that are kept to be used again: found by what stands around the cursor, and no more of them than there may be.

An answer depends on the text before and after the cursor, all of it, for the repairs look at the whole file; on the hint and the
sample that was asked for; and on other texts (`Elsewhere`), which must all stand as they stood. Texts are held by their length and
their hash (64 bits, SipHash), so that neither what is kept nor what a look-up costs grows with the number of answers times the
length of a file.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import msgspec

K = TypeVar("K")
V = TypeVar("V")

Digest: TypeAlias = tuple[int, int]
"""(length, hash) of a text"""
Elsewhere: TypeAlias = frozenset[tuple[str, int]]
"""(path, hash of the text) of other texts"""
Stands: TypeAlias = Callable[[Elsewhere], bool]
"""Tells whether texts stand as they stood"""


def digests(texts: Iterable[tuple[str, str]]) -> Elsewhere:
    """What stands for texts with their paths."""
    return frozenset((path, hash(text)) for path, text in texts)


def digest(text: str) -> Digest:
    """What stands for a text. Python remembers a string's hash, so that asking again costs nothing."""
    return len(text), hash(text)


class Spot(msgspec.Struct, frozen=True):
    """Where questions are asked, but for what stands before the cursor."""

    uri: str
    language: str
    stop: str
    after: Digest
    sample: int


class Shelf(Generic[K, V]):
    """Keeps what was used last: at most so many values, and at most so many bytes of them."""

    def __init__(self, entries: int, max_bytes: int) -> None:
        self._entries, self._max_bytes = entries, max_bytes
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """A value, which counts as used now."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key][0]

    def put(self, key: K, value: V, size: int) -> list[K]:
        """Keep a value of so many bytes; tell whose had to go for it, its own if it is too large."""
        self.drop(key)
        self._values[key] = value, size
        self.bytes += size
        if size > self._max_bytes:
            self.drop(key)
            return [key]
        gone = []
        while len(self._values) > self._entries or self.bytes > self._max_bytes:
            gone.append(next(iter(self._values)))
            self.drop(gone[-1])
        return gone

    def drop(self, key: K) -> None:
        """Forget a value, if it is kept."""
        _, size = self._values.pop(key, (None, 0))
        self.bytes -= size


_Key: TypeAlias = tuple[Spot, Digest]


@dataclass(frozen=True, slots=True)
class _Kept(Generic[V]):
    answer: V
    text: str
    elsewhere: Elsewhere


@dataclass(frozen=True, slots=True)
class Hit(Generic[V]):
    """An answer that serves, after so many characters of it were typed."""

    answer: V
    typed: int = 0


class Cache(Generic[V]):
    """Answers by place. `evicted` counts those that had to go for others, `outdated` those that an edit elsewhere made wrong."""

    def __init__(self, entries: int, max_bytes: int) -> None:
        self._shelf: Shelf[_Key, _Kept[V]] = Shelf(entries, max_bytes)
        self._spots: dict[Spot, dict[Digest, _Kept[V]]] = {}
        self.evicted = 0
        self.outdated = 0

    def __len__(self) -> int:
        return len(self._shelf)

    @property
    def bytes(self) -> int:
        """What the answers take, in bytes."""
        return self._shelf.bytes

    def keep(self, spot: Spot, before: str, elsewhere: Elsewhere, answer: V, *, text: str, size: int) -> None:
        """Keep an answer of so many bytes, whose text (nothing: never typed along) may be typed as suggested."""
        key, kept = (spot, digest(before)), _Kept(answer, text, elsewhere)
        self._forget(key)
        self._spots.setdefault(spot, {})[key[1]] = kept
        for gone in self._shelf.put(key, kept, size):
            self._unlist(gone)
            self.evicted += 1

    def asked_before(self, spot: Spot, before: str, stands: Stands) -> Hit[V] | None:
        """The answer to the very same question."""
        key = spot, digest(before)
        kept = self._spots.get(spot, {}).get(key[1])
        return self._served(key, kept, stands, 0) if kept else None

    def typed_along(self, spot: Spot, before: str, stands: Stands) -> Hit[V] | None:
        """The latest answer of which a part, and no more than that, was typed since."""
        near, size = self._spots.get(spot, {}), len(before)
        for told, kept in [
            (told, kept)
            for told, kept in reversed(near.items())
            if 0 < (typed := size - told[0]) < len(kept.text) and before.endswith(kept.text[typed - 1])
        ]:
            typed = size - told[0]
            if follows(kept.text, before, typed) and digest(before[:-typed]) == told:
                hit = self._served((spot, told), kept, stands, typed)
                if hit is not None:
                    return hit
        return None

    def _served(self, key: _Key, kept: _Kept[V], stands: Stands, typed: int) -> Hit[V] | None:
        if not stands(kept.elsewhere):
            self._forget(key)
            self.outdated += 1
            return None
        self._shelf.get(key)
        return Hit(kept.answer, typed)

    def _forget(self, key: _Key) -> None:
        self._shelf.drop(key)
        self._unlist(key)

    def _unlist(self, key: _Key) -> None:
        near = self._spots.get(key[0], {})
        near.pop(key[1], None)
        if not near:
            self._spots.pop(key[0], None)


def follows(text: str, before: str, typed: int) -> bool:
    """Whether the last so many characters before the cursor are the start of a text, and not all of it."""
    return 0 < typed < len(text) and before.endswith(text[:typed]) and bool(text[typed:].strip())
