"""A chat with any provider: messages in, the whole answer out."""

from __future__ import annotations

from collections.abc import Sequence

from server.context import Context
from server.prompt import ChatMessage, Prompt
from server.providers.protocol import Provider, Request

_NOWHERE = Context(path="", language="", before="", after="")


async def ask_chat(provider: Provider, messages: Sequence[ChatMessage], sample: int = 0) -> str:
    """The provider's answer to the messages of a chat; `sample` is added to its seed.

    A provider that only continues text (`gguf`) gets the messages as ChatML, which instruction models are trained on.

    Raises:
        ProviderError: the provider failed.

    """
    prompt = Prompt(text=chatml(messages), messages=tuple(messages), stops=("<|im_end|>",))
    request = Request(before="", after="", stop="any", context=_NOWHERE, prompt=prompt, sample=sample)
    return "".join([piece async for piece in provider.complete(request)])


def chatml(messages: Sequence[ChatMessage]) -> str:
    """Messages as one text in ChatML, up to where the answer begins."""
    turns = "".join(f"<|im_start|>{message.role}\n{message.content}<|im_end|>\n" for message in messages)
    return f"{turns}<|im_start|>assistant\n"
