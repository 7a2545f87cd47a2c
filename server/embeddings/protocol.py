"""The seam between who compares texts and what embeds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors, texts of like meaning into vectors of like direction."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One row for each text, in their order, all of the same width.

        Raises:
            ProviderError: they cannot be made.

        """
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...


@dataclass(frozen=True, slots=True)
class FakeEmbedder:
    """Vectors that a function makes of each text; for tests."""

    vector: Callable[[str], Sequence[float]]

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The function's vectors."""
        return np.array([self.vector(text) for text in texts], dtype=float)

    async def close(self) -> None:
        """Nothing to release."""
