"""What a model is sent: the `Prompt`, the forms that it can have, and the fill-in-the-middle templates of the model families."""

from __future__ import annotations

from server.prompt.chats import ChatForm, chat_form, is_chat, worded_chat
from server.prompt.forms import ChatMessage, Prompt, beside, chat, infill, middle, plain, suited
from server.prompt.templates import TEMPLATES, Template, template_of

__all__ = [
    "TEMPLATES",
    "ChatForm",
    "ChatMessage",
    "Prompt",
    "Template",
    "beside",
    "chat",
    "chat_form",
    "infill",
    "is_chat",
    "middle",
    "plain",
    "suited",
    "template_of",
    "worded_chat",
]
