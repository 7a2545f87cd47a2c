"""The decision which class a verdict has: by how a command ended, what it wrote, and how the finished project did.

The words that each compiler, interpreter and test runner writes are in `class_rules.py`.
"""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from runners.protocol import Completed
from runners.verdicts import class_rules
from runners.verdicts.result import MESSAGE_LENGTH, Result, VerdictClass
from runners.verdicts.shown_text import first_line, plain, tail
from runners.verdicts.test_counts import NOT_FOUND, TestCounts, count_tests

_SEARCHED = 100_000
_LINE = 1_000
_Reason: TypeAlias = tuple[VerdictClass, str]


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """What a command wrote. `language` is that of a single program, empty for a project's tests.

    `began` says whether that program was started, or only built.
    """

    output: str
    errors: str
    language: str
    began: bool

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.output}\n{self.errors}"


def classify(
    done: Completed, command: str, language: str = "", *, began: bool = True, counted: TestCounts | None = None
) -> Result:
    """Return the verdict on a command that ended; nothing but a test run that succeeded counts as passed.

    With a language, the command built (if need be) and ran one program in it, and `began` says whether the program
    was started; without, it ran a project's tests. `counted` is how many passed and failed, where the runner's witness or JUnit files say so;
    without it, that is read from what the runner wrote.
    """
    out, err = plain(done.stdout), plain(done.stderr)
    written = CommandOutput(_ends(out), _ends(err), language, began)
    if counted is None and not language:
        counted = count_tests(written.text, command)
    verdict_class, message = _judge(done, written, counted)
    passed, failed = (counted.passed, counted.failed) if counted else (None, None)
    log = tail(f"{out}\n{err}")
    maybe_infrastructure = verdict_class != "passed" and _may_be_the_machines(done)
    return Result(
        verdict_class,
        first_line(message),
        passed,
        failed,
        log,
        done.wall_ms,
        maybe_infrastructure=maybe_infrastructure,
    )


def _may_be_the_machines(done: Completed) -> bool:
    """Tell whether someone outside may have done it: killed or stopped by a signal that no limit explains, or a disk that filled up.

    What it wrote does not count: that room was wanting is believed where it was seen to be (`runners.processes.launch`), or is its own
    /tmp's.
    """
    if done.limit:
        return done.limit == "disk" or done.signal == signal.SIGSTOP
    return done.signal in class_rules.KILLED_FROM_OUTSIDE


def _ends(text: str) -> str:
    """Return the text without its middle and the ends of its lines, if they are long.

    A program that writes without end must not make the classification slow.
    """
    if len(text) > 2 * _SEARCHED:
        text = f"{text[:_SEARCHED]}\n{text[-_SEARCHED:]}"
    return "\n".join(line[:_LINE] for line in text.split("\n"))


def infrastructure(message: str) -> Result:
    """Return the verdict on a run that the machine did not let happen."""
    return Result("infrastructure", first_line(message), None, None, tail(plain(message)), 0.0)


def ending(done: Completed) -> str:
    """Return in words how a command ended."""
    if done.limit:
        return f"the {done.limit} limit"
    return f"status {done.exit}" if done.signal is None else _signal(done.signal)


def _judge(done: Completed, written: CommandOutput, counted: TestCounts | None) -> _Reason:
    limit = done.limit or class_rules.LIMIT_OF_SIGNAL.get(done.signal or 0, "")
    if limit in class_rules.TOO_LONG:
        kind = "" if limit == "wall" else " of processor time"
        return "timeout", f"still running after {done.wall_ms / 1000:.1f} s{kind}, and stopped"
    if limit in class_rules.TOO_MUCH:
        return "output", f"wrote more than the {limit} limit allows, and was stopped"
    if done.exit == 0:
        return _succeeded(counted)
    if limit == "memory":
        return "memory", "needed more memory than allowed"
    if done.exit == NOT_FOUND and not written.language and (missing := class_rules.NO_COMMAND.search(written.text)):
        return "infrastructure", missing[0]
    return _failed(done, written, counted)


def _succeeded(counted: TestCounts | None) -> _Reason:
    if counted is None:
        return "passed", ""
    if counted.failed:
        return "failed", f"exit status 0, but {counted.failed} failed ({counted.runner})"
    if not counted.passed:
        return "failed", f"exit status 0, but no test was executed ({counted.runner})"
    return "passed", ""


def _failed(done: Completed, written: CommandOutput, counted: TestCounts | None) -> _Reason:
    if found := class_rules.MEMORY.search(written.errors if written.language and written.began else written.text):
        return "memory", found[1]
    reason = first_reason(written)
    if done.signal is not None and not (written.language and reason):  # an exception ends a C++ program by a signal
        note = " (it had reached the process limit)" if done.limit == "processes" else ""
        return "crashed", f"ended by {_signal(done.signal)}{note}"
    if reason:
        return reason
    if not written.began:
        return "compile", _last_line(written.text) or f"the build ended with status {done.exit}"
    if counted and counted.failed:
        return "failed", f"{counted.failed} of {counted.passed + counted.failed} tests failed ({counted.runner})"
    if counted and counted.passed:
        return "failed", f"exit status {done.exit}, although no test failed ({counted.runner})"
    return "failed", _last_line(written.text) or f"exit status {done.exit}, and nothing written"


def _last_line(text: str) -> str:
    return next(iter(reversed(text.strip().splitlines())), "")


def _is_named(number: int | None) -> bool:
    return number is not None and number in set(signal.Signals)


def _signal(number: int) -> str:
    return signal.Signals(number).name if _is_named(number) else f"signal {number}"


def classify_ending(result: Result, *, left: str | None, swallowed: bool, meant: int = 0) -> Result:
    """Return the verdict on a program that ended with status 0, knowing what its driver (`runners/witness/`) saw.

    `left` says where the program was left before its end (None: it came to its end; "": the place is not known),
    `swallowed` whether a handler took an error that nothing caught, `meant` the status that something replaced by 0.
    """
    if meant:
        return replace(
            result,
            verdict_class="failed",
            message=f"was about to end with status {meant}, but something replaced it by 0",
        )
    if left is not None:
        return replace(result, verdict_class="failed", message=f"left with status 0{left} before it came to its end")
    if swallowed:
        message = "an error that nothing caught went to the handler for uncaught errors"
        return replace(result, verdict_class="exception", message=message)
    return result


def against_baseline(result: Result, finished: Result, changed: Collection[str] | None = None) -> Result:
    """Return the verdict on a changed project, knowing how the finished one did, and the paths of what was changed (None: any).

    A pass counts only if as many tests passed as there, and, where a witness named them, the same ones: tests that went
    missing did not pass, and a runner that did not get as far as to name them did not end. And a command that was found
    there has not gone missing since: that it cannot be found here is no fault of the machine's.

    Cases of a parametrised test may be named after what the code under test returns. Where one has gone, it counts as there
    if just as many cases of that test passed as in the finished project; not in a changed file, as that names its cases itself.
    """
    if result.verdict_class == "infrastructure" and result.wall_ms and finished.verdict_class == "passed":
        return replace(result, verdict_class="failed")
    if result.verdict_class != "passed":
        return result
    if finished.tests is not None:
        return _by_name(result, finished, changed)
    expected = finished.passed or 0
    if (result.passed or 0) >= expected:
        return result
    return replace(
        result, verdict_class="failed", message=f"only {result.passed or 0} of the project's {expected} tests ran"
    )


def merge_baselines(first: Result, second: Result) -> Result:
    """Return how the finished project did in two runs: the first result, with the tests that passed in both.

    The others count by their number, where that is the same in both runs.
    """
    if first.tests is None or second.tests is None:
        return first
    here, there = first.tests - second.tests, second.tests - first.tests
    steady = _counted(here).items() & _counted(there).items()
    drawn = frozenset(name for name in here if _test_of(name) in dict(steady))
    return replace(first, tests=first.tests & second.tests, varying=drawn)


def restrict_to(finished: Result, only: frozenset[str] | None) -> Result:
    """Return how the finished project did as far as these tests go (None: all)."""
    if only is None or finished.tests is None:
        return finished
    return replace(finished, tests=finished.tests & only, varying=finished.varying & only)


def _by_name(result: Result, finished: Result, changed: Collection[str] | None) -> Result:
    if result.tests is None:
        return replace(result, verdict_class="failed", message="exit status 0, but the test runner did not finish")
    if not (missing := _missing(result.tests, finished, changed)):
        return result
    number = len(finished.tests or ()) + len(finished.varying)
    message = f"only {number - len(missing)} of the project's {number} tests ran: not {missing[0]}"
    return replace(result, verdict_class="failed", message=message[:MESSAGE_LENGTH])


def _missing(named: frozenset[str], finished: Result, changed: Collection[str] | None) -> list[str]:
    """Return the tests of the finished project that did not pass under any name that they can have."""
    expected = finished.tests or frozenset()
    before, now = _counted(expected | finished.varying), _counted(named)
    gone = [
        name
        for name in sorted(expected - named)
        if not (test := _test_of(name)) or now[test] != before[test] or _lies_in(test, changed)
    ]
    return gone + list(_first(finished.varying, before - now - _counted(gone)))


def _counted(names: Iterable[str]) -> Counter[str]:
    """Return how many cases each parametrised test has; all other tests are counted together."""
    return Counter(map(_test_of, names))


def _first(names: frozenset[str], numbers: Counter[str]) -> Iterator[str]:
    """Yield the first names, so many of each test."""
    for name in sorted(names):
        if numbers[_test_of(name)] > 0:
            numbers[_test_of(name)] -= 1
            yield name


def _test_of(name: str) -> str:
    """Return the parametrised test that a name of pytest's is a case of (parameters in brackets); "" for other names."""
    file, python, rest = name.partition(".py::")
    test, bracket, _ = rest.partition("[")
    return f"{file}{python}{test}" if bracket and name.endswith("]") else ""


def _lies_in(test: str, changed: Collection[str] | None) -> bool:
    """Say whether a test's file is one of these; pytest's path may begin further inside the project."""
    file = test.partition("::")[0]
    return changed is None or any(path == file or path.endswith(f"/{file}") for path in changed)


def first_reason(written: CommandOutput) -> _Reason | None:
    """Return the class and the line that explain a failure, or None if nothing known is said."""
    if not written.language:
        text = without_other_tests(written.text)
        return (
            _search(class_rules.PROJECT, text)
            or _earliest(class_rules.FAILURES, text)
            or _search(class_rules.OTHERWISE, text)
        )
    if not written.began:
        return (
            _search(class_rules.BUILDS[written.language], written.text)
            if written.language in class_rules.BUILDS
            else None
        )
    return _RUNS[written.language](written.errors) if written.language in _RUNS else None


def without_other_tests(text: str) -> str:
    """Return what a runner wrote without the parts that are about tests that did not fail, as far as the runner marks them.

    That are the diagnostics of tests that are skipped or still to be written (TAP, node's spec reporter), what jest and vitest pass on
    from any test, and pytest's sections about passes, expected failures and warnings.
    """
    kept, begun = list[str](), None
    for line in text.split("\n"):
        if begun is not None and not _is_over(begun, line):
            continue
        begun = class_rules.OTHER_TESTS.match(line)
        if begun is None:
            kept.append(line)
    return "\n".join(kept)


def _is_over(begun: re.Match[str], line: str) -> bool:
    """Return whether a part is over that began with a line: pytest's at the next section, vitest's at an empty line, others where no line is further in."""
    if begun["section"]:
        return class_rules.SECTION.match(line) is not None
    if begun["passed_on"]:
        return not line.strip()
    return bool(line.strip()) and not line.startswith(f"{begun['indent']}  ")


def _search(table: class_rules.Table, text: str) -> _Reason | None:
    return next(
        ((verdict_class, found[1]) for verdict_class, pattern in table if (found := pattern.search(text))), None
    )


def _earliest(table: class_rules.Table, text: str) -> _Reason | None:
    found = [
        (match.start(), order, verdict_class, match[1])
        for order, (verdict_class, pattern) in enumerate(table)
        if (match := pattern.search(text))
    ]
    return min(found)[2:] if found else None


def _python(err: str) -> _Reason | None:
    """Go by the last traceback: one that was printed before ended nothing. The program's own text may be unreadable."""
    traces = list(class_rules.PYTHON_TRACEBACK.finditer(err))
    last = err[traces[-1].end() :] if traces else err
    if unread := list(class_rules.PYTHON_UNPARSED.finditer(last)):
        return class_rules.PYTHON_CLASSES[f"{unread[-1][2]}Error"], unread[-1][1]
    if not traces or not (raised := class_rules.PYTHON_RAISED.search(last)):
        return None
    verdict_class = class_rules.PYTHON_CLASSES.get(raised[1], "exception")
    return "exception" if verdict_class in {"syntax", "indentation"} else verdict_class, raised[0].removeprefix("  | ")


def _node(err: str) -> _Reason | None:
    """Go by what stands before node's own name, which it writes when an error ends it."""
    if not (fatal := list(class_rules.NODE_FATAL.finditer(err))):
        return None
    written = err[: fatal[-1].start()]
    if shown := list(
        class_rules.NODE_SOURCE_LINE.finditer(written)
    ):  # the line of the source, with a mark under it or not
        written = written[shown[-1].end() :]
    line = next((line for line in written.splitlines() if line.strip()), "")
    name = thrown[1] if (thrown := class_rules.NODE_THROWN.match(line)) else ""
    if name == "SyntaxError" and class_rules.NODE_LOADING.search(written):
        return "syntax", line
    return class_rules.NODE_CLASSES.get(name, "exception"), line


def _java(err: str) -> _Reason | None:
    if not (thrown := list(class_rules.JAVA_UNCAUGHT.finditer(err))):
        return None
    line = thrown[-1][1]
    return "assertion" if class_rules.JAVA_ASSERTED.search(line.split(":")[0]) else "exception", line


def _cpp(err: str) -> _Reason | None:
    reason = _search(class_rules.CXX_RUN, err)
    return (reason[0], re.sub(r"\n  what\(\): +", ": ", reason[1])) if reason else None


_RUNS: Mapping[str, Callable[[str], _Reason | None]] = {
    "python": _python,
    "javascript": _node,
    "typescript": _node,
    "java": _java,
    "cpp": _cpp,
    "csharp": lambda err: _search(class_rules.CSC_RUN, err),
}
