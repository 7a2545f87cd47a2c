"""The parameters of `initialize`, and the answers to a language server's own requests."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from server.api_keys import masked
from server.version import version

NAME = {"name": "ghosttape", "version": version()}
_REFRESHES = "/refresh"
_LONGEST_ERROR = 300


def initialize_params(folders: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of `initialize`: UTF-16, inline completion (also registered later), documents, folders."""
    return {
        "processId": os.getpid(),
        "clientInfo": NAME,
        "rootUri": folders[0] if folders else None,
        "workspaceFolders": workspace_folders(folders),
        "initializationOptions": dict(options),
        "capabilities": {
            "general": {"positionEncodings": [types.PositionEncodingKind.Utf16.value]},
            "workspace": {
                "workspaceFolders": True,
                "configuration": True,
                "executeCommand": {"dynamicRegistration": True},
            },
            "textDocument": {
                "synchronization": {"dynamicRegistration": True},
                "inlineCompletion": {"dynamicRegistration": True},
            },
            "window": {"workDoneProgress": True, "showMessage": {}, "showDocument": {"support": False}},
        },
    }


def workspace_folders(folders: Sequence[str]) -> list[dict[str, str]] | None:
    """The folders in the protocol's form. The name of `file:///a/shop` is `shop`."""
    named = [{"uri": uri, "name": unquote(urlsplit(uri).path).rstrip("/").rpartition("/")[2] or uri} for uri in folders]
    return named or None


def options_for(command: Sequence[str], options: Mapping[str, Any]) -> Mapping[str, Any]:
    """`initializationOptions`. Copilot's server answers nothing without the names of the editor and the plug-in."""
    if not is_copilot(" ".join(command)):
        return options
    return {"editorInfo": NAME, "editorPluginInfo": NAME, **options}


def is_copilot(name: str) -> bool:
    """Whether a name is that of GitHub Copilot's language server, which expects messages beyond LSP."""
    return "copilot" in name.lower()


def answer_request(method: str, params: Any, folders: Sequence[str]) -> Any:
    """The result of a server's request. It gets no settings, shows nothing and changes no file.

    Raises:
        LookupError: the method is unknown.

    """
    match method:
        case types.WORKSPACE_CONFIGURATION:
            items = params.get("items") if isinstance(params, Mapping) else None
            return [None] * len(items or [])
        case types.WORKSPACE_WORKSPACE_FOLDERS:
            return workspace_folders(folders)
        case types.WORKSPACE_APPLY_EDIT:
            return {"applied": False, "failureReason": "ghosttape changes no files"}
        case types.WINDOW_SHOW_DOCUMENT:
            return {"success": False}
        case (
            types.CLIENT_REGISTER_CAPABILITY
            | types.CLIENT_UNREGISTER_CAPABILITY
            | types.WINDOW_WORK_DONE_PROGRESS_CREATE
            | types.WINDOW_SHOW_MESSAGE_REQUEST
        ):
            return None
        case _ if method.endswith(_REFRESHES):
            return None
    raise LookupError(method)


def registered_methods(params: Any) -> list[str]:
    """The methods that `client/registerCapability` registers."""
    found = params.get("registrations") if isinstance(params, Mapping) else None
    return [str(each.get("method")) for each in found or [] if isinstance(each, Mapping)]


def error_text(method: str, params: Any) -> str:
    """The message of a notification or a request that reports an error (also Copilot's status); else empty."""
    if not isinstance(params, Mapping) or not isinstance(params.get("message"), str):
        return ""
    text = masked(params["message"].strip())[:_LONGEST_ERROR]  # masked first: a half of a key would not be recognised
    shown = (types.WINDOW_SHOW_MESSAGE, types.WINDOW_LOG_MESSAGE, types.WINDOW_SHOW_MESSAGE_REQUEST)
    if method in shown and params.get("type") == types.MessageType.Error.value:
        return text
    return text if method == "didChangeStatus" and params.get("kind") == "Error" else ""
