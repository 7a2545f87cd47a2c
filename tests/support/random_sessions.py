"""Random editing sessions, typed for tests of importers: each step says what every document holds after it."""

from collections import defaultdict
from dataclasses import dataclass

from hypothesis import strategies as st

from replay.tapes.tape import Documents, Edit, Open

_CHARACTERS = "abxyz01 ()[]{}.,;:\"'`#\té😀\\"


@dataclass(frozen=True)
class Step:
    """What happened: `kind` is `tab` (the editor became active), `edit` or `select`; ranges are in UTF-16 code units."""

    kind: str
    file: str
    t: int
    changes: tuple = ()
    """From the end of the document to its start, as VS Code gives them; of a selection: one, with the selected text."""
    text: str = ""
    """What the document holds afterwards."""


def units(text):
    """The UTF-16 length, by another way than the project's own."""
    return sum(2 if ord(char) > 0xFFFF else 1 for char in text)


@st.composite
def sessions(draw):
    """A list of steps over up to three documents; each has one kind of line end, as editors have it."""
    ends = {f"{name}.md": draw(st.sampled_from(["\n", "\r\n"])) for name in draw(st.sampled_from(["a", "ab", "abc"]))}
    held = {file: draw(_texts(end, 40)) for file, end in ends.items()}
    steps, t = [], 0
    active = draw(st.sampled_from(sorted(ends)))
    steps.append(Step("tab", active, t, text=held[active]))
    for _ in range(draw(st.integers(1, 12))):
        t += draw(st.integers(1, 3000))
        kind = draw(st.sampled_from(["edit", "edit", "edit", "select", "tab"]))
        if kind == "tab":
            active = draw(st.sampled_from(sorted(ends)))
            steps.append(Step("tab", active, t, text=held[active]))
        else:
            spans = draw(_spans(held[active], ends[active], 1 if kind == "select" else 2))
            changes = _changes(held[active], spans, "" if kind == "select" else None)
            held[active] = _applied(held[active], spans) if kind == "edit" else held[active]
            steps.append(Step(kind, active, t, changes, held[active]))
    return steps


@st.composite
def _texts(draw, end, size):
    pieces = draw(st.lists(st.sampled_from([*_CHARACTERS, end]), max_size=size))
    return "".join(pieces)


@st.composite
def _spans(draw, text, end, most):
    """Up to `most` pieces of a text, from its end on, with what takes their place; none splits a line end."""
    places = [at for at in range(len(text) + 1) if text[max(0, at - 1) : at + 1] != "\r\n"]
    spans, limit = [], len(text)
    for _ in range(draw(st.integers(1, most))):
        first = draw(st.sampled_from([at for at in places if at <= limit]))
        last = draw(st.sampled_from([at for at in places if first <= at <= min(limit, first + 8)]))
        spans.append((first, last, draw(_texts(end, 6))))
        limit = first - 1
        if limit < 0:
            break
    return spans


def _changes(text, spans, selected):
    return tuple(
        (units(text[:first]), units(text[:last]), text[first:last] if selected is not None else new)
        for first, last, new in spans
    )


def _applied(text, spans):
    for first, last, new in spans:
        text = text[:first] + new + text[last:]
    return text


def histories(steps):
    """File → the texts that it held one after the other."""
    texts = defaultdict(list)
    for step in steps:
        _note(texts[step.file], step.text)
    return dict(texts)


def replayed(tape):
    """The same of a tape, by playing it."""
    documents, texts = Documents("tape"), defaultdict(list)
    for number, event in enumerate(tape.events):
        documents.apply(number, event)
        if isinstance(event, Open | Edit):
            _note(texts[documents.paths[event.doc]], documents.texts[event.doc])
    return dict(texts)


def _note(texts, text):
    if not texts or texts[-1] != text:
        texts.append(text)
