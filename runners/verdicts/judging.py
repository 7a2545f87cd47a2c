from __future__ import annotations

import re
import signal

from runners.protocol import Completed, Limit
from runners.reports import Report
from runners.tallies import NOT_FOUND, Tally, tally
from runners.verdicts.reasons import MEMORY, Reason, Written, first_reason
from runners.verdicts.result import Result
from runners.verdicts.wording import LOG_LENGTH, first_line, plain, tail

_SEARCHED = 100_000
_LINE = 1_000
_TOO_LONG = {"wall", "cpu"}
_TOO_MUCH = {"output", "disk"}
_NO_COMMAND = re.compile(r"^sh: .*not found$", re.MULTILINE)
_SENT = frozenset({signal.SIGKILL, signal.SIGTERM})
_OWN_LIMITS: dict[int, Limit] = {signal.SIGXCPU: "cpu", signal.SIGXFSZ: "disk"}


def classify(
    done: Completed, command: str, language: str = "", *, began: bool = True, report: Report | None = None
) -> Result:
    """Return the verdict on a command that ended; nothing but a test run that succeeded counts as passed.

    With a language, the command built (if need be) and ran one program in it, and `began` says whether the program
    was started; without, it ran a project's tests, whose counts are read from its JUnit files, if there are any, else
    from what their runner wrote.
    """
    out, err = plain(done.stdout), plain(done.stderr)
    written = Written(_ends(out), _ends(err), language, began)
    counted = None if language else _of(report) if report else tally(written.text, command)
    klass, message = _judge(done, written, counted)
    passed, failed = (counted.passed, counted.failed) if counted else (None, None)
    only_counts = klass == "failed" and done.exit == 0
    log = tail(f"{out}\n{err}")
    doubt = klass != "passed" and _may_be_the_machines(done)
    return Result(klass, first_line(message), passed, failed, log, done.wall_ms, only_counts=only_counts, doubt=doubt)


def _may_be_the_machines(done: Completed) -> bool:
    """Tell whether someone outside may have done it: killed or stopped by a signal that no limit explains, or a disk that filled up.

    What it wrote does not count: that room was wanting is believed where it was seen to be (`runners.launch`), or is its own /tmp's.
    """
    if done.limit:
        return done.limit == "disk" or done.signal == signal.SIGSTOP
    return done.signal in _SENT


def _of(report: Report) -> Tally:
    return Tally("its JUnit files", len(report.passed), len(report.failed))


def _ends(text: str) -> str:
    """Return the text without its middle and the ends of its lines, if they are long.

    Who writes without end shall not keep us busy.
    """
    if len(text) > 2 * _SEARCHED:
        text = f"{text[:_SEARCHED]}\n{text[-_SEARCHED:]}"
    return "\n".join(line[:_LINE] for line in text.split("\n"))


def infrastructure(message: str) -> Result:
    """Return the verdict on a run that the machine did not let happen."""
    return Result("infrastructure", first_line(message), None, None, plain(message)[-LOG_LENGTH:], 0.0)


def ending(done: Completed) -> str:
    """Return in words how a command ended."""
    if done.limit:
        return f"the {done.limit} limit"
    return f"status {done.exit}" if done.signal is None else _signal(done.signal)


def _judge(done: Completed, written: Written, counted: Tally | None) -> Reason:
    limit = done.limit or _OWN_LIMITS.get(done.signal or 0, "")
    if limit in _TOO_LONG:
        kind = "" if limit == "wall" else " of processor time"
        return "timeout", f"still running after {done.wall_ms / 1000:.1f} s{kind}, and stopped"
    if limit in _TOO_MUCH:
        return "output", f"wrote more than the {limit} limit allows, and was stopped"
    if done.exit == 0:
        return _succeeded(counted)
    if limit == "memory":
        return "memory", "needed more memory than allowed"
    if done.exit == NOT_FOUND and not written.language and (missing := _NO_COMMAND.search(written.text)):
        return "infrastructure", missing[0]
    return _failed(done, written, counted)


def _succeeded(counted: Tally | None) -> Reason:
    if counted is None:
        return "passed", ""
    if counted.failed:
        return "failed", f"exit status 0, but {counted.runner} counts {counted.failed} failed"
    if not counted.passed:
        return "failed", f"exit status 0, but no test was executed ({counted.runner})"
    return "passed", ""


def _failed(done: Completed, written: Written, counted: Tally | None) -> Reason:
    if found := MEMORY.search(written.errors if written.language and written.began else written.text):
        return "memory", found[1]
    reason = first_reason(written)
    if done.signal is not None and not (written.language and reason):  # an exception ends a C++ program by a signal
        note = " (it had reached the process limit)" if done.limit == "processes" else ""
        return "crashed", f"ended by {_signal(done.signal)}{note}"
    if reason:
        return reason
    if not written.began:
        return "compile", _last_line(written.text) or f"the build ended with status {done.exit}"
    if counted and counted.passed and not counted.failed:
        return "failed", f"exit status {done.exit}, although {counted.runner} counts none failed"
    return "failed", _last_line(written.text) or f"exit status {done.exit}, and nothing written"


def _last_line(text: str) -> str:
    return next(iter(reversed(text.strip().splitlines())), "")


def _is_named(number: int | None) -> bool:
    return number is not None and number in set(signal.Signals)


def _signal(number: int) -> str:
    return signal.Signals(number).name if _is_named(number) else f"signal {number}"
