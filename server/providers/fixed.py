from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field

from server.providers.protocol import AnswerPiece, AnswerText, OfflineProvider, Request
from server.settings import ProviderSettings


@dataclass(slots=True)
class Fixed(OfflineProvider):
    """The public fake: answers with one text, or with the result of a function of the request.

    It waits `delay_s` before each piece. `asked` and `cancelled` show a test what reached the provider.
    """

    answer: str | Callable[[Request], str] = ""
    delay_s: float = 0.0
    piece: int = 0
    name: str = "fixed"
    proposes_edits: bool = True
    asked: list[Request] = field(default_factory=list)
    cancelled: int = 0

    async def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the answer, whole or in pieces of `piece` characters."""
        self.asked.append(request)
        text = self.answer if isinstance(self.answer, str) else self.answer(request)
        step = self.piece or max(len(text), 1)
        try:
            for start in range(0, len(text), step):
                await asyncio.sleep(self.delay_s)
                yield AnswerText(text[start : start + step])
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            raise


def make(settings: ProviderSettings) -> Fixed:
    """The fake that answers with the settings' `text`."""
    return Fixed(settings.text)
