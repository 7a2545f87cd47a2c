"""What recording costs an editor: a key and the server's answer after it, with and without a recording."""

import asyncio
import json

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from replay.tapes.tape import Edit, read
from tests.support.places import SCRIPT

TEXT = "".join(f"def function_{n}(argument):\n    return argument + {n}  # a comment\n\n\n" for n in range(300))
LINE = "    total = sum(entry.amount for entry in ledger)\n"
KEYS = 4 * len(LINE)


class Typist:
    """A client that types into one document of a server of its own."""

    def __init__(self, root, *words):
        self.runner, self.client = asyncio.Runner(), LanguageClient()
        self.uri, self.version = (root / "a.py").as_uri(), 1
        self.runner.run(self._begin(root, words))

    async def _begin(self, root, words):
        fixed = json.dumps({"provider": {"name": "fixed", "text": "x"}})
        await self.client.start_io(SCRIPT, "serve", "--stdio", "--settings", fixed, *words)
        folders = [types.WorkspaceFolder(root.as_uri(), "work")]
        params = types.InitializeParams(types.ClientCapabilities(), workspace_folders=folders)
        await self.client.initialize_session(params)
        item = types.TextDocumentItem(self.uri, "python", 1, TEXT)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self):
        self.runner.run(self._type())

    async def _type(self):
        for number in range(KEYS):
            self.version += 1
            at = types.Position(601, number % len(LINE))
            change = types.TextDocumentContentChangePartial(types.Range(at, at), LINE[number % len(LINE)])
            identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
            self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
            state = {"textDocument": {"uri": self.uri}}
            await self.client.protocol.send_request_async("ghosttape/state", state)

    def close(self):
        self.runner.run(self._close())
        self.runner.close()

    async def _close(self):
        await self.client.shutdown_session()
        await self.client.stop()


@pytest.fixture
def typists(tmp_path):
    both = Typist(tmp_path, "--record", str(tmp_path / "tapes")), Typist(tmp_path)
    yield both
    for typist in both:
        typist.close()


def test_a_key_with_a_recording_against_a_key_without(measure, typists, tmp_path):
    recorded, plain = typists
    measure(recorded.type, plain.type, keys=KEYS, rounds=8)
    recorded.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(recorded.uri)))
    recorded.type()
    recorded.runner.run(asyncio.sleep(1))
    (tape,) = [read(path) for path in (tmp_path / "tapes").iterdir()]
    assert sum(isinstance(event, Edit) for event in tape.events) == recorded.version - 1
