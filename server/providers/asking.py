"""What providers of chats and of files have in common: they learn from refusals how their server wants to be asked."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from server.prompt import Prompt
from server.providers.protocol import Request, Told
from server.providers.refusals import Refusal

Ask: TypeAlias = Callable[[Prompt], AsyncGenerator[str, None]]
Learn: TypeAlias = Callable[[Refusal, Prompt], Prompt | None]
"""What is learnt from the refusal of a prompt: the prompt to ask with next, which may be the same; None for nothing."""
_log = logging.getLogger("ghosttape.server")


@dataclass(slots=True)
class Manner:
    """How a server wants to be asked: whether by chats only, and without which parameters."""

    chats: bool = False
    lacks: set[str] = field(default_factory=set)

    async def asked(self, request: Request, prompt: Prompt, ask: Ask, learn: Learn) -> AsyncGenerator[str, None]:
        """Ask, and ask again as long as there is something to learn from a refusal. A chat that is answered is kept to."""
        while True:
            if prompt != request.prompt:
                yield Told(prompt=prompt.shown())
            try:
                async with aclosing(ask(prompt)) as pieces:
                    async for piece in pieces:
                        self.chats = self.chats or bool(prompt.messages)
                        yield piece
            except Refusal as refusal:
                again = learn(refusal, prompt)
                if again is None:
                    raise
                prompt = again
            else:
                return

    def leave_out(self, names: Iterable[str], place: str) -> None:
        """Send these parameters no more."""
        self.lacks |= {*names}
        _log.warning("%s does not take %s: left out from now on", place, ", ".join(sorted(names)))

    def known(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The question without what the server does not take."""
        return {name: value for name, value in question.items() if name not in self.lacks}


def turns(prompt: Prompt) -> list[dict[str, str]]:
    """The turns of a chat as all servers take them."""
    return [{"role": message.role, "content": message.content} for message in prompt.messages]
