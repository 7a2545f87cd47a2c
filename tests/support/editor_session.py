"""An editor that is connected to a server that is not ours, and what was sent to that."""

import json
import sys

from replay.editor.client import Editor
from replay.play.player_instructions import Ask
from tests.support.places import ROOT
from tests.support.tapes import moment_of

SERVER = str(ROOT / "tests/support/stdio_server.py")
COMPLETE = "textDocument/inlineCompletion"


class Session:
    """An editor, and what the server was sent."""

    def __init__(self, log):
        self.editor, self.log = Editor(), log

    async def start(self, plan):
        argv = [sys.executable, SERVER, json.dumps(plan), str(self.log)]
        await self.editor.start(argv, folder=self.log.parent, options={"seed": 1})
        return self.editor

    def sent(self, method):
        messages = map(json.loads, self.log.read_text().splitlines())
        return [message.get("params") for message in messages if message.get("method") == method]


def ask_at(before, after="", **fields):
    return Ask(moment_of(0, before, after, **fields), before, after)


async def answer(session, result, before="x = ", after="\n", **plan):
    editor = await session.start({COMPLETE: {"result": result}, **plan})
    return await editor.ask(ask_at(before, after))


def within(line, start, end, to=None):
    return {
        "start": {"line": line, "character": start},
        "end": {"line": line if to is None else to, "character": end},
    }
