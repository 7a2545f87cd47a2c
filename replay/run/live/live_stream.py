"""What happens in a run, written for those who watch it from another process: `live.jsonl` in the run's folder, one event a line.

The file is of the process that writes the run now: one that continues a run begins a new file. It holds what a screen needs and no
more: the texts around moments, prompts and logs are left out, as the tape and the run's store have them. It is written a few times a second,
and never waited for (no fsync). If it cannot be written, the run goes on without it; while the disk is full, what happens is kept, and written when there is room.
"""

from __future__ import annotations

import asyncio
import errno
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import msgspec

from replay.play.playback import Playback
from replay.records import Record, Suggestion, Verdict
from replay.run.events import Answered, Ended, Judged, Note, Pulse, Reached, RunEnded, RunEvent, Streamed

FILE = "live.jsonl"
FLUSH_EVERY_S = 0.2
_MOST_UNWRITTEN = 8 << 20
"""Bytes that are kept while the disk is full; beyond that the run can no longer be watched."""
_LONGEST = 2_000
"""Characters of a suggestion that are kept."""


@dataclass(slots=True)
class LiveStream:
    """Writes the events of one process's run into a folder. Use as a context manager inside an event loop; `listen` takes the events in."""

    folder: Path
    playback: Playback
    clock: Callable[[], float] = time.time
    _file: IO[bytes] | None = None
    _lines: list[bytes] = field(default_factory=list)
    _reached: Reached | None = None
    _streamed: Streamed | None = None
    _unwritten: bytes = b""
    _timer: asyncio.TimerHandle | None = None
    _encoder: msgspec.json.Encoder = field(default_factory=msgspec.json.Encoder)
    problem: str = ""
    """Why nothing is written any more; empty if all is well."""

    def __enter__(self) -> Self:
        fresh = self.folder / f"{FILE}.{os.getpid()}"
        try:
            self._file = fresh.open("wb", buffering=0)
            fresh.replace(self.folder / FILE)
        except OSError as error:
            self._give_up(error)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.listen(RunEnded(self.clock(), "done"))
        elif issubclass(kind, asyncio.CancelledError | KeyboardInterrupt):
            self.listen(RunEnded(self.clock(), "interrupted"))
        else:
            self.listen(RunEnded(self.clock(), "failed", str(error)))
        self.flush()
        if self._file is not None:
            self._file.close()

    def listen(self, event: RunEvent) -> None:
        """Take one event in. It is in the file after `FLUSH_EVERY_S` at the latest."""
        if self._file is None:
            return
        if isinstance(event, Reached):  # there are thousands a second, and the last one says it all
            self._reached = event
        elif isinstance(event, Streamed):
            self._streamed = msgspec.structs.replace(event, text=event.text[:_LONGEST])
        else:
            self._streamed = None if isinstance(event, Answered) else self._streamed
            self._take_position()
            self._lines.append(self._encoded(shortened(event)))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_EVERY_S, self.flush)

    def flush(self) -> None:
        """Write what there is, and the pace."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._take_position()
        pulse = Pulse(self.clock(), self.playback.speed, self.playback.is_paused)
        data = b"\n".join([*self._lines, self._encoder.encode(pulse), b""])
        self._lines.clear()
        if self._file is None:
            return
        self._write(self._unwritten + data)

    def _write(self, data: bytes) -> None:
        """Write, and keep what has no room on the disk for the next time: so no line is torn, unless there is never room again."""
        assert self._file is not None
        self._unwritten = b""
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT} and len(data) <= _MOST_UNWRITTEN:
                self._unwritten = data
            else:
                self._give_up(error)

    def _take_position(self) -> None:
        if self._reached is not None:
            self._lines.append(self._encoder.encode(self._reached))
            self._reached = None
        if self._streamed is not None:
            self._lines.append(self._encoded(self._streamed))
            self._streamed = None

    def _encoded(self, event: RunEvent) -> bytes:
        """An event as JSON. Half a surrogate pair, which UTF-8 cannot encode, becomes `?`."""
        try:
            return self._encoder.encode(event)
        except UnicodeEncodeError:
            return self._encoder.encode(_encodable(msgspec.to_builtins(event)))

    def _give_up(self, error: OSError) -> None:
        self.problem = (
            f"{self.folder / FILE} cannot be written ({error.strerror}): the run goes on, and cannot be watched"
        )
        if self._file is not None:
            self._file.close()
            self._file = None


def shortened(event: RunEvent) -> RunEvent:
    """An event without what a screen does not need: texts around a moment, prompts, logs."""
    match event:
        case Ended():
            return Ended(_slim(event.record), event.awaits_verdict)
        case Judged():
            return Judged(msgspec.structs.replace(_slim(event.record), suggestion=None))
        case Answered():
            return msgspec.structs.replace(event, text=event.text[:_LONGEST])
        case Note():
            return Note(event.source, event.text[:_LONGEST])
        case _:
            return event


def _slim(record: Record) -> Record:
    moment = msgspec.structs.replace(record.moment, before="", after="", truth="", within=())
    suggestion, verdict = record.suggestion, record.verdict
    return Record(
        moment=moment,
        ending=record.ending,
        suggestion=suggestion and _slim_suggestion(suggestion),
        verdict=verdict and _slim_verdict(verdict),
        keys=record.keys,
    )


def _slim_suggestion(found: Suggestion) -> Suggestion:
    return Suggestion(
        text=found.text[:_LONGEST], start=found.start, end=found.end, latency=found.latency, cache=found.cache
    )


def _slim_verdict(found: Verdict) -> Verdict:
    first = found.message.strip().partition("\n")[0][:200]
    return Verdict(name=found.name, reason=found.reason, message=first, wall_ms=found.wall_ms)


def _encodable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list | tuple) else value
