"""How a run is watched, said from another process: a Unix socket in the run's folder, which only its owner may use.

One JSON object a line: `{"action": "pause"}`; back comes `{"said": "12:03 of the tape, paused"}`, or `{"error": …}`. No action changes a result.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
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

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(ConnectionError, ValueError):
            while line := await reader.readline():
                writer.write(msgspec.json.encode(_heard(line, playback)) + b"\n")
                changed()
                await writer.drain()

    server = await asyncio.start_unix_server(serve, sock=listening, limit=_LONGEST)
    try:
        yield ""
    finally:
        server.close()
        (folder / FILE).unlink(missing_ok=True)


def send(folder: Path, wish: Wish, within_s: float = 2.0) -> str:
    """Say a wish to the run in a folder; give where it is and how it goes.

    Raises:
        ControlError: nobody listens there, or the wish cannot be met.

    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(within_s)
        try:
            with _short(folder) as path:
                connection.connect(path)
            connection.sendall(msgspec.json.encode(wish) + b"\n")
            heard = msgspec.json.decode(connection.makefile("rb").readline(), type=Heard)
        except (OSError, msgspec.DecodeError) as error:
            raise ControlError(f"the run in {folder} does not listen: it has ended, or cannot be controlled") from error
    if heard.error:
        raise ControlError(heard.error)
    return heard.said


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
    except BaseException:
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
