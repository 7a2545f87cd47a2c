"""The command `repair`: JSON lines in, the same with repaired completions out, line by line."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TextIO, get_args

from server.errors import LineError
from server.repair.line_protocol import Wishes, refused, repaired
from server.settings import known_rules
from syntax.wanted import Stop
from tui.commands.options.configuration import repairs_of
from tui.errors import ConfigurationError
from tui.outcome import INTERRUPTED, ExitStatus

STDIN = "-"
_QUIET_S = 2.0
_EVERY_S = 0.5


def wishes_of(steps: str, paper_rules: str, stop: str) -> Wishes:
    """What the flags mean.

    Raises:
        ConfigurationError: one of them names something unknown.

    """
    hint = next((known for known in get_args(Stop) if known == stop), None)
    if paper_rules not in known_rules(paper_rules):
        raise ConfigurationError(f"--paper-rules {paper_rules!r}: choose one of {', '.join(known_rules())}")
    if hint is None:
        raise ConfigurationError(f"--stop {stop!r}: choose one of {', '.join(get_args(Stop))}")
    return Wishes(repairs_of(steps), paper_rules, hint)


@dataclass(slots=True)
class Counter:
    """Tells on a terminal how far it is, from the third second on; `wanted` is off where nobody would see it."""

    screen: TextIO | None
    wanted: bool
    clock: Callable[[], float] = time.monotonic
    lines: int = 0
    _began: float = field(init=False)
    _shown_at: float = field(init=False)

    def __post_init__(self) -> None:
        """Begin to count the time."""
        self._began = self.clock()
        self._shown_at = self._began + _QUIET_S - _EVERY_S

    def count(self) -> None:
        """One more line is done."""
        self.lines += 1
        now = self.clock()
        if self.screen is not None and self.wanted and now - self._shown_at >= _EVERY_S:
            self._shown_at = now
            self.screen.write(f"\r\x1b[K{self.lines:,} lines, {self.lines / (now - self._began):,.0f} a second")
            self.screen.flush()

    def clear(self) -> None:
        """Take the line away again."""
        if self.screen is not None and self.wanted and self._shown_at >= self._began + _QUIET_S:
            self.screen.write("\r\x1b[K")
            self.screen.flush()


def run(files: Sequence[str], wishes: Wishes, *, keep_going: bool) -> int:
    """Repair the lines of files (none, or `-`: standard input) onto standard output; the exit status.

    Raises:
        LineError: a line cannot be repaired, and the rest is not to be done all the same.
        ConfigurationError: a file is not there.
        OSError: standard output, or standard input where it is read, is closed.

    """
    names = list(files) or [STDIN]
    _check(names)
    counter = Counter(sys.stderr, _is_terminal(sys.stderr) and not _is_terminal(sys.stdout))
    try:
        return _pour(names, wishes, counter, keep_going=keep_going)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains when it ends
        return ExitStatus.DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        counter.clear()


def _pour(names: Sequence[str], wishes: Wishes, counter: Counter, *, keep_going: bool) -> int:
    status = ExitStatus.DONE
    for where, line in _lines(names):
        try:
            answer = repaired(_decoded(line), wishes)
        except LineError as error:
            if not keep_going:
                raise LineError(f"{where}: {error} (--keep-going writes this as `error` and goes on)") from error
            answer, status = refused(line.decode("utf-8", "replace"), f"{where}: {error}"), ExitStatus.FAILURES
        sys.stdout.buffer.write(answer.encode() + b"\n")
        sys.stdout.buffer.flush()
        counter.count()
    return status


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise LineError(f"not UTF-8: byte {error.start + 1} of the line") from error


def _lines(names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Each line that is not blank, as soon as it is there, with where it stands."""
    for name in names:
        shown = "standard input" if name == STDIN else name
        with ExitStack() as stack:
            file = stack.enter_context(_opened(name))
            for number, line in enumerate(file, 1):
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    yield f"{shown}:{number}", text


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    if name != STDIN:
        return Path(name).open("rb")
    if sys.stdin.isatty() and sys.stderr is not None:
        sys.stderr.write("ghosttape: reads JSON lines from the terminal; Ctrl-D ends them, --help explains them\n")
    return nullcontext(sys.stdin.buffer)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _check(names: Sequence[str]) -> None:
    """Find out before anything is written whether the files are there, and the streams open (Python has None for a closed one)."""
    for name, stream, wanted in (
        ("standard output", sys.stdout, True),
        ("standard input", sys.stdin, STDIN in names),
    ):
        if wanted and stream is None:
            raise OSError(errno.EBADF, "it is closed", name)
    for name in names:
        if name != STDIN and (not Path(name).exists() or Path(name).is_dir()):
            raise ConfigurationError(f"{name}: no such file" if not Path(name).exists() else f"{name}: it is a folder")
