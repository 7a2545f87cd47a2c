"""The provider `lsp` and a language server of the standard library alone."""

from __future__ import annotations

from contextlib import aclosing

from server.context import Context
from server.documents import Document
from server.prompt import Prompt
from server.providers import registry
from server.providers.language_server.fake_server import PlainServer
from server.providers.protocol import Request, answer_text
from server.settings import ProviderSettings
from tests.support.waiting import PATIENCE_S

COMPLETE = "textDocument/inlineCompletion"
URI = "file:///p/a.py"


class Bench:
    """The provider and the server that it talks to."""

    def __init__(self, folder, plan, **settings):
        self.fake = PlainServer(folder)
        self.fake.plan(plan)
        chosen = {"command": self.fake.command, "connect_s": 20.0, **settings}
        self.provider = registry.make(ProviderSettings(name="lsp", **chosen))

    async def pieces(self, before="x = 1\nx", after="\n", others=(), uri=URI, **more):
        opened = (*others, Document(uri, "python", 1, before + after))
        context = Context("a.py", "python", before, after)
        fields = {"stop": "auto", "uri": uri, "language": "python", "opened": opened, **more}
        asked = Request(before, after, context=context, prompt=Prompt(), **fields)
        async with aclosing(self.provider.complete(asked)) as stream:
            return [piece async for piece in stream]

    async def ask(self, *texts, **asked):
        return answer_text(await self.pieces(*texts, **asked))

    async def documents(self):
        session = await self.provider._ready()
        return await session.connection.request("plain/documents", {}).result(PATIENCE_S)

    @property
    def process(self):
        return self.provider._starting.result().connection.process
