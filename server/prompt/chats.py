"""The words in which a model is asked in a chat: ours, or those of a benchmark, an entry point of the group `ghosttape.chats`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from server.context import Context
from server.errors import SettingsError
from server.prompt.forms import Prompt, chat
from server.settings import OWN_CHAT, OWN_RULES, ProviderSettings
from syntax.entry_points import extensions


@dataclass(frozen=True, slots=True)
class ChatForm:
    """How a model is asked in a chat, and how its answer is read."""

    prompt: Callable[[Context], Prompt]
    rules: str = OWN_RULES
    """The rules by which its answer is read (`server.repair.rules`)."""
    shows_whole_file: bool = False
    """Whether the model is shown the whole file, unless the settings limit that."""


OWN = ChatForm(chat)


@cache
def chat_form(words: str) -> ChatForm:
    """The form of these words, of those that `server.settings.known_chats` has.

    Raises:
        SettingsError: it cannot be imported; the message names the package.

    """
    if words == OWN_CHAT:
        return OWN
    form: ChatForm = extensions("chats")[words].load_or(SettingsError)
    return form


def worded_chat(context: Context, words: str) -> Prompt:
    """A chat in the words that the settings name."""
    return chat_form(words).prompt(context)


def is_chat(settings: ProviderSettings) -> bool:
    """Whether a chat is asked from the start, whatever routes the server has."""
    return settings.api == "chat" or settings.chat != OWN_CHAT
