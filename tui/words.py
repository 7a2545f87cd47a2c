"""What endings, verdicts and reasons mean, in sentences."""

from __future__ import annotations

from replay.records import Ending, Record, Verdict

ENDINGS: dict[str, str] = {
    "gated": "the policy did not let the editor ask here",
    "debounced": "the developer typed on before the editor asked",
    "superseded": "a newer change made this request useless",
    "cancelled": "the editor took the request back",
    "failed": "the provider failed",
    "empty": "the provider had nothing to offer",
    "filtered": "a repair left nothing of the raw text",
    "late": "the answer came after the next key, too late to show",
    "shown": "it was shown in time",
    "accepted": "the user took it",
    "part": "the user took a part of it",
    "typed-through": "the user typed what it said",
    "rejected": "the user did not take it",
}

VERDICTS: dict[str, str] = {
    "passed": "the tests pass with it in place",
    "failed": "tests fail with it in place",
    "syntax": "the graft is not valid code",
    "indentation": "the graft is wrongly indented",
    "compile": "the graft does not compile",
    "undefined-name": "it uses a name that is not defined",
    "assertion": "a test's assertion fails with it in place",
    "exception": "it ends in an exception that nothing catches",
    "timeout": "the tests ran longer than their limit",
    "memory": "the tests used more memory than their limit",
    "output": "the tests wrote more than their limit",
    "crashed": "the test run crashed",
    "flaky": "it is the finished project, which passed before and fails now",
    "infrastructure": "the tests could not be run, which is not its fault",
    "untestable": "no test can tell whether it is right",
}

UNTESTABLE: dict[str, str] = {
    "rewritten": "the code before the cursor was rewritten later",
    "broken-baseline": "the finished project fails its own tests",
    "flaky": "the finished project's tests are not the same twice",
    "empty": "nothing is left here in the finished project",
    "undetected": "the tests pass even when this part is missing",
    "no-syntax": "the language has no grammar here",
    "diverged": "drive mode: the document holds something here that was never on the tape",
}

EFFORT: dict[str, str] = {
    "tape": "keys on the tape",
    "typed": "of these, still typed",
    "dropped": "of these, written by accepted text",
    "accepts": "keys to accept",
    "rejections": "keys to put a suggestion away before a tab",
    "deletions": "keys to delete accepted text that was wrong",
    "mending": "keys to type what came out otherwise than recorded",
    "conflicts": "places where that was needed",
}

FAILURES: frozenset[str] = frozenset(VERDICTS) - {"passed", "infrastructure", "untestable"}
"""Verdicts that count against the suggestion."""


def place(record: Record) -> str:
    """Return `path:line:column` of a moment, counted from 1 as editors do."""
    moment = record.moment
    return f"{moment.path}:{moment.line + 1}:{moment.character + 1}"


def block(record: Record) -> str:
    """Return the kind of block and the scenario of a moment, or what its policy stops at; empty if it does not say."""
    moment = record.moment
    return "/".join(part for part in (moment.kind, moment.scenario) if part) or moment.stop.replace("auto", "")


def verdict_name(verdict: Verdict | None) -> str:
    """Return a verdict with its reason in brackets; an empty string stands for none."""
    if verdict is None:
        return ""
    return f"{verdict.name}({verdict.reason})" if verdict.reason else verdict.name


def ending_words(ending: Ending) -> str:
    """Return how a moment ended, as a sentence."""
    meaning = ENDINGS.get(ending.name, "")
    return f"{ending.name}: {meaning}" + (f" ({ending.reason})" if ending.reason else "")


def verdict_words(verdict: Verdict | None) -> str:
    """Return how the graft did, as a sentence."""
    if verdict is None:
        return "not tested"
    reason = UNTESTABLE.get(verdict.reason, verdict.reason)
    meaning = reason if verdict.name == "untestable" and reason else VERDICTS.get(verdict.name, "")
    return f"{verdict_name(verdict)}: {meaning}" + (f" ({verdict.cause})" if verdict.cause else "")
