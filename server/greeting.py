"""What a client tells of itself when it greets the server."""

from __future__ import annotations

from lsprotocol import types
from pygls.uris import from_fs_path

from server.happenings import Greeted
from server.settings import Record


def greeted(params: types.InitializeParams, record: Record | None) -> Greeted:
    """Its name, the folders (URIs) of its workspace, and how it wants its session recorded."""
    client = params.client_info
    named = f"{client.name} {client.version or ''}".strip() if client else "unknown"
    folders = [folder.uri for folder in params.workspace_folders or ()]
    root = params.root_uri or (from_fs_path(params.root_path) if params.root_path else None)
    return Greeted(named, tuple(folders or ([root] if root else ())), record)
