"""The names of the providers and their modules, and providers of other packages; a module is imported when its provider is made."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import cast

from server.errors import ProviderMissing, SettingsError
from server.nearest import did_you_mean
from server.providers.protocol import Provider
from server.providers.wrappers.answer_file import AnswerFile
from server.providers.wrappers.healing import HealingProvider
from server.providers.wrappers.rate_limits import LimitedProvider, RateLimits
from server.providers.wrappers.recording import RecordingProvider
from server.providers.wrappers.spending import SharedAnswers
from server.settings import ProviderSettings
from syntax.entry_points import extensions

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
"""Providers whose half-typed words are healed by default, because they can be forced to begin an answer with given characters.

Measured with SmolLM2 at 300 half-typed words of the bundled tapes: 57 % of the words are right; 14 % if other beginnings can only be
dropped; 6 % without healing (docs/providers.md)."""


def make(settings: ProviderSettings, shared: SharedAnswers | None = None) -> Provider:
    """Make the provider of the settings, with healing and recording as they say; `shared` is how other runs use the same record.

    Raises:
        SettingsError: no provider has that name.
        ProviderMissing: the provider needs something that is missing.

    """
    check(settings.name)
    limits = RateLimits.of(settings)
    if not settings.record.path:
        return LimitedProvider(_healed(settings), limits) if limits else _healed(settings)
    file = AnswerFile(Path(settings.record.path))
    if settings.record.mode == "require" or file.path.exists():
        file.read()
    return RecordingProvider(
        _healed(settings),
        _healed(settings).prompt,
        file,
        settings,
        model_name(settings),
        limits=limits,
        shared=shared,
    )


def model_name(settings: ProviderSettings) -> str:
    """The name of the settings' model in records: of a GGUF file its name without the folder."""
    if settings.name != "gguf":
        return settings.model
    from server.providers.gguf import weights

    return weights(settings.model)


def _healed(settings: ProviderSettings) -> Provider:
    provider = _factory(settings.name)(settings)
    heals = settings.name in HEALED if settings.heal is None else settings.heal
    return HealingProvider(provider) if heals else provider


def _factory(name: str) -> Callable[[ProviderSettings], Provider]:
    if name in PROVIDERS:
        return cast("Callable[[ProviderSettings], Provider]", importlib.import_module(PROVIDERS[name]).make)
    return cast("Callable[[ProviderSettings], Provider]", extensions("providers")[name].load_or(ProviderMissing))


def known_providers() -> tuple[str, ...]:
    """The names of the built-in providers and of those that other packages register (`ghosttape.providers`)."""
    return tuple(dict.fromkeys((*PROVIDERS, *extensions("providers"))))


def check(name: str) -> None:
    """Check that a provider has this name.

    Raises:
        SettingsError: no provider has it; the message proposes the nearest name.

    """
    if name not in PROVIDERS and name not in extensions("providers"):
        known = known_providers()
        raise SettingsError(f"provider.name: {name!r} is none of {', '.join(known)}{did_you_mean(name, known)}")
