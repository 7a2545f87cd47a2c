"""Measures the distributions of synthesised sessions on a recorded session.

`measured(tape)` gives every number of `corpora/history/session/distributions.toml` that is marked as measured. It looks at the
form of the changes, not at their reasons; only accepted suggestions and pastes do not count as typing.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal, TypeAlias, get_args

import msgspec

from corpora.history.session.distributions import BESIDE, CONTEXTS, GapContext, PausePlace, place_of
from replay.tapes.tape import Edit, Tape
from syntax.text import Change

PAUSE_MS = 1000.0
"""A gap longer than this ends a burst."""
FLUSHED_MS = 10.0
"""A shorter gap is not between two keys: the recorder wrote several edits in one batch."""
_PARTS = {"letter": 2, "sign": 2, "deletes": 2}
_SMALL = 8
_PAIRS = frozenset({"()", "[]", "{}", '""', "''", "``"})
_TWO_LINES = re.compile(r"(\r?\n[ \t]*)\r?\n[ \t]*")
_CLOSERS = frozenset(")]}\"'`")
_Form: TypeAlias = Literal["letter", "sign", "enter", "delete", "other"]


@dataclass(frozen=True, slots=True)
class Stroke:
    """One key: its form, its place (UTF-16 offset), its text, the gap before it (ms) and the context of that gap."""

    form: _Form
    doc: int
    at: int
    text: str
    gap: float
    context: GapContext | None


def strokes(tape: Tape) -> list[Stroke]:
    """The edits of a tape as keys, in order; an edit that no single key can make has no context."""
    return [_stroke(before, edit) for before, edit in pairwise(_edits(tape))]


def gaps(tape: Tape) -> dict[GapContext, list[float]]:
    """The gaps (ms) before the keys of a tape, by context; batches of the recorder are left out."""
    found: dict[GapContext, list[float]] = defaultdict(list)
    for stroke in strokes(tape):
        if stroke.context and stroke.gap >= FLUSHED_MS:
            found[stroke.context].append(stroke.gap)
    return dict(found)


def measured(tape: Tape) -> dict[str, tuple[int, object]]:
    """Name of a distribution → (number of observations, its parameters) as `distributions.toml` has them."""
    by_context = gaps(tape)
    found: dict[str, tuple[int, object]] = {}
    for context in CONTEXTS:
        found |= _of_context(context, by_context.get(context, []))
    for place in get_args(PausePlace):
        every = [gap for context, sample in by_context.items() if place_of(context) == place for gap in sample]
        long = [gap - PAUSE_MS for gap in every if gap > PAUSE_MS]
        found[f"pause.{place}"] = len(long), fitted(long, 1)
    return {name: (n, value) for name, (n, value) in (found | _habits(tape)).items() if n}


def fitted(sample: Sequence[float], parts: int, rounds: int = 200) -> tuple[tuple[float, float, float], ...]:
    """Fit a mixture of log-normals by expectation maximisation: (weight, median in ms, sigma) by rising median.

    Starts from equal slices of the sorted sample; a sigma is at least 0.05. Numbers have three digits. No sample, no parts.
    """
    logs = sorted(math.log(value) for value in sample if value > 0)
    if not logs:
        return ()
    cuts = [round(len(logs) * part / parts) for part in range(parts + 1)]
    mixture = [_normal(logs[low:high], [1.0] * (high - low), len(logs)) for low, high in pairwise(cuts)]
    for _ in range(rounds if parts > 1 else 0):
        shares = [_shares(value, mixture) for value in logs]
        mixture = [_normal(logs, [share[part] for share in shares], len(logs)) for part in range(parts)]
    ordered = sorted((round(weight, 3), _three(math.exp(mean)), round(sigma, 3)) for weight, mean, sigma in mixture)
    return tuple(sorted(ordered, key=lambda part: part[1]))


def _edits(tape: Tape) -> list[Edit]:
    """The edits of a tape; changes that touch are joined (Enter can remove white space and begin a line)."""
    edits = (event for event in tape.events if isinstance(event, Edit))
    return [msgspec.structs.replace(edit, changes=tuple(_joined(sorted(edit.changes)))) for edit in edits]


def _joined(changes: Sequence[Change]) -> list[Change]:
    found: list[Change] = []
    for start, end, text in changes:
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], end, found[-1][2] + text)
        else:
            found.append((start, end, text))
    return found


def _stroke(before: Edit, edit: Edit) -> Stroke:
    form, gap = _form(edit), edit.t - before.t
    if form == "other":
        return Stroke(form, edit.doc, 0, "", gap, None)
    return Stroke(form, edit.doc, edit.changes[0][0], edit.changes[0][2], gap, _context(before, edit, form))


def _form(edit: Edit) -> _Form:
    if len(edit.changes) != 1 or edit.reason in {"accept", "paste"}:
        return "other"
    start, end, text = edit.changes[0]
    if not text:
        return "delete" if end - start == 1 else "other"
    if end - start == 1 and text in _CLOSERS:
        return "sign"
    if text[0] in "\r\n":
        return "other" if text.strip() else "enter"
    if start != end:
        return "other"
    if len(text) == 1:
        return "letter" if text.isalpha() else "sign"
    return "sign" if text in _PAIRS else "other"


def _context(before: Edit, edit: Edit, form: _Form) -> GapContext | None:
    if before.doc != edit.doc:
        return "document"
    last = _form(before)
    if len(before.changes) != 1:
        return None
    away = min(abs(at - _after(before)) for at in _places(edit, form))
    if away:
        return "beside" if away <= BESIDE else "elsewhere"
    return None if last == "other" else _in_place(last, form)


def _places(edit: Edit, form: _Form) -> tuple[int, ...]:
    """Possible places of the cursor before a key: deleted text may be left or right of it."""
    start, end, _ = edit.changes[0]
    return (start, end) if form in {"delete", "enter"} else (start,)


def _after(edit: Edit) -> int:
    """The cursor after an edit: after the new text, but between a bracket and its closer.

    Enter between brackets begins two lines; then the cursor is on the first.
    """
    start, end, text = edit.changes[0]
    if start == end and text in _PAIRS:
        return start + 1
    if between := _TWO_LINES.fullmatch(text):
        return start + between.end(1)
    return start + len(text.encode("utf-16-le", "surrogatepass")) // 2


def _in_place(last: _Form, form: _Form) -> GapContext:
    match last, form:
        case "delete", "delete":
            return "deletes"
        case _, "delete":
            return "delete"
        case _, "enter":
            return "enter"
        case "enter", _:
            return "line"
        case "delete", _:
            return "redo"
        case "letter", "letter":
            return "letter"
    return "sign"


def _of_context(context: GapContext, sample: Sequence[float]) -> Iterator[tuple[str, tuple[int, object]]]:
    short = [gap for gap in sample if gap <= PAUSE_MS]
    yield f"pausing.{context}", _share(gap > PAUSE_MS for gap in sample)
    yield f"burst.{context}", (len(short), fitted(short, _PARTS.get(context, 1)))


def _habits(tape: Tape) -> dict[str, tuple[int, object]]:
    keys = strokes(tape)
    corrections = list(_corrections(keys))
    typos = [count for count, wrong, right in corrections if wrong.isalpha() and right[:1].isalpha() and wrong != right]
    letters = sum(key.form == "letter" and key.gap >= FLUSHED_MS for key in keys)
    edits = _edits(tape)
    return {
        "typo": (letters, round(len(typos) / max(1, letters), 4)),
        "noticed_after": (len(typos), round(sum(typos) / max(1, len(typos)), 2)),
        "type_over": _share(_overs(edits)),
        "selected": _share(_removals(edits)),
        "replaced_at_once": _share(_replacements(edits)),
        "downwards": _share(_directions(edits)),
        "leaving": _share(_departures(keys)),
    }


def _corrections(keys: Sequence[Stroke]) -> Iterator[tuple[int, str, str]]:
    """Runs of Backspace right after typing: (number of keys, deleted text, text that was typed instead)."""
    runs = [list(run) for _, run in groupby(keys, key=_typing)]
    for before, removing, after in zip(runs, runs[1:], runs[2:], strict=False):
        count = len(removing)
        if _typing(removing[0]) == "delete" and removing[0].context == "delete" and len(before) >= count:
            taken = "".join(key.text for key in before[-count:])
            again = after[:count] if after[0].context == "redo" else []
            yield count, taken, "".join(key.text for key in again)


def _typing(key: Stroke) -> str:
    return key.form if key.form in {"delete", "other"} else "typing"


def _share(answers: Iterable[bool]) -> tuple[int, float]:
    counted = Counter(answers)
    return counted.total(), round(counted[True] / max(1, counted.total()), 3)


def _overs(edits: Sequence[Edit]) -> Iterator[bool]:
    """For each pair of brackets that the editor closed: whether its closer was typed over."""
    ones = [edit.changes[0] for edit in edits if len(edit.changes) == 1]
    over = sum(end - start == 1 and text in _CLOSERS for start, end, text in ones)
    pairs = sum(start == end and text in _PAIRS for start, end, text in ones)
    yield from (number < over for number in range(pairs))


def _removals(edits: Sequence[Edit]) -> Iterator[bool]:
    """For each removal of at most `_SMALL` characters: whether it was one edit (a selection), not a run of Backspace."""
    run = 0
    for before, edit in pairwise(edits):
        if _form(edit) == "delete":
            joined = _form(before) == "delete" and before.doc == edit.doc and before.changes[0][0] == edit.changes[0][1]
            run = run + 1 if joined else 1
            continue
        if 1 < run <= _SMALL:
            yield False
        run = 0
        if len(edit.changes) == 1 and not edit.changes[0][2] and 1 < edit.changes[0][1] - edit.changes[0][0] <= _SMALL:
            yield True


def _replacements(edits: Sequence[Edit]) -> Iterator[bool]:
    """For each selection that a character replaced: whether it did so directly, not after a deletion."""
    for before, edit in pairwise(edits):
        if len(edit.changes) != 1 or len(edit.changes[0][2]) != 1:
            continue
        start, end, _ = edit.changes[0]
        if end - start > 1:
            yield True
        elif start == end and len(before.changes) == 1 and before.doc == edit.doc and _emptied(before) == start:
            yield False


def _emptied(edit: Edit) -> int:
    start, end, text = edit.changes[0]
    return start if not text and end - start > 1 else -1


def _directions(edits: Sequence[Edit]) -> Iterator[bool]:
    """For each key at another place of the same document than the key before: whether that is further down."""
    for before, edit in pairwise(edits):
        last, form = _form(before), _form(edit)
        if "other" in {last, form} or before.doc != edit.doc or edit.t - before.t < FLUSHED_MS:
            continue
        if _context(before, edit, form) == "elsewhere":
            yield edit.changes[0][0] > before.changes[0][0]


def _departures(keys: Sequence[Stroke]) -> Iterator[bool]:
    """For each key elsewhere: whether that is in another document."""
    moved = (key for key in keys if key.gap >= FLUSHED_MS and key.context in {"elsewhere", "document"})
    return (key.context == "document" for key in moved)


def _normal(logs: Sequence[float], weights: Sequence[float], total: int) -> tuple[float, float, float]:
    weight = sum(weights)
    mean = sum(w * value for w, value in zip(weights, logs, strict=True)) / weight
    variance = sum(w * (value - mean) ** 2 for w, value in zip(weights, logs, strict=True)) / weight
    return weight / total, mean, max(0.05, math.sqrt(variance))


def _shares(value: float, mixture: Sequence[tuple[float, float, float]]) -> list[float]:
    """The responsibility of each part of a mixture for a value; they sum to 1."""
    found = [
        weight / sigma * math.exp(-(((value - mean) / sigma) ** 2) / 2) + 1e-300 for weight, mean, sigma in mixture
    ]
    total = sum(found)
    return [each / total for each in found]


def _three(value: float) -> float:
    """A number with three significant digits."""
    return float(f"{value:.3g}")
