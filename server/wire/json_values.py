"""What a client of JSON values needs of the protocol: their decoding, what is a message, and the names of methods that LSP does not have. Nothing here takes long to import."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

Id: TypeAlias = int | str
INVALID_ID = "the id of a request is an integer or a string"
DID_SHOW = "textDocument/didShowCompletion"
DID_ACCEPT_PART = "textDocument/didPartiallyAcceptCompletion"
"""Notifications that editors send to GitHub Copilot's language server about its items; LSP has none."""
UNDER_WAY = "ghosttape/underway"
STREAMED = "ghosttape/streamed"
"""Notifications that our server sends about a request: its provider was asked; what has come of its answer so far."""


def decode_any(body: bytes) -> Any:
    """The JSON value at the start of the bytes. Strings may contain half a surrogate pair, which an editor can send for half an emoji.

    Raises:
        ValueError: the bytes are not JSON.
        RecursionError: the value is nested too deeply.

    """
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return json.JSONDecoder().raw_decode(body.decode("utf-8", "surrogatepass").lstrip())[0]


def encode_any(value: Any) -> bytes:
    """The bytes of a JSON value. Half a surrogate pair has no UTF-8: JSON can only hold it escaped."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value)).encode()


def request_id(message: Mapping[str, Any]) -> Id | None:
    """The id of a request; None if it has no valid one."""
    number = message.get("id")
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def fault(message: Any) -> str:
    """Why nobody can tell what a message of JSON-RPC 2.0 is (sections 4 and 5); empty if that can be told."""
    if not isinstance(message, dict):
        return "a message is an object"
    if "method" in message and not isinstance(message["method"], str):
        return "the method of a message is a string"
    if "method" in message and message.get("id") is not None and request_id(message) is None:
        return INVALID_ID
    return ""
