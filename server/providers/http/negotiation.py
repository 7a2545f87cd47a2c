"""Learns from a server's refusals which requests it takes: whether only chats, and which parameters it does not know."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from server.prompt import Prompt
from server.providers.http.refusals import StatusError
from server.providers.protocol import AnswerMetadata, AnswerPiece, Request

AskServer: TypeAlias = Callable[[Prompt], AsyncGenerator[AnswerPiece, None]]
LearnFromRefusal: TypeAlias = Callable[[StatusError, Prompt], Prompt | None]
"""Takes a refusal and the refused prompt; returns the prompt to try next, which may be the same, or None to give up."""
_log = logging.getLogger("ghosttape.server")


@dataclass(slots=True)
class ApiProfile:
    """What a server takes. `chats`: chats only; `lacks`: names of parameters that it refuses."""

    chats: bool = False
    lacks: set[str] = field(default_factory=set)

    async def ask(
        self, request: Request, prompt: Prompt, ask: AskServer, learn: LearnFromRefusal
    ) -> AsyncGenerator[AnswerPiece, None]:
        """Send the prompt, and try again while a refusal teaches something. After the first answer to a chat, all requests are chats."""
        while True:
            if prompt != request.prompt:
                yield AnswerMetadata(prompt=prompt.shown())
            try:
                async with aclosing(ask(prompt)) as pieces:
                    async for piece in pieces:
                        self.chats = self.chats or bool(prompt.messages)
                        yield piece
            except StatusError as refusal:
                again = learn(refusal, prompt)
                if again is None:
                    raise
                prompt = again
            else:
                return

    def leave_out(self, names: Iterable[str], place: str) -> None:
        """Do not send these parameters any more."""
        self.lacks |= {*names}
        _log.warning("%s does not take %s: left out from now on", place, ", ".join(sorted(names)))

    def without_refused(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The request body without the parameters that the server refuses."""
        return {name: value for name, value in question.items() if name not in self.lacks}


def chat_messages(prompt: Prompt) -> list[dict[str, str]]:
    """The messages of a chat in the form that all servers take."""
    return [{"role": message.role, "content": message.content} for message in prompt.messages]
