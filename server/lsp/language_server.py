"""Makes the language server (`create`) and runs it (`serve`). Its handlers are in `completion` and `notifications`.

`create` starts nothing, so that other rooms can add commands to the server first.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.uris import from_fs_path

from server.api_keys import log_to_standard_error, masked
from server.errors import DocumentError, ProviderError, SettingsError
from server.lsp import ask_request, completion, edit_request, notifications, reconfiguration, stdio
from server.lsp.editor_events import ClientInitialized, ClientLeft
from server.lsp.protocol import RequestFailed
from server.lsp.server import InitialSettings, Server, refuse_oracle
from server.providers.protocol import Provider
from server.providers.wrappers.spending import SharedAnswers
from server.settings import RecordingSettings, Settings, merge, split_recording, split_request
from server.wire.json_values import DID_ACCEPT_PART, DID_SHOW
from server.wire.wire_messages import DocumentParams, convert_params

EXPLAIN = "ghosttape/explain"
STATE = "ghosttape/state"
STATS = "ghosttape/stats"
PROVIDER = "ghosttape/provider"
HINT = "ghosttape/hint"
SELECTION = "ghosttape/selection"
DISMISSED = "ghosttape/dismissed"
TERMINAL = "ghosttape/terminal"
_STARTED_BY_HAND = """\
ghosttape serve is a language server. An editor starts it and talks to it over standard input and output; there is nothing to type here.
Press Ctrl-C to leave. docs/server.md shows how to set up an editor.
"""
_log = logging.getLogger("ghosttape.server")


def create(settings: Settings | None = None, provider: Provider | None = None) -> Server:
    """Make a server without starting it. `provider` replaces the one that the settings name."""
    server = Server(settings or Settings(), provider)
    server.feature(types.INITIALIZE)(_initialize)
    server.feature(types.INITIALIZED)(_initialized)
    server.feature(types.SHUTDOWN)(_shut_down)
    server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())(completion.complete)
    server.feature(edit_request.INLINE_EDIT)(edit_request.propose)
    server.feature(EXPLAIN)(completion.explain)
    server.feature(STATE)(_state)
    server.feature(STATS)(_stats)
    server.feature(PROVIDER)(_provider)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(notifications.saved)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(reconfiguration.configuration_changed)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(notifications.folders_changed)
    server.feature(HINT)(notifications.change_reason_given)
    server.feature(SELECTION)(notifications.cursors_moved)
    server.feature(DISMISSED)(notifications.dismissed)
    server.feature(TERMINAL)(notifications.terminal_command_ended)
    server.feature(DID_SHOW)(notifications.shown)
    server.feature(DID_ACCEPT_PART)(notifications.accepted_in_part)
    server.command(completion.ACCEPTED)(notifications.accepted)
    server.command(ask_request.ASK)(ask_request.ask)
    return server


def serve(server: Server) -> None:
    """Run a server over standard input and output until its client leaves.

    Raises:
        SettingsError: its provider has no answers for an editor.

    """
    refuse_oracle(server.settings.provider)
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(_STARTED_BY_HAND)
    log_to_standard_error(logging.WARNING)
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    try:
        server.start_io(*stdio.claim_standard_streams())
    finally:
        server.leave()


def _initialize(ls: Server, params: types.InitializeParams) -> None:
    """Decode `initializationOptions` into settings. No other code does that."""
    try:
        options, ls.shared_answers = split_request(params.initialization_options, "shared", SharedAnswers)
        options, recording = split_recording(options)
        ls.settings = merge(ls.initial.settings, options)
    except SettingsError as error:
        raise JsonRpcInvalidParams(str(error)) from error
    ls.initial = InitialSettings(ls.initial.settings, options or {})
    client = _client(params, recording)
    ls.folders = client.folders
    ls.look_at_disk()
    ls.protocol.emit(client)


def _client(params: types.InitializeParams, recording: RecordingSettings | None) -> ClientInitialized:
    """What a client says of itself: its name, the URIs of its folders, and how it wants its session recorded."""
    info = params.client_info
    name = f"{info.name} {info.version or ''}".strip() if info else "unknown"
    folders = [folder.uri for folder in params.workspace_folders or ()]
    root = params.root_uri or (from_fs_path(params.root_path) if params.root_path else None)
    return ClientInitialized(name, tuple(folders or ([root] if root else ())), recording)


async def _initialized(ls: Server, params: types.InitializedParams) -> None:
    """Load the model before the first request."""
    try:
        provider = ls.service.provider
        if ls.feedback_provider is not None:
            ls.feedback_provider.set_folders(ls.folders)
        await provider.start()
    except asyncio.CancelledError:
        return  # the client left during the start
    except (ProviderError, SettingsError) as error:
        _log.warning("%s", masked(str(error)))
        ls.configuration_errors.report(error)


async def _shut_down(ls: Server, params: None) -> None:
    """Answer when all is closed and the listeners have finished, so that a client that waits for the answer loses nothing."""
    ls.protocol.emit(ClientLeft())
    if ls.disk is not None:
        ls.disk.close()
    finishing = asyncio.create_task(asyncio.to_thread(ls.finish))
    try:
        await _close_service(ls)
        await finishing
    except asyncio.CancelledError:
        return  # `exit` arrived meanwhile, and waits for the rest


async def _close_service(ls: Server) -> None:
    try:
        await ls.service.close()
    except (ProviderError, SettingsError) as error:
        _log.warning("%s", masked(str(error)))


def _stats(ls: Server, params: Any) -> dict[str, Any]:
    """Counts of requests and of their answers' sources (`Server.stats`)."""
    return ls.stats()


async def _provider(ls: Server, params: Any) -> dict[str, Any]:
    """Name and model of the provider that answers from now on: after the changes of settings that came before."""
    async with ls.reconfiguring:
        return {"name": ls.settings.provider.name, "model": ls.settings.provider.model}


def _state(ls: Server, params: Any) -> dict[str, Any]:
    """The version of a document and the SHA-256 (hex) of its UTF-8 text. A client can check that both sides hold the same text."""
    try:
        document = ls.documents.get(convert_params(params, DocumentParams).text_document.uri)
    except DocumentError as error:
        raise RequestFailed(str(error)) from error
    digest = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"version": document.version, "sha256": digest}
