"""Where a document lies: the project's name, and the path in it that a model is told."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit


@lru_cache(maxsize=256)  # asked with every key
def placed(uri: str, folders: tuple[str, ...]) -> tuple[str, str]:
    """The name of the workspace folder that holds a document, and the document's path in it, with `/`.

    Of a document that lies in no folder only the file's name is told.
    """
    whole = unquote(urlsplit(uri).path)
    for folder in sorted(folders, key=len, reverse=True):
        root = unquote(urlsplit(folder).path).rstrip("/")
        if root and whole.startswith(f"{root}/"):
            return PurePosixPath(root).name, whole[len(root) + 1 :]
    return "", PurePosixPath(whole).name
