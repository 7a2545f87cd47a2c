from __future__ import annotations

import re
import signal

from runners.protocol import Completed
from runners.tallies import NOT_FOUND, Tally, tally
from runners.verdicts.reasons import MEMORY, first_reason
from runners.verdicts.result import Class, Result
from runners.verdicts.wording import LOG_LENGTH, first_line, plain, tail

_TOO_LONG = {"wall", "cpu"}
_TOO_MUCH = {"output", "disk"}
_OWN_LIMITS = {signal.SIGXCPU: "cpu", signal.SIGXFSZ: "disk"}


def classify(done: Completed, command: str, language: str = "", *, began: bool = True) -> Result:
    """Return the verdict on a command that ended; nothing but a test run that succeeded counts as passed.

    With a language, the command built (if need be) and ran one program in it, and `began` says whether the program
    was started; without, it ran a project's tests, whose counts are read from what their runner wrote.
    """
    out, err = plain(done.stdout), plain(done.stderr)
    counted = None if language else tally(f"{out}\n{err}", command)
    klass, message = _judge(done, out, err, counted, language, began)
    passed, failed = (counted.passed, counted.failed) if counted else (None, None)
    return Result(klass, first_line(message), passed, failed, tail(f"{out}\n{err}"), done.wall_ms)


def infrastructure(message: str) -> Result:
    """Return the verdict on a run that the machine did not let happen."""
    return Result("infrastructure", first_line(message), None, None, plain(message)[-LOG_LENGTH:], 0.0)


def ending(done: Completed) -> str:
    """Return in words how a command ended."""
    if done.limit:
        return f"the {done.limit} limit"
    return f"status {done.exit}" if done.signal is None else _signal(done.signal)


def _judge(done: Completed, out: str, err: str, counted: Tally | None, language: str, began: bool) -> tuple[Class, str]:
    limit = done.limit or _OWN_LIMITS.get(signal.Signals(done.signal), "") if _is_named(done.signal) else done.limit
    if limit in _TOO_LONG:
        kind = "" if limit == "wall" else " of processor time"
        return "timeout", f"still running after {done.wall_ms / 1000:.1f} s{kind}, and stopped"
    if limit in _TOO_MUCH:
        return "output", f"wrote more than the {limit} limit allows, and was stopped"
    if done.exit == 0:
        return _succeeded(counted)
    if limit == "memory":
        return "memory", "needed more memory than allowed"
    text = f"{out}\n{err}"
    if done.exit == NOT_FOUND and not language and (missing := re.search(r"^sh: .*not found$", text, re.MULTILINE)):
        return "infrastructure", missing[0]
    return _failed(done, out, err, counted, language, began)


def _succeeded(counted: Tally | None) -> tuple[Class, str]:
    if counted is None:
        return "passed", ""
    if counted.failed:
        return "failed", f"exit status 0, but {counted.runner} counts {counted.failed} failed"
    if not counted.passed:
        return "failed", f"exit status 0, but no test was executed ({counted.runner})"
    return "passed", ""


def _failed(
    done: Completed, out: str, err: str, counted: Tally | None, language: str, began: bool
) -> tuple[Class, str]:
    text = f"{out}\n{err}"
    if found := MEMORY.search(err if language and began else text):
        return "memory", found[1]
    reason = first_reason(out, err, language, began)
    if done.signal is not None and (reason is None or reason[0] not in {"assertion", "exception"} or not language):
        note = " (it had reached the process limit)" if done.limit == "processes" else ""
        return "crashed", f"ended by {_signal(done.signal)}{note}"
    if reason:
        return reason
    if not began:
        return "compile", _last_line(text) or f"the build ended with status {done.exit}"
    if counted and counted.passed and not counted.failed:
        return "failed", f"exit status {done.exit}, although {counted.runner} counts none failed"
    return "failed", _last_line(text) or f"exit status {done.exit}, and nothing written"


def _last_line(text: str) -> str:
    return next(iter(reversed(text.strip().splitlines())), "")


def _is_named(number: int | None) -> bool:
    return number is not None and number in set(signal.Signals)


def _signal(number: int) -> str:
    return signal.Signals(number).name if _is_named(number) else f"signal {number}"
