"""Keys of model servers: they come from the environment, and go nowhere but into a request's header."""

from __future__ import annotations

import os

NAMES = ("GHOSTTAPE_API_KEY", "OPENAI_API_KEY")


def found() -> str:
    """The key of the environment, or nothing."""
    return next((value for name in NAMES if (value := os.environ.get(name))), "")


def masked(text: str) -> str:
    """A message without the key, which a server may have said again in it."""
    key = found()
    return text.replace(key, "…") if key else text
