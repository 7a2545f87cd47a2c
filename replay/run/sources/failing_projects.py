"""Why a tape is left out whose finished project fails its own tests, and what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping

from replay.records import Verdict
from replay.tapes.tape import Tests
from runners.errors import IndexUnreachable, SetupFailed
from runners.verdicts import tail

_LOG = 1500
"""Characters of the end of the log that are shown."""
_HOW: Mapping[str, str] = {
    "broken-baseline": "does not pass in the finished project itself",
    "flaky": "passes only sometimes in the finished project itself",
    "infrastructure": "could not be run in the finished project, which is this machine's fault",
}
_AGAIN = "The same command tries it again; --keep-going asks all the same."
_ANOTHER = (
    "Name another command with --test-command, or what it needs with --requires, --setup or --toolchain; --keep-going asks all "
    "the same."
)


def why_not_set_up(error: SetupFailed) -> str:
    """Say why a project could not be set up, what to do, and then the rest of what is known."""
    if isinstance(error, IndexUnreachable):
        return f"{error}."
    first, _, rest = str(error).partition("\n")
    return (
        f"{first.rstrip('.')}. Name another set-up with --setup, or other packages with --requires or in ghosttape.toml."
        + (f"\n{rest}" if rest else "")
    )


def why_left_out(fault: Verdict, tests: Tests, origins: Mapping[str, str]) -> str:
    """Say which command ran, where it comes from, how it ended and what to do, with the end of its log.

    `fault` is the verdict on the finished project, `origins` says where each member of its tests comes from.
    """
    name = fault.reason or fault.name
    where = "" if tests.cwd == "." else f" in the folder {tests.cwd!r}"
    command = f"`{tests.command}` ({origins.get('command', 'tape')}){where}"
    ended = f" ({name}: {fault.message})" if fault.message else f" ({name})"
    said = f"{command} {_HOW.get(name, 'fails in the finished project itself')}{ended}, so that it can say nothing of a suggestion."
    log = f"\n{tail(fault.log, _LOG).strip()}" if fault.log.strip() else ""
    return f"{said} {_AGAIN if name == 'infrastructure' else _ANOTHER}{log}"
