"""Several answers to one question: a request and a stream for each, so that each can be cancelled and recorded by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from server.errors import ProviderError
from server.providers.protocol import Provider, Request


async def drawn(provider: Provider, request: Request, samples: int) -> Sequence[Sequence[str]]:
    """The pieces of each of `samples` answers, in the order of their seeds; all are asked for at once.

    Raises:
        ProviderError: one of them failed; the others are cancelled.

    """
    try:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(_whole(provider, replace(request, sample=each))) for each in range(samples)]
    except* ProviderError as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in asked]


async def _whole(provider: Provider, request: Request) -> Sequence[str]:
    async with aclosing(provider.complete(request)) as stream:
        return [piece async for piece in stream]
