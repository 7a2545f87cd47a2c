"""A chat with any provider: messages in, the whole answer out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from server.context import Context
from server.errors import ProviderMissing
from server.prompt import ChatMessage, Prompt
from server.providers.protocol import Provider, Request, answer_text

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_NOWHERE = Context(path="", language="", before="", after="")


class Chat(Protocol):
    """Who answers messages: a model, or a fake."""

    async def answer(self, messages: Sequence[ChatMessage], sample: int = 0) -> str:
        """The whole answer to the messages of a chat; `sample` tells repeated questions apart, from 0.

        Raises:
            ProviderError: there is none.

        """
        ...


@dataclass(frozen=True, slots=True)
class ProviderChat:
    """A chat with the model of a provider that was started."""

    provider: Provider

    async def answer(self, messages: Sequence[ChatMessage], sample: int = 0) -> str:
        """See `Chat`."""
        return await ask_chat(self.provider, messages, sample)


@dataclass(slots=True)
class FakeChat:
    """A chat whose answers a function makes from what the user said last; it keeps what it was asked."""

    reply: Callable[[str], str]
    asked: list[tuple[ChatMessage, ...]] = field(default_factory=list)

    async def answer(self, messages: Sequence[ChatMessage], sample: int = 0) -> str:
        """See `Chat`."""
        self.asked.append(tuple(messages))
        return self.reply(messages[-1].content)


async def ask_chat(provider: Provider, messages: Sequence[ChatMessage], sample: int = 0) -> str:
    """The provider's answer to the messages of a chat; `sample` is added to its seed.

    A provider that only continues text (`gguf`) gets the messages as ChatML, which instruction models are trained on.

    Raises:
        ProviderError: the provider failed.

    """
    prompt = Prompt(text=chatml(messages), messages=tuple(messages), stops=("<|im_end|>",))
    request = Request(before="", after="", stop="any", context=_NOWHERE, prompt=prompt, sample=sample, is_chat=True)
    return answer_text([piece async for piece in provider.complete(request)])


async def ask_each(
    items: Sequence[_Item], ask: Callable[[_Item], Awaitable[_Result]], places: int, notify: Callable[[_Result], None]
) -> list[_Result]:
    """What `ask` finds out about each item, `places` at once, in the order of the items; `notify` gets each result as it comes.

    Raises:
        ProviderMissing: what a provider needs is not there.
        OSError: this machine fails, as where the disk that answers are kept on is full.

    """
    free = asyncio.Semaphore(places)

    async def one(item: _Item) -> _Result:
        async with free:
            found = await ask(item)
        notify(found)
        return found

    try:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(one(item)) for item in items]
    except* (ProviderMissing, OSError) as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in asked]


def chatml(messages: Sequence[ChatMessage]) -> str:
    """Messages as one text in ChatML, up to where the answer begins."""
    turns = "".join(f"<|im_start|>{message.role}\n{message.content}<|im_end|>\n" for message in messages)
    return f"{turns}<|im_start|>assistant\n"
