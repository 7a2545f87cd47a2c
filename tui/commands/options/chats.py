"""Chats with models, whose answers are kept in a folder."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

from msgspec import structs

from server.chat import ProviderChat
from server.providers.registry import make
from server.settings import AnswerRecord, ProviderSettings
from tui.errors import ConfigurationError

CHATS = ("openai", "ollama", "anthropic", "gguf", "llamacpp", "fixed")
"""Providers that can be asked questions. The embedded model continues a chat as text."""


async def kept_chat(
    stack: AsyncExitStack, settings: ProviderSettings, path: Path, *, require_recorded: bool
) -> ProviderChat:
    """Start a chat that ends with the stack. Its answers are kept in a file, and taken from there; with `require_recorded` from there alone.

    Raises:
        ConfigurationError: the provider answers no questions.
        ProviderMissing, ProviderError: it cannot be started.

    """
    if settings.name not in CHATS:
        raise ConfigurationError(
            f"provider {settings.name} answers no questions: choose --provider {', '.join(CHATS[:-1])}"
        )
    record = AnswerRecord(path=str(path), mode="require" if require_recorded else "replay")
    provider = make(structs.replace(settings, record=record))
    stack.push_async_callback(provider.close)
    await provider.start()
    return ProviderChat(provider)
