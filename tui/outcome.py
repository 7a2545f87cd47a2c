"""How a command ends: its exit status, and what it says when it could not be done."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, NoReturn, ParamSpec, TypeVar

import msgspec

P = ParamSpec("P")
R = TypeVar("R")
INTERRUPTED = 130
"""The status of what Ctrl-C ended, as shells have it."""


class Status(IntEnum):
    """Exit statuses of every command."""

    DONE = 0
    FAILURES = 1
    WRONG_USE = 2
    LACKING = 3

    @classmethod
    def of(cls, summary: Mapping[str, Any]) -> Status:
        """1 when requests, the infrastructure or the set-up of a tape failed, so that the numbers are not whole.

        3 when nothing was played. A tape left out for want of its toolchain is named, and no failure.
        """
        if not summary["tapes"]:
            return cls.LACKING
        hurt = summary["endings"].get("failed", 0) + summary["verdicts"].get("infrastructure", 0)
        hurt += summary.get("ablation", {}).get("infrastructure", 0)
        hurt += sum(tape["why"] == "failed" for tape in summary["left_out"])
        return cls.FAILURES if hurt else cls.DONE

    @classmethod
    def evaluated(cls, summary: Mapping[str, Any]) -> Status:
        """As `of`, for an evaluation: 3 when no task could be run. That answers do not pass is a result, and no failure."""
        return cls.of({**summary, "tapes": summary["tasks"]})


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn this project's errors into one line on standard error and an exit status; other errors are bugs."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        from corpora.errors import CorpusError
        from replay.errors import ReplayError, ServerError
        from runners.errors import RunnerError, SandboxUnknown
        from server.errors import ProviderMissing, ServerRoomError
        from tui.errors import InterruptedRunError, TuiError

        try:
            return command(*args, **kwargs)
        except SandboxUnknown as error:
            _leave(error, Status.WRONG_USE)
        except (ServerError, RunnerError, ProviderMissing) as error:
            _leave(error, Status.LACKING)
        except InterruptedRunError as error:
            _leave(error, INTERRUPTED)
        except (CorpusError, ReplayError, ServerRoomError, TuiError) as error:
            _leave(error, Status.WRONG_USE)
        except OSError as error:
            _leave(f"{error.filename or 'the system'}: {error.strerror or error}", Status.LACKING)
        except (KeyboardInterrupt, asyncio.CancelledError):
            _leave("interrupted; what was finished is kept", INTERRUPTED)

    return run


def _leave(error: object, status: int) -> NoReturn:
    if sys.stderr is not None:  # closed by whoever started us
        sys.stderr.write(f"ghosttape: {error}\n")
    raise SystemExit(int(status))


def print_json(value: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")
