"""Provider names and the modules that make them; a module is imported when its provider is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import cast

from server.errors import SettingsError
from server.providers.gguf import weights
from server.providers.healing import Healing
from server.providers.protocol import Provider
from server.providers.records import AnswerFile, Recording
from server.settings import ProviderSettings

PROVIDERS: Mapping[str, str] = MappingProxyType(
    {
        "gguf": "server.providers.gguf",
        "openai": "server.providers.openai",
        "llamacpp": "server.providers.llamacpp",
        "ollama": "server.providers.ollama",
        "anthropic": "server.providers.anthropic",
        "lsp": "server.providers.lsp",
        "recorded": "server.providers.recorded",
        "oracle": "server.providers.recorded",
        "ngram": "server.providers.ngram",
        "fixed": "server.providers.fixed",
    }
)


HEALED = frozenset({"gguf", "llamacpp"})
"""Providers whose half-typed words are healed unless the settings say otherwise: they can be told how to begin.

Measured with SmolLM2 at 300 half-typed words of the bundled tapes: 57 % of the words right, 14 % where answers that begin otherwise
can only be dropped, 6 % without healing (docs/providers.md)."""


def make(settings: ProviderSettings) -> Provider:
    """The provider that the settings name, with its half-typed words healed and its answers recorded as they say.

    Raises:
        SettingsError: there is none of that name.
        ProviderMissing: it needs something that is not there.

    """
    check(settings.name)
    if not settings.record.path:
        return _healed(settings)
    file = AnswerFile(Path(settings.record.path))
    if settings.record.mode == "require" or file.path.exists():
        file.read()
    model = weights(settings.model) if settings.name == "gguf" else settings.model
    return Recording(_healed(settings), _healed(settings).prompt, file, settings, model)


def _healed(settings: ProviderSettings) -> Provider:
    provider = cast("Provider", importlib.import_module(PROVIDERS[settings.name]).make(settings))
    heals = settings.name in HEALED if settings.heal is None else settings.heal
    return Healing(provider) if heals else provider


def check(name: str) -> None:
    """Refuse a name that no provider has.

    Raises:
        SettingsError: there is none of that name.

    """
    if name not in PROVIDERS:
        raise SettingsError(f"provider.name: {name!r} is none of {', '.join(PROVIDERS)}")
