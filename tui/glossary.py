"""The meaning of endings, verdicts, reasons and kinds of keys, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from replay.records import AdherenceName, Ending, Record, Suggestion, Verdict
from replay.run.listing.moment_rows import Row

ENDINGS: dict[str, str] = {
    "gated": "the policy did not let the editor ask here",
    "debounced": "the developer typed on before the editor asked",
    "superseded": "a newer change or answer replaced it",
    "cancelled": "the editor cancelled the request",
    "failed": "the provider failed",
    "empty": "the provider offered nothing",
    "filtered": "a repair left nothing of the raw text",
    "late": "the answer came too late: after the next key",
    "shown": "it was shown in time",
    "accepted": "the user accepted it",
    "part": "the user accepted a part of it",
    "typed-through": "the user typed the same text",
    "rejected": "the user did not accept it",
}

FINISHES: dict[str, str] = {
    "length": "the model reached its limit of tokens",
    "refusal": "the model refused",
    "content-filter": "a filter of the model server stopped it",
    "other": "the model stopped for another reason than the end of its answer",
}
"""Why a model stopped writing, where it was not simply done."""

VERDICTS: dict[str, str] = {
    "passed": "the tests pass with it in place",
    "failed": "tests fail with it in place",
    "syntax": "the graft is not valid code",
    "indentation": "the graft is wrongly indented",
    "compile": "the graft does not compile",
    "undefined-name": "it uses a name that is not defined",
    "assertion": "a test's assertion fails with it in place",
    "exception": "an exception that nothing catches ends the tests",
    "timeout": "the tests ran longer than their limit",
    "memory": "the tests used more memory than their limit",
    "output": "the tests wrote more than their limit",
    "crashed": "the test run crashed",
    "flaky": "it equals the finished project, whose tests passed before and fail now",
    "elsewhere": "the tests pass, but the edit changes nothing where the person's next one is",
    "repeated": "it says again what stood right of the cursor, so that the code would stand there twice",
    "infrastructure": "the tests could not be run; the suggestion is not to blame",
    "untestable": "no test can tell whether it is right",
}
UNTESTABLE: dict[str, str] = {
    "rewritten": "the code before the cursor was rewritten later",
    "broken-baseline": "the finished project fails its own tests",
    "flaky": "the tests of the finished project end differently each time",
    "empty": "the finished project has nothing here",
    "undetected": "the tests pass even when this part is missing",
    "no-syntax": "ghosttape has no grammar for the language",
    "diverged": "drive mode: the text here was never on the tape",
    "silence": "the person made no next edit, so that nothing is the right answer",
    "unparsable": "without the next edit the document does not parse, which every test notices",
}

REWRITING: dict[str, str] = {
    "before": "the statement before the cursor has other text now",
    "closer": "the bracket that closed what was open at the cursor was deleted later",
    "tail": "text that stood right of the cursor now ends something that begins here",
    "surplus": "what was written here closes more than was open at the cursor",
}
"""Why what stood at a moment and what stands there in the end do not meet."""

STOPS: dict[str, str] = {
    "any": "all that the task leaves out: no syntax says where it ends",
    "auto": "what the text around the cursor asks for: the block after a header, the line where text stands right of the cursor, else the statement",
    "line": "the rest of the line",
    "statement": "the rest of the statement",
    "block": "the rest of the block",
}
"""What is wanted at a moment, by its hint where to stop."""

EFFORT: dict[str, str] = {
    "tape": "keys on the tape",
    "typed": "keys of these that were still typed",
    "dropped": "keys of these that accepted text replaced",
    "accepts": "keys to accept",
    "rejections": "keys to dismiss a suggestion before a tab",
    "deletions": "keys to delete accepted text that was wrong",
    "mending": "keys to type text that differs from the tape",
    "conflicts": "places where the text differs from the tape",
}

FAILED_VERDICTS: frozenset[str] = frozenset(VERDICTS) - {"passed", "infrastructure", "untestable"}
"""Verdicts that count against the suggestion."""


def location(record: Record) -> str:
    """Return `path:line:column` of a moment, counted from 1 as editors do."""
    moment = record.moment
    return f"{moment.path}:{moment.line + 1}:{moment.character + 1}"


def block_label(record: Record) -> str:
    """Return the block and the scenario of a moment as `if/full`, or where its suggestion stops; empty if neither is known."""
    moment = record.moment
    return "/".join(part for part in (moment.kind, moment.scenario) if part) or moment.stop.replace("auto", "")


def row_location(row: Row) -> str:
    """Return the same of a row."""
    return f"{row.path}:{row.line + 1}:{row.character + 1}"


def row_block(row: Row) -> str:
    """Return the same as `block_label` of a row."""
    return "/".join(part for part in (row.kind, row.scenario) if part) or row.stop.replace("auto", "")


def named(name: str, reason: str) -> str:
    """Return an ending or a verdict with its reason, as `untestable(empty)`."""
    return f"{name}({reason})" if reason else name


def verdict_label(verdict: Verdict | None) -> str:
    """Return the name of a verdict with its reason, as `untestable(empty)`; empty if there is no verdict."""
    if verdict is None:
        return ""
    return named(verdict.name, verdict.reason)


def describe_ending(ending: Ending) -> str:
    """Return an ending with its meaning, as `gated: the policy did not let the editor ask here (mid-word)`."""
    meaning = ENDINGS.get(ending.name, "")
    return f"{ending.name}: {meaning}" + (f" ({ending.reason})" if ending.reason else "")


def describe_finish(offered: Suggestion | None) -> str:
    """Return why the model stopped writing, as `the model refused`; empty where it was done, or did not say."""
    return FINISHES.get(offered.finish or "", "") if offered else ""


def adherence_told(verdict: Verdict) -> dict[str, Sequence[str]]:
    """Return what a suggestion does to instructions of developers, as result → ids; what is broken first, and no result without an id. Ids are as the run has them: text of others.

    Example: `{"broken": ["add-type-hints"], "followed": ["avoid-recursion"]}`.
    """
    said = verdict.instructions or {}
    found = {name: [id_ for id_, own in said.items() if own == name] for name in get_args(AdherenceName)}
    return {name: found[name] for name in ("broken", *found) if found[name]}


def describe_verdict(verdict: Verdict | None) -> str:
    """Return a verdict with its meaning, as `syntax: the graft is not valid code`."""
    if verdict is None:
        return "not tested"
    reason = UNTESTABLE.get(verdict.reason, verdict.reason)
    meaning = reason if verdict.name == "untestable" and reason else VERDICTS.get(verdict.name, "")
    alone = f"; by its tests alone {verdict.alone}" if verdict.alone else ""
    return f"{verdict_label(verdict)}: {meaning}" + (f" ({verdict.cause})" if verdict.cause else "") + alone
