"""Embeddings from any server that speaks OpenAI's HTTP API (`POST /embeddings`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec
import numpy as np
import tenacity
from numpy.typing import NDArray

from server.api_keys import masked
from server.errors import ProviderRefused, ProviderUnreachable
from server.providers.http.endpoint import bearer, endpoint
from server.providers.http.refusals import RETRIED_STATUSES, error_message
from server.settings import ProviderSettings

_AT_ONCE = 64
"""So many texts are sent in one request: servers allow between 128 and 2048, and small ones have little memory."""
_LONGEST = 6_000
"""The characters of a text that are sent: models of embeddings take at least 2,048 tokens, of three characters of code or more."""


class _Row(msgspec.Struct, frozen=True):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct, frozen=True):
    data: list[_Row]


class _Busy(Exception):  # noqa: N818 - a signal to tenacity that never leaves this module
    """The server may answer the same request later."""

    def __init__(self, reason: ProviderRefused | ProviderUnreachable) -> None:
        super().__init__(str(reason))
        self.reason = reason


@dataclass(slots=True)
class OpenAIEmbedder:
    """A model of embeddings behind HTTP. A busy server is asked again, as often as the settings say (`tries`)."""

    settings: ProviderSettings
    client: httpx.AsyncClient

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Ask for the vectors of the texts, `_AT_ONCE` a request.

        Raises:
            ProviderError: there is no connection, or the server refuses, or its answer is malformed.

        """
        parts = [texts[at : at + _AT_ONCE] for at in range(0, len(texts), _AT_ONCE)]
        rows = [row for part in parts for row in await self._part(part)]
        if len({len(row) for row in rows}) > 1:
            raise ProviderRefused(f"{self._place}: its embeddings have different lengths")
        return np.array(rows, dtype=float)

    async def close(self) -> None:
        """Close the connections."""
        await self.client.aclose()

    async def _part(self, texts: Sequence[str]) -> list[list[float]]:
        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(_Busy),
            stop=tenacity.stop_after_attempt(self.settings.tries),
            wait=tenacity.wait_exponential(0.2, max=5),
            reraise=True,
        )
        try:
            body = {"model": self.settings.model or "default", "input": _cut(texts)}
            found: _Answer = await retrying(self._asked, body)
        except _Busy as busy:
            raise busy.reason from None
        rows = sorted(found.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(len(texts))):
            raise ProviderRefused(f"{self._place}: {len(rows)} embeddings came for {len(texts)} texts")
        return [row.embedding for row in rows]

    async def _asked(self, body: dict[str, Any]) -> _Answer:
        try:
            answer = await self.client.post("embeddings", json=body, timeout=self.settings.timeout_s)
        except httpx.HTTPError as error:
            text = masked(str(error)) or type(error).__name__
            raise _Busy(ProviderUnreachable(f"{self._place}: no connection ({text})")) from error
        if not answer.is_success:
            message = masked(error_message(answer.content))
            refusal = ProviderRefused(f"{self._place}: status {answer.status_code} for embeddings: {message}")
            raise _Busy(refusal) if answer.status_code in RETRIED_STATUSES else refusal
        try:
            return msgspec.json.decode(answer.content, type=_Answer)
        except msgspec.DecodeError:  # its text may repeat what the server sent
            raise ProviderRefused(f"{self._place}: a malformed answer for embeddings") from None

    @property
    def _place(self) -> str:
        """Host and port, for messages."""
        return f"{self.client.base_url.host}:{self.client.base_url.port or self.client.base_url.scheme}"


def _cut(texts: Sequence[str]) -> list[str]:
    """The texts as they are sent: no longer than a model takes, and none empty, which servers refuse."""
    return [text[:_LONGEST].strip() or " " for text in texts]


def openai_embedder(settings: ProviderSettings, transport: httpx.AsyncBaseTransport | None = None) -> OpenAIEmbedder:
    """A client of the settings' `base_url`; `transport` is for tests.

    Raises:
        ProviderMissing: no base URL is named, or it is none.

    """
    return OpenAIEmbedder(settings, endpoint(settings, settings.base_url, bearer(settings), transport).client)
