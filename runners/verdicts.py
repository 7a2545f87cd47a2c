"""What a finished test run says about the code: one class, one line of reason, and the counts."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import Literal

from runners.protocol import Completed
from runners.tallies import NOT_FOUND, Tally, plain, tally

Class = Literal[
    "passed",
    "failed",
    "syntax",
    "indentation",
    "compile",
    "undefined-name",
    "timeout",
    "memory",
    "crashed",
    "infrastructure",
]

MESSAGE_LENGTH = 300
LOG_LENGTH = 20_000


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one run: its class, the first line that says why, tests passed and failed (None if not told).

    `log` holds the end of what was written (`LOG_LENGTH` characters), `wall_ms` the time from start to end.
    """

    klass: Class
    message: str
    passed: int | None
    failed: int | None
    log: str
    wall_ms: float


_START = r"^(?:E +|# |\s*)(?:Uncaught )?"
_MEMORY = re.compile(
    _START + r"((?:MemoryError\b|.*(?:eap out of memory|std::bad_alloc|OutOfMemoryError)).*)", re.MULTILINE
)
# In order: what makes a file unreadable hides whatever else is wrong with it.
_REASONS: tuple[tuple[Class, str], ...] = (
    ("indentation", _START + r"((?:IndentationError|TabError)\b.*)"),
    ("syntax", r"^(\S+:\d+:\d+: ERROR: .*)"),
    ("syntax", _START + r"((?:SyntaxError\b|Error: Transform failed|Error: Failed to parse source).*)"),
    ("undefined-name", _START + r"((?:NameError|UnboundLocalError|ReferenceError)\b.*)"),
    ("undefined-name", r"^(.*error TS(?:2304|2552)\b.*)"),
    ("undefined-name", r"^\s*error: '(.* is not defined)'$"),
    ("compile", r"^(.*error TS\d+.*|\S+\.(?:java|cs|c|cc|cpp|cxx|h|hpp)\b[:(]\d+.*\berror\b.*)"),
    ("failed", r"^E +(\S.*)"),
    ("failed", r"^\s*error: (?:\|-\n\s*|')(.+?)'?$"),
    ("failed", _START + r"((?:[A-Za-z_.]*(?:Error|Exception)|AssertionFailed)\b.*)"),
    ("failed", r"^((?:FAILED|ERROR|FAIL) .*)"),
)
_PATTERNS = tuple((klass, re.compile(pattern, re.MULTILINE)) for klass, pattern in _REASONS)


def classify(done: Completed, command: str) -> Result:
    """Return the verdict on a command that ended; nothing but a test run that succeeded counts as passed."""
    text = plain(f"{done.stdout}\n{done.stderr}")
    counted = tally(text, command)
    klass, message = _judge(done, text, counted)
    passed, failed = (counted.passed, counted.failed) if counted else (None, None)
    return Result(klass, message.strip()[:MESSAGE_LENGTH], passed, failed, tail(text), done.wall_ms)


def infrastructure(message: str) -> Result:
    """Return the verdict on a run that the machine did not let happen."""
    return Result("infrastructure", message.strip()[:MESSAGE_LENGTH], None, None, message[-LOG_LENGTH:], 0.0)


def tail(text: str, length: int = LOG_LENGTH) -> str:
    """Return the end of a log, marked where it was cut."""
    text = text.strip("\n")
    return text if len(text) <= length else f"[… {len(text) - length} characters cut]\n{text[-length:]}"


def ending(done: Completed) -> str:
    """Return in words how a command ended."""
    if done.limit:
        return f"the {done.limit} limit"
    return f"status {done.exit}" if done.signal is None else _signal(done.signal)


def _judge(done: Completed, text: str, counted: Tally | None) -> tuple[Class, str]:
    if done.limit == "wall":
        return "timeout", f"still running after {done.wall_ms / 1000:.1f} s, and stopped"
    if done.limit in {"output", "disk"}:
        return "crashed", f"wrote more than the {done.limit} limit allows, and was stopped"
    if done.exit == 0:
        return _succeeded(counted)
    if done.limit == "memory":
        return "memory", "needed more memory than allowed"
    if done.exit == NOT_FOUND and (missing := re.search(r"^sh: .*not found$", text, re.MULTILINE)):
        return "infrastructure", missing[0]
    return _failed(done, text, counted)


def _succeeded(counted: Tally | None) -> tuple[Class, str]:
    if counted is None:
        return "passed", ""
    if counted.failed:
        return "failed", f"exit status 0, but {counted.runner} counts {counted.failed} failed"
    if not counted.passed:
        return "failed", f"exit status 0, but no test was executed ({counted.runner})"
    return "passed", ""


def _failed(done: Completed, text: str, counted: Tally | None) -> tuple[Class, str]:
    if found := _MEMORY.search(text):
        return "memory", found[1]
    if done.signal is not None:
        note = " (it had reached the process limit)" if done.limit == "processes" else ""
        return "crashed", f"ended by {_signal(done.signal)}{note}"
    for klass, pattern in _PATTERNS:
        if found := pattern.search(text):
            return klass, found[1]
    if counted and counted.passed and not counted.failed:
        return "failed", f"exit status {done.exit}, although {counted.runner} counts none failed"
    return "failed", (text.strip().splitlines() or [f"exit status {done.exit}, and nothing written"])[-1]


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
