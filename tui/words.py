"""What endings, verdicts and reasons mean, in sentences."""

from __future__ import annotations

from replay.records import Ending, Record, Verdict

ENDINGS: dict[str, str] = {
    "gated": "the policy did not let the editor ask here",
    "debounced": "the developer typed on before the editor asked",
    "superseded": "a newer request took the place of this one",
    "cancelled": "the editor took the request back before it was answered",
    "failed": "the provider failed",
    "empty": "the provider had nothing to offer",
    "filtered": "a repair left nothing of the raw text",
    "late": "the answer came after the next key, too late to show",
    "shown": "the suggestion was shown",
    "accepted": "the suggestion was shown and accepted",
    "part": "a part of the suggestion was accepted",
    "typed-through": "the developer typed what the suggestion said",
    "rejected": "the suggestion was shown and rejected",
}

VERDICTS: dict[str, str] = {
    "passed": "the tests pass with the suggestion in place",
    "failed": "tests fail with the suggestion in place",
    "syntax": "the graft is not valid code",
    "indentation": "the graft is wrongly indented",
    "compile": "the graft does not compile",
    "undefined-name": "the suggestion uses a name that is not defined",
    "timeout": "the tests ran longer than their limit",
    "memory": "the tests used more memory than their limit",
    "crashed": "the test run crashed",
    "infrastructure": "the tests could not be run; the suggestion is not to blame",
    "untestable": "no test can tell whether the suggestion is right",
}

UNTESTABLE: dict[str, str] = {
    "rewritten": "the finished project no longer holds the code that stood before the cursor",
    "broken-baseline": "the finished project fails its own tests",
    "flaky": "the finished project's tests do not end the same way twice",
    "empty": "nothing is left to complete here in the finished project",
    "undetected": "the tests pass even when this part is missing",
    "no-tests": "the tape names no tests",
    "no-syntax": "the language has no grammar here",
}

FAILURES: frozenset[str] = frozenset(VERDICTS) - {"passed", "infrastructure", "untestable"}
"""Verdicts that count against the suggestion."""


def place(record: Record) -> str:
    """Return `path:line:column` of a moment, counted from 1 as editors do."""
    moment = record.moment
    return f"{moment.path}:{moment.line + 1}:{moment.character + 1}"


def block(record: Record) -> str:
    """Return the kind of block and the scenario of a moment, or what it stops at."""
    moment = record.moment
    return "/".join(part for part in (moment.kind, moment.scenario) if part) or moment.stop


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
    return f"{verdict_name(verdict)}: {meaning}"
