"""What CI reads of gates: JUnit XML, the workflow commands of GitHub Actions, and Markdown for its summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from replay.errors import GateError
from replay.gates.gates import GateResult

_COMMANDS = {True: "error", False: "warning"}


def write_junit(path: Path, run: str, results: Sequence[GateResult], *, strict: bool) -> None:
    """Write a test suite with a case for each gate: what fails is a failure, what is unsure and does not fail is skipped, with its sentence.

    Raises:
        GateError: the file cannot be written.

    """
    suite = TestSuite("ghosttape gates")
    for result in results:
        case = TestCase(result.gate, classname=run)
        if result.fails(strict=strict):
            case.result = [Failure(result.says, result.outcome)]
        elif result.outcome == "unsure":
            case.result = [Skipped(result.says)]
        else:
            case.system_out = result.says
        suite.add_testcase(case)
    document = JUnitXml()
    document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        document.write(str(path), pretty=True)
    except OSError as error:
        raise GateError(f"{path} cannot be written: {error.strerror}") from error


def workflow_commands(run: str, results: Iterable[GateResult], *, strict: bool) -> Iterator[str]:
    """Return the workflow commands of GitHub Actions, one a gate: an error for what fails, a warning for what is unsure, else a notice."""
    for result in results:
        fails = result.fails(strict=strict)
        command = "notice" if result.outcome == "kept" else _COMMANDS[fails]
        yield f"::{command} title={_property(f'ghosttape: {result.gate}')}::{_data(f'{result.says} ({run})')}"


def _data(text: str) -> str:
    """As the runner reads it back (actions/toolkit, `command.ts`, `escapeData`)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """As `escapeProperty` there."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
