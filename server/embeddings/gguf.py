"""Embeddings from the embedded model, or another GGUF file: llama.cpp in this process.

The embedded model was taught to continue text, not to embed it. Its embedding is the mean of what its last layer says of each token.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.errors import ProviderMissing, ProviderRefused
from server.providers.gguf import HOW_TO_GET_IT, bundled_model
from server.settings import ProviderSettings

_CONTEXT_TOKENS = 1024
"""llama.cpp embeds a text in one batch; this is the largest one, and takes about 6 s of a core with the bundled model."""
_LONGEST = 3_000
"""The characters of a text that are embedded; fewer where its beginning has more tokens than fit."""
_TOO_LARGE = "too large to process"
"""llama.cpp's words for a text that does not fit into a batch."""


@dataclass(slots=True)
class GgufEmbedder:
    """A GGUF file run by llama.cpp with mean pooling, loaded on first use."""

    path: Path
    threads: int
    engine: Any = None

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Embed the beginning of each text, one after the other.

        Raises:
            ProviderError: the engine is missing, or refuses a text.

        """
        if self.engine is None:
            self.engine = await asyncio.to_thread(_load, self.path, self.threads)
        return np.array([await asyncio.to_thread(self._vector, text) for text in texts], dtype=float)

    async def close(self) -> None:
        """Release the model."""
        self.engine = None

    def _vector(self, text: str) -> Any:
        """The vector of the beginning of a text, of half as much as long as that does not fit."""
        shown = text[:_LONGEST].strip() or " "
        answer = self.engine.handle_embeddings({"input": shown})
        while len(shown) > 1 and _TOO_LARGE in str(answer.get("error", "")):
            shown = shown[: len(shown) // 2]
            answer = self.engine.handle_embeddings({"input": shown})
        try:
            return answer["data"][0]["embedding"]
        except (LookupError, TypeError):
            raise ProviderRefused(f"llama.cpp: no embedding came: {str(answer)[:200]}") from None


def _load(path: Path, threads: int) -> Any:
    import xllamacpp

    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.embedding, parameters.pooling_type = True, xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = _CONTEXT_TOKENS
    parameters.n_parallel, parameters.verbosity = 1, 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    try:
        return xllamacpp.Server(parameters)
    except (RuntimeError, ValueError) as error:
        raise ProviderMissing(f"{path} cannot be loaded as a GGUF model: {error}") from error


def gguf_embedder(settings: ProviderSettings) -> GgufEmbedder:
    """The embedded model, or the GGUF file that the settings name.

    Raises:
        ProviderMissing: the engine, the weights or the file is missing.

    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise ProviderMissing(f"the embedded model's engine is not installed: {HOW_TO_GET_IT}")
    path = Path(settings.model) if settings.model else bundled_model()
    if not path.is_file():
        raise ProviderMissing(f"provider.model: there is no file {path}")
    return GgufEmbedder(path, settings.threads)
