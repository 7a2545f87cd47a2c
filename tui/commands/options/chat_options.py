"""Chats with models: whose answers are kept in a folder, and in the words of a paper."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

from msgspec import structs

from corpora.evaluation_options import WHOLE
from server.chat import ProviderChat
from server.nearest import did_you_mean
from server.prompt import chat_form
from server.providers.registry import make
from server.settings import OWN_RULES, AnswerRecord, ProviderSettings, Settings, known_chats
from tui.errors import ConfigurationError

CHATS = ("openai", "ollama", "anthropic", "gguf", "llamacpp", "fixed")
"""Providers that can be asked questions. The embedded model continues a chat as text."""
ASSISTANTS = ("openai", "ollama", "anthropic")
"""Providers whose models answer questions; the others continue text, or have no model."""
PATIENCE_S = 300.0
"""How long an answer may take, if the settings do not allow more: nobody waits at a keyboard for it, and a question may have thousands of tokens."""


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
    patience_s = max(settings.timeout_s, PATIENCE_S)
    provider = make(structs.replace(settings, record=record, timeout_s=patience_s))
    stack.push_async_callback(provider.close)
    await provider.start()
    return ProviderChat(provider)


def in_a_chat(settings: Settings, words: str) -> Settings:
    """The same settings for questions in a chat, in the words of a benchmark, which may show the whole file and read answers by rules of its own.

    Raises:
        ConfigurationError: there are no such words, or the provider has no chat.

    """
    provider, context = settings.provider, settings.context
    known = known_chats()
    if words not in known:
        raise ConfigurationError(f"--chat {words!r}{did_you_mean(words, known)}: choose one of {', '.join(known)}")
    if provider.name not in ASSISTANTS:
        raise ConfigurationError(
            f"--chat asks a model in a chat, and provider {provider.name} has none: choose --provider {', '.join(ASSISTANTS[:-1])} or {ASSISTANTS[-1]}"
        )
    asked = structs.replace(provider, api="chat", chat=words)
    form = chat_form(words)
    if form.shows_whole_file:
        context = structs.replace(context, before=context.before or WHOLE, after=context.after or WHOLE)
    rules = settings.paper_rules if form.rules == OWN_RULES else form.rules
    return structs.replace(settings, provider=asked, paper_rules=rules, context=context)
