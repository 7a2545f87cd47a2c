"""Replays of tapes by the engine, with options as plain values."""

import msgspec

from replay.editor.command import server_command
from replay.options import ReplayOptions
from replay.play.playback import Playback
from replay.run.engine import Engine
from replay.run.sources.tape_source import TapeSource
from replay.run.store import Store
from replay.run.summary import summarise_replay
from tests.support.tapes import Typist

HEAD, BODY = "def f(x):\n    ", "return x + 1"
FIXED = {"provider": {"name": "fixed", "text": BODY}}
"""Settings of a server that always says `BODY`."""


def tape(name="small", **options):
    """A tape on which a small function is typed."""
    return Typist(name=name, **options).type(f"{HEAD}{BODY}\n").checkpoint().tape()


def options_of(**values):
    """Options in which the settings of the server may be plain values."""
    return msgspec.convert(values, ReplayOptions)


async def run(
    tapes,
    folder,
    options,
    heard=None,
    *,
    cache,
    server=server_command,
    playback=None,
    waits=False,
    adherence=None,
    store=Store,
):
    """Replay tapes into a folder; give the summary. `server` gives the command of the language server."""
    notify = (lambda _: None) if heard is None else heard.append
    engine = Engine(
        options,
        notify,
        summarise_replay,
        cache=cache,
        command=server,
        playback=playback or Playback(),
        waits=waits,
        store=store,
        adherence=adherence,
    )
    return await engine.run([TapeSource(tape, options) for tape in tapes], folder)
