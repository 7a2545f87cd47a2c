"""How a command ends: its exit status, and its message if it could not be done."""

from __future__ import annotations

import asyncio
import errno
import functools
import sys
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, NoReturn, ParamSpec, TypeVar

import msgspec

from tui.terminal_text import message

P = ParamSpec("P")
R = TypeVar("R")
INTERRUPTED = 130
"""The exit status after Ctrl-C, as in shells."""


class ExitStatus(IntEnum):
    """The exit statuses of every command."""

    DONE = 0
    FAILURES = 1
    WRONG_USE = 2
    LACKING = 3

    @classmethod
    def of(cls, summary: Mapping[str, Any]) -> ExitStatus:
        """Return the status of a replay.

        `FAILURES` if a request, the infrastructure or the set-up of a tape failed: the numbers are then incomplete.
        `LACKING` if no tape was played. A tape that is left out because its toolchain is missing is no failure.
        """
        if not summary["tapes"]:
            return cls.LACKING
        failures = summary["endings"].get("failed", 0) + summary["verdicts"].get("infrastructure", 0)
        failures += summary.get("ablation", {}).get("infrastructure", 0)
        failures += sum(tape["why"] == "failed" for tape in summary["left_out"])
        return cls.FAILURES if failures else cls.DONE

    @classmethod
    def evaluated(cls, summary: Mapping[str, Any]) -> ExitStatus:
        """Return the status of an evaluation: `LACKING` if no task could be run. An answer that does not pass is no failure."""
        return cls.of({**summary, "tapes": summary["tasks"]})


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn this project's errors into a line on standard error and an exit status. Other errors are bugs."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        from corpora.errors import CorpusError
        from replay.errors import ProviderFailsError, ReplayError, ServerError
        from runners.errors import RunnerError, SandboxUnknown
        from server.errors import ProviderError, ServerRoomError
        from tui.errors import InterruptedRunError, LackingError, TuiError

        try:
            return _alone(command, *args, **kwargs)
        except SandboxUnknown as error:
            _exit(error, ExitStatus.WRONG_USE)
        except (ServerError, RunnerError, ProviderError, ProviderFailsError, LackingError) as error:
            _exit(error, ExitStatus.LACKING)
        except InterruptedRunError as error:
            _exit(error, INTERRUPTED)
        except (CorpusError, ReplayError, ServerRoomError, TuiError) as error:
            _exit(error, ExitStatus.LACKING if _lacks_room(error) else ExitStatus.WRONG_USE)
        except OSError as error:
            _exit(f"{error.filename or 'the system'}: {error.strerror or error}", ExitStatus.LACKING)
        except (KeyboardInterrupt, asyncio.CancelledError):
            _exit("interrupted; the finished part is kept", INTERRUPTED)

    return run


def _alone(command: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a command, which may have a parameter `command`. Of a group of errors, as of things done side by side, one goes on with its own cause: the machine's failure in it, or else the first."""
    try:
        return command(*args, **kwargs)
    except BaseExceptionGroup as group:
        from replay.errors import first_of
        from runners.verdicts import infrastructure_failure

        error = infrastructure_failure(group) or first_of(group)
    raise error


def _lacks_room(error: BaseException) -> bool:
    """Whether an error comes of a disk that is full."""
    cause = error.__cause__
    return isinstance(cause, OSError) and cause.errno in {errno.ENOSPC, errno.EDQUOT}


def _exit(error: object, status: int) -> NoReturn:
    if sys.stderr is not None:  # None if the parent process closed it
        sys.stderr.write(f"ghosttape: {message(error)}\n")
    raise SystemExit(int(status))


def print_json(value: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")
