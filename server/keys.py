"""Keys of model servers: they come from the environment, and go nowhere but into a request's header."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

from server.errors import ProviderMissing

OWN = "GHOSTTAPE_API_KEY"
"""The key of whatever server is named; it goes before a provider's own."""
NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "openai": (OWN, "OPENAI_API_KEY"),
        "anthropic": (OWN, "ANTHROPIC_API_KEY"),
        "ollama": (OWN, "OLLAMA_API_KEY"),
        "llamacpp": (OWN, "LLAMA_API_KEY"),
    }
)


def found(provider: str = "openai") -> str:
    """The key of the environment for a provider's server, or nothing. White space around it is not of it.

    Raises:
        ProviderMissing: it holds characters that no header can carry; the message names the variable only.

    """
    for name in NAMES.get(provider, ()):
        if key := os.environ.get(name, "").strip():
            if not (key.isascii() and key.isprintable()):
                raise ProviderMissing(f"the key in {name} holds characters that no header can carry: set it again")
            return key
    return ""


def masked(text: str) -> str:
    """A message without any key of the environment, which a server may have said again in it."""
    for key in sorted(_all(), key=len, reverse=True):
        text = text.replace(key, "…")
    return text


def _all() -> set[str]:
    known = {os.environ.get(name, "").strip() for names in NAMES.values() for name in names}
    return {key for key in known if key}
