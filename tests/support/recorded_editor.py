"""An editor whose sessions are recorded by the program as an editor starts it: a real client over standard input and output."""

import asyncio
import json
import os
import signal
import time

from lsprotocol import types

from replay.tapes.tape import Documents, read
from syntax.text import encode, position_at, splice
from tests.support.places import SCRIPT

ANSWER = "return total + 1"


class Editor:
    """An editor that keeps its own documents, by its own means."""

    def __init__(self, client, root):
        self.client, self.root = client, root
        self.texts, self.versions, self.messages = {}, {}, []
        client.feature(types.WINDOW_SHOW_MESSAGE)(lambda params: self.messages.append(params))  # noqa: PLW0108 - pygls marks it

    async def start(self, *words, options=None, root=True, answer=ANSWER, encodings=("utf-16",)):
        fixed = json.dumps({"provider": {"name": "fixed", "text": answer}})
        await self.client.start_io(SCRIPT, "serve", "--stdio", "--settings", fixed, *map(str, words), cwd=self.root)
        folders = [types.WorkspaceFolder(self.root.as_uri(), "work")] if root else None
        params = types.InitializeParams(
            types.ClientCapabilities(general=types.GeneralClientCapabilities(position_encodings=list(encodings))),
            client_info=types.ClientInfo("test editor", "1.2"),
            workspace_folders=folders,
            initialization_options=options,
        )
        await self.client.initialize_session(params)
        return self

    def uri(self, name):
        return name if ":" in name else (self.root / name).as_uri()

    def open(self, name, text):
        self.texts[name], self.versions[name] = text, 1
        item = types.TextDocumentItem(self.uri(name), "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name, *changes):
        """Changes one after the other: (start, end, text) in offsets of the text as it is by then, or a whole text."""
        told = []
        for change in changes:
            text = self.texts[name]
            if isinstance(change, str):
                told.append(types.TextDocumentContentChangeWholeDocument(change))
                self.texts[name] = change
                continue
            ends = [types.Position(*position_at(text, offset)) for offset in change[:2]]
            told.append(types.TextDocumentContentChangePartial(types.Range(*ends), change[2]))
            self.texts[name] = splice(text, [change])
        self.versions[name] += 1
        identifier = types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, told))

    def type(self, name, text, at):
        for character in text:
            self.change(name, (at, at, character))
            at += len(encode(character)) // 2
        return at

    async def ask(self, name, at, msg_id=None, selected=None):
        """Ask at an offset; `selected` (start, end, text) is the item that is selected in the editor's list."""
        where = types.Position(*position_at(self.texts[name], at))
        context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)
        if selected is not None:
            ends = [types.Position(*position_at(self.texts[name], offset)) for offset in selected[:2]]
            context.selected_completion_info = types.SelectedCompletionInfo(types.Range(*ends), selected[2])
        document = types.TextDocumentIdentifier(self.uri(name))
        asked = types.InlineCompletionParams(context, document, where)
        method = types.TEXT_DOCUMENT_INLINE_COMPLETION
        items = await self.client.protocol.send_request_async(method, asked, msg_id=msg_id)
        return items[0] if items else None

    async def accept(self, item):
        await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(item.command.command, item.command.arguments)
        )

    async def synchronise(self):
        """Wait until the server has taken in what was sent to it."""
        name = next(iter(self.texts))
        await self.client.protocol.send_request_async("ghosttape/state", {"textDocument": {"uri": self.uri(name)}})

    def save(self, name):
        self.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(self.uri(name)))
        )

    def close(self, name):
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(self.uri(name)))
        )

    async def leave(self):
        await self.client.shutdown_session()

    def kill(self):
        os.kill(self.client._server.pid, signal.SIGKILL)


def tapes(folder):
    return [read(path) for path in sorted(folder.glob("*.tape.jsonl"))]


def finals(tape):
    documents = Documents(tape.source)
    for number, event in enumerate(tape.events):
        documents.apply(number, event)
    return documents.finished()


async def until(condition, seconds=10.0):
    """Wait for something, and say how long that took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it never happened"
        await asyncio.sleep(0.02)
    return time.monotonic() - began
