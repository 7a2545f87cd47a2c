"""Tapes that do not say who wrote them, for tests of what recognises it."""

import msgspec

from replay.tapes.authors.change_reasons import certain_reason
from replay.tapes.authors.streams import recognised
from replay.tapes.tape import Edit
from syntax.text import length


def without_reasons(tape):
    """The tape as a recorder writes it that knows no reasons: what one key can have made is guessed."""
    return msgspec.structs.replace(
        tape,
        events=tuple(
            msgspec.structs.replace(event, reason=certain_reason(event.changes)) if isinstance(event, Edit) else event
            for event in tape.events
        ),
    )


def agents(tape):
    return {index for index, reason in recognised(tape.events).items() if reason == "agent"}


def change(typist, start, end, text, gap):
    """Add one edit without a reason of its own, after a time (ms) or what a function draws; give the index of its event."""
    gap = gap() if callable(gap) else gap
    typist.edit((start, end, text), reason=certain_reason(((start, end, text),)), gap=gap)
    return len(typist.events) - 1


def stream(typist, words, *, at=None, gap=33.0):
    """Let an agent write words one behind the other; give the indices of its events."""
    at = length(typist.text) if at is None else at
    written = set()
    for word in words:
        written.add(change(typist, at, at, word, gap))
        at += length(word)
    return written


def growing(typist, words, *, gap=20.0, by_line=False):
    """Let an agent write all its text so far again with each word, or the last line of it; give the indices of its events."""
    begin = end = length(typist.text)
    text, written = "", set()
    for word in words:
        text += word
        written.add(change(typist, begin, end, text, gap))
        end = begin + length(text)
        if by_line:
            text = text[text.rfind("\n") + 1 :]
            begin = end - length(text)
    return written


def written_between(tape, log, spans):
    """The indices of the events of a tape that are changes of its recording's log, from a first to a last entry."""
    changes = [number for number, entry in enumerate(log) if entry["kind"] == "changed"]
    edits = [index for index, event in enumerate(tape.events) if isinstance(event, Edit)]
    return {
        index
        for index, number in zip(edits, changes, strict=True)
        if any(first <= number <= last for first, last in spans)
    }
