"""What a table of moments shows, sorts and filters by: derived from a record when it is stored, so that no record is read for it."""

from __future__ import annotations

import msgspec

from replay.numbers.clusters import cluster_of
from replay.numbers.metrics import UNJUDGED, length_class, truth_length
from replay.play.shown_edits import headline as edit_headline
from replay.records import Record

HEADLINE = 200
"""Characters of a suggestion's first line that are kept."""
SEARCHED = 2_000
"""Characters of each text of a record that a search looks at."""
UNTESTED = "not tested"
"""The verdict of a moment without one."""


class Row(msgspec.Struct, frozen=True):
    """One moment in a table. The names are those of the columns of the table `listing`."""

    number: int
    """The record's number in its store."""
    tape: str
    event: int
    path: str
    line: int
    """From 0, as in the record."""
    character: int
    """From 0, in UTF-16 code units."""
    language: str
    kind: str
    scenario: str
    stop: str
    ending: str
    ending_reason: str
    verdict: str
    """The verdict's name; `UNTESTED` without one."""
    verdict_reason: str
    testable: str
    """`testable`, `untestable(REASON)`, `infrastructure` or `UNTESTED`."""
    failed: bool
    """Whether the request failed, or the verdict counts against the suggestion."""
    latency: float | None
    """In ms of virtual time; None without an answer."""
    provider: str
    repairs: str
    """The repairs that changed the text, each between bars: `|prose|stop|`; empty for none."""
    truth: int
    """The length of the ground truth in characters, white space at its ends aside."""
    length: str
    """The class of that length."""
    suggestion: str
    """The first line of the suggestion that is not blank; empty without a suggestion."""
    cluster: str
    """The hole that the moment is about (`replay.numbers.clusters`)."""
    sample: int
    mark: bool = False
    """Whether a person has marked the moment."""
    note: str = ""
    """What a person has noted about the moment."""


def row_of(record: Record, number: int) -> Row:
    """Return what a table shows of a record."""
    moment, suggestion, verdict = record.moment, record.suggestion, record.verdict
    name = verdict.name if verdict else UNTESTED
    return Row(
        number=number,
        tape=moment.tape,
        event=moment.event,
        path=moment.path,
        line=moment.line,
        character=moment.character,
        language=moment.language,
        kind=moment.kind,
        scenario=moment.scenario,
        stop=moment.stop,
        ending=record.ending.name,
        ending_reason=record.ending.reason,
        verdict=name,
        verdict_reason=verdict.reason if verdict else "",
        testable=_testable(record),
        failed=record.ending.name == "failed" or name not in UNJUDGED | {UNTESTED, "passed"},
        latency=suggestion.latency if suggestion else None,
        provider=suggestion.provider if suggestion else "",
        repairs=_repairs(record),
        truth=truth_length(record),
        length=length_class(record) if truth_length(record) else "none",
        suggestion=_headline(edit_headline(suggestion.text) if moment.next_edit else suggestion.text)
        if suggestion
        else "",
        cluster=cluster_of(moment),
        sample=moment.sample,
    )


def searched_text(record: Record) -> str:
    """Return the text in which a search looks for a record: folded, so that upper and lower case are the same."""
    moment, suggestion, verdict, missed = record.moment, record.suggestion, record.verdict, record.missed
    block = "/".join(filter(None, (moment.kind, moment.scenario)))
    parts = [f"{moment.path}:{moment.line + 1}:{moment.character + 1}", moment.tape, block, str(record.ending)]
    parts += [moment.id, moment.truth]
    parts += [suggestion.text, suggestion.raw if suggestion.raw != suggestion.text else ""] if suggestion else []
    parts += [verdict.name, verdict.reason, verdict.message, verdict.cause] if verdict else []
    parts += [missed.suggestion.text] if missed and missed.suggestion else []
    return "\n".join(part[:SEARCHED] for part in parts).casefold()


def adherence_values(record: Record) -> str:
    """Return what the suggestion does to instructions of developers, each between bars: `|broken avoid-recursion|`; empty where nothing was checked.

    What it is not concerned by is left out.
    """
    said = (record.verdict.instructions or {}) if record.verdict else {}
    named = [f"{name} {id_}" for id_, name in said.items() if name != "not concerned"]
    return f"|{'|'.join(named)}|" if named else ""


def _testable(record: Record) -> str:
    verdict = record.verdict
    if verdict is None or verdict.name == "infrastructure":
        return verdict.name if verdict else UNTESTED
    return f"untestable({verdict.reason})" if verdict.name == "untestable" else "testable"


def _repairs(record: Record) -> str:
    trail = record.suggestion.trail if record.suggestion else ()
    names = dict.fromkeys(step.step for step in trail if not step.undone)
    return f"|{'|'.join(names)}|" if names else ""


def _headline(text: str) -> str:
    line = next((line.strip() for line in text[: 10 * HEADLINE].splitlines() if line.strip()), "")
    return line[:HEADLINE] or ("(white space)" if text else "")
