"""Sessions over odd text, with what their documents hold: UTF-16 code units in plain lists, changed from the back.

Nothing here knows syntax.text or any other code that is tested with it.
"""

import hashlib
import struct

from hypothesis import strategies as st

from replay.tapes.tape import Edit, Embedded, Focus, Header, Open, Tape

PIECES = [
    "a",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\x0b",
    "\x0c",
    "\x85",
    "\u2028",
    "\u2029",
    "é",
    "ÿ",
    "ß",
    "Ā",
    "e\u0301",
    "関",
]
PIECES += ["\uffff", "😀", "𝒳", "👩‍👩‍👧", "\ud83d", "\ude00", "\U0010ffff", "\u200f", "\0"]
PATHS = ["a.txt", "b ü.txt"]
HEADER = Header(tape=1, id="odd", editor="test", origin="synthesised", workspace=Embedded(), created="2026-01-01")


def units_of(text):
    data = text.encode("utf-16-le", "surrogatepass")
    return list(struct.unpack(f"<{len(data) // 2}H", data))


def text_of(units):
    return struct.pack(f"<{len(units)}H", *units).decode("utf-16-le", "surrogatepass")


def spliced(units, changes):
    """All changes are against `units`; of those at one place, the first comes first."""
    units = list(units)
    ordered = sorted(changes, key=lambda change: change[:2])
    for start, end, new in ordered[::-1]:
        units[start:end] = units_of(new)
    return units


def sha256_of(units):
    return hashlib.sha256(text_of(units).encode("utf-8", "surrogatepass")).hexdigest()


def canonical(pieces):
    """Joined as in any text that was read: two halves that meet are one character."""
    return text_of(units_of("".join(pieces)))


TEXTS = st.lists(
    st.sampled_from(PIECES) | st.characters(categories=["L", "M", "N", "P", "S", "Z", "C"]), max_size=12
).map(canonical)


@st.composite
def changes_of(draw, size):
    """One to four changes of a text of `size` units that do not overlap, in any order and anywhere, inside pairs too."""
    count = draw(st.integers(1, 4))
    cuts = sorted(draw(st.lists(st.integers(0, size), min_size=2 * count, max_size=2 * count)))
    return draw(st.permutations([(*cuts[2 * i : 2 * i + 2], draw(TEXTS)) for i in range(count)]))


@st.composite
def sessions(draw, most_events=8):
    """A tape, and for each of its events the units of every document after it (path → units)."""
    events = [Open(0.0, doc, path, "plaintext", draw(TEXTS)) for doc, path in enumerate(PATHS)]
    held = {event.path: units_of(event.text) for event in events}
    after = [{path: held[path] for path in PATHS[: doc + 1]} for doc in range(len(PATHS))]
    for number in range(draw(st.integers(1, most_events))):
        doc = draw(st.sampled_from(range(len(PATHS))))
        changes = draw(changes_of(len(held[PATHS[doc]])))
        held = {**held, PATHS[doc]: spliced(held[PATHS[doc]], changes)}
        events += [Focus(number * 100.0, doc), Edit(number * 100.0, doc, tuple(changes), "type")]
        after += [after[-1], held]
    return Tape(HEADER, tuple(events)), after
