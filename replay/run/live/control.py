"""How a run is watched, said from another process: a Unix socket in the run's folder, which only its owner may use.

One JSON object a line: `{"action": "pause"}`; back comes `{"said": "12:03 of the tape, paused"}`, or `{"error": …}`. No action changes a result.
Who is connected watches: what was paused from here goes on when the last connection is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from replay.errors import ReplayError
from replay.play.playback import Playback

FILE = "control.sock"
_LONGEST = 4_096
"""Bytes of a line."""


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a replay that runs is to be watched.

    `to` is a virtual time in ms (`seek`), by how much to go on (`skip`), or a factor (`speed`; None: as fast as it goes). `step` carries out one
    instruction, and `moment` all up to the end of the next moment; both pause then.
    """

    action: Literal["pause", "resume", "step", "moment", "seek", "skip", "speed"]
    to: float | None = None


class Heard(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of a wish: where the replay is and how it goes, or why it cannot be."""

    said: str = ""
    error: str = ""


class ControlError(ReplayError):
    """A run cannot be controlled: it does not listen (any more), or a wish cannot be met."""


def fulfil(wish: Wish, playback: Playback) -> None:
    """Do what was wished.

    Raises:
        PlaybackError: it cannot be done: the past, or a speed that is none.

    """
    match wish.action:
        case "seek":
            playback.seek(wish.to or 0.0)
        case "skip":
            playback.seek(playback.now + (wish.to or 0.0))
        case "speed":
            playback.set_speed(wish.to)
        case "moment":
            playback.step_moment()
        case simple:
            getattr(playback, simple)()


@asynccontextmanager
async def controlled(folder: Path, playback: Playback, changed: Callable[[], None]) -> AsyncIterator[str]:
    """Listen to wishes for as long as the context lasts; `changed` is called after each. Give why nobody can be listened to, else ""."""
    try:
        listening = _listening(folder)
    except OSError as error:
        yield f"{folder / FILE} cannot be made ({error.strerror}): the run goes on, and nobody can pause it"
        return

    watchers = _Watchers(playback, changed)
    server = await asyncio.start_unix_server(watchers.serve, sock=listening, limit=_LONGEST)
    try:
        yield ""
    finally:
        server.close()
        watchers.send_away()
        (folder / FILE).unlink(missing_ok=True)


@dataclass(slots=True)
class _Watchers:
    """Those who are connected. A run that one of them paused goes on when the last one is gone, however it went."""

    playback: Playback
    changed: Callable[[], None]
    _here: set[asyncio.StreamWriter] = field(default_factory=set)
    _have_paused: bool = False
    _is_over: bool = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._here.add(writer)
        try:
            with contextlib.closing(writer), contextlib.suppress(ConnectionError, ValueError):
                await self._listen(reader, writer)
        finally:
            self._here.discard(writer)
            self._go_on_alone()

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(msgspec.json.encode(_heard(line, self.playback)) + b"\n")
            self._have_paused = self.playback.is_paused
            self.changed()
            await writer.drain()

    def _go_on_alone(self) -> None:
        if self._have_paused and not self._here and not self._is_over:
            self._have_paused = False
            self.playback.resume()
            self.changed()

    def send_away(self) -> None:
        """Let all connections go: the run is over."""
        self._is_over = True
        for writer in self._here:
            writer.close()


@dataclass(slots=True)
class Watcher:
    """One connection to the run in a folder, as one screen holds it: what it paused goes on when the last such connection is gone.

    It may be used from several threads. A connection that broke, as the run's process ended, is made anew when it is next needed.
    """

    folder: Path
    within_s: float = 2.0
    _connection: socket.socket | None = None
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def stay(self) -> bool:
        """Be connected from now on, if there is a run that listens; whether there is."""
        try:
            with self._turn:
                self._connected()
        except OSError:
            return False
        return True

    def send(self, wish: Wish) -> str:
        """Say a wish to the run; give where it is and how it goes.

        Raises:
            ControlError: nobody listens there, or the wish cannot be met.

        """
        try:
            with self._turn:
                heard = self._asked(wish)
        except (OSError, msgspec.DecodeError) as error:
            self.close()
            raise ControlError(
                f"the run in {self.folder} does not listen: it has ended, or cannot be controlled"
            ) from error
        if heard.error:
            raise ControlError(heard.error)
        return heard.said

    def close(self) -> None:
        """Go away."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _asked(self, wish: Wish) -> Heard:
        connection = self._connected()
        connection.sendall(msgspec.json.encode(wish) + b"\n")
        with connection.makefile("rb") as answers:
            return msgspec.json.decode(answers.readline(), type=Heard)

    def _connected(self) -> socket.socket:
        if self._connection is not None and _is_broken(self._connection):
            self.close()
        if self._connection is None:
            self._connection = _connection_to(self.folder, self.within_s)
        return self._connection


def _connection_to(folder: Path, within_s: float) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(within_s)
        with _short(folder) as path:
            connection.connect(path)
    except BaseException:  # an interrupt too: the socket is closed, and the error goes on
        connection.close()
        raise
    return connection


def _is_broken(connection: socket.socket) -> bool:
    """Whether the other end is gone. Between two wishes it says nothing, so whatever can be read is the end, or an answer that came too late."""
    return bool(select.select([connection], [], [], 0)[0])


def _heard(line: bytes, playback: Playback) -> Heard:
    try:
        fulfil(msgspec.json.decode(line, type=Wish), playback)
    except (ReplayError, msgspec.DecodeError) as error:
        return Heard(error=str(error))
    return Heard(said=playback.status())


def _listening(folder: Path) -> socket.socket:
    """A socket in the folder that only its owner can connect to; one that a killed process left is taken away."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.fchmod(listening.fileno(), 0o600)  # before it has a name, so that nobody is quicker
        (folder / FILE).unlink(missing_ok=True)
        with _short(folder) as path:
            listening.bind(path)
        (folder / FILE).chmod(0o600)
        listening.listen()
    except BaseException:  # an interrupt too: the socket is closed, and the error goes on
        listening.close()
        raise
    return listening


@contextmanager
def _short(folder: Path) -> Iterator[str]:
    """A name for the socket that is short enough: the system takes 107 bytes, and folders have longer names."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{opened}/{FILE}"
    finally:
        os.close(opened)
