"""Provider names and the modules that make them; a module is imported when its provider is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from server.errors import SettingsError
from server.providers.protocol import Provider
from server.settings import ProviderSettings

PROVIDERS: Mapping[str, str] = MappingProxyType(
    {
        "gguf": "server.providers.gguf",
        "openai": "server.providers.openai",
        "recorded": "server.providers.recorded",
        "oracle": "server.providers.recorded",
        "ngram": "server.providers.ngram",
        "fixed": "server.providers.fixed",
    }
)


def make(settings: ProviderSettings) -> Provider:
    """The provider that the settings name.

    Raises:
        SettingsError: there is none of that name.
        ProviderMissing: it needs something that is not there.

    """
    check(settings.name)
    return cast("Provider", importlib.import_module(PROVIDERS[settings.name]).make(settings))


def check(name: str) -> None:
    """Refuse a name that no provider has.

    Raises:
        SettingsError: there is none of that name.

    """
    if name not in PROVIDERS:
        raise SettingsError(f"provider.name: {name!r} is none of {', '.join(PROVIDERS)}")
