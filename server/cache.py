"""A cache of answers, found by the text around the cursor, with a limit on their number and size.

An answer depends on the whole text before and after the cursor (the repairs read the whole file), on the stop hint, on the sample, and on
other texts (`Elsewhere`), which must be unchanged. A text is represented by its length and its hash (64 bits, SipHash), so that neither the
memory nor the time of a look-up grows with the number of answers times the length of a file.
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
IsUnchanged: TypeAlias = Callable[[Elsewhere], bool]
"""Returns whether other texts are unchanged"""


def digests(texts: Iterable[tuple[str, str]]) -> Elsewhere:
    """The paths and hashes of other texts."""
    return frozenset((path, hash(text)) for path, text in texts)


def digest(text: str) -> Digest:
    """The length and hash of a text. Python stores a string's hash, so a second call costs nothing."""
    return len(text), hash(text)


class CacheGroup(msgspec.Struct, frozen=True):
    """Questions that differ only in the text before the cursor."""

    uri: str
    language: str
    stop: str
    after: Digest
    sample: int


class LruStore(Generic[K, V]):
    """Keeps the most recently used values, up to a number and a size in bytes."""

    def __init__(self, entries: int, max_bytes: int) -> None:
        self._entries, self._max_bytes = entries, max_bytes
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """The value of a key, which is now the most recently used."""
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key][0]

    def put(self, key: K, value: V, size: int) -> list[K]:
        """Keep a value of `size` bytes. Return the keys that were dropped for it; its own key, if the value is too large."""
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
        """Drop a value, if it is here."""
        _, size = self._values.pop(key, (None, 0))
        self.bytes -= size


_Key: TypeAlias = tuple[CacheGroup, Digest]


@dataclass(frozen=True, slots=True)
class _Kept(Generic[V]):
    """An answer with its text, and the lengths of the texts before the cursor between which a part of it was typed."""

    answer: V
    text: str
    elsewhere: Elsewhere
    prefix: Digest
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Hit(Generic[V]):
    """An answer that fits; `typed` characters of it were typed since."""

    answer: V
    typed: int = 0


class Cache(Generic[V]):
    """The cache. `evicted` counts answers dropped for others, `outdated` answers dropped because another text changed."""

    def __init__(self, entries: int, max_bytes: int) -> None:
        self._store: LruStore[_Key, _Kept[V]] = LruStore(entries, max_bytes)
        self._groups: dict[CacheGroup, dict[Digest, _Kept[V]]] = {}
        self.evicted = 0
        self.outdated = 0

    def __len__(self) -> int:
        return len(self._store)

    @property
    def bytes(self) -> int:
        """The size of the answers in bytes."""
        return self._store.bytes

    def keep(self, group: CacheGroup, before: str, elsewhere: Elsewhere, answer: V, *, text: str, size: int) -> None:
        """Keep an answer of `size` bytes. The person may type its `text`; an empty text never matches."""
        key = group, digest(before)
        kept = _Kept(answer, text, elsewhere, key[1], len(before), len(before) + len(text))
        self._forget(key)
        self._groups.setdefault(group, {})[key[1]] = kept
        for gone in self._store.put(key, kept, size):
            self._remove(gone)
            self.evicted += 1

    def asked_before(self, group: CacheGroup, before: str, is_unchanged: IsUnchanged) -> Hit[V] | None:
        """The answer to the very same question."""
        key = group, digest(before)
        kept = self._groups.get(group, {}).get(key[1])
        return self._hit(key, kept, is_unchanged, 0) if kept else None

    def typed_along(self, group: CacheGroup, before: str, is_unchanged: IsUnchanged) -> Hit[V] | None:
        """The latest answer whose start, but not all of it, was typed since."""
        near, size = self._groups.get(group, {}), len(before)
        last = before[-1:]
        for kept in [
            kept
            for kept in reversed(near.values())
            if kept.start < size < kept.end and kept.text[size - kept.start - 1] == last
        ]:
            typed = size - kept.start
            if follows(kept.text, before, typed) and digest(before[:-typed]) == kept.prefix:
                hit = self._hit((group, kept.prefix), kept, is_unchanged, typed)
                if hit is not None:
                    return hit
        return None

    def _hit(self, key: _Key, kept: _Kept[V], is_unchanged: IsUnchanged, typed: int) -> Hit[V] | None:
        if not is_unchanged(kept.elsewhere):
            self._forget(key)
            self.outdated += 1
            return None
        self._store.get(key)
        return Hit(kept.answer, typed)

    def _forget(self, key: _Key) -> None:
        self._store.drop(key)
        self._remove(key)

    def _remove(self, key: _Key) -> None:
        near = self._groups.get(key[0], {})
        near.pop(key[1], None)
        if not near:
            self._groups.pop(key[0], None)


def follows(text: str, before: str, typed: int) -> bool:
    """Whether the last `typed` characters before the cursor are the start of a text, and more than blanks remain of it.

    `follows("return x", "    re", 2)` is true: `turn x` remains.
    """
    return 0 < typed < len(text) and before.endswith(text[:typed]) and bool(text[typed:].strip())
