"""Embeddings of the real embedded model."""

import numpy as np
import pytest

from server.embeddings.gguf import gguf_embedder
from server.settings import ProviderSettings


async def test_the_embedded_model_gives_like_texts_like_vectors_and_takes_long_ones():
    pytest.importorskip("xllamacpp")
    embedder = gguf_embedder(ProviderSettings(name="gguf"))
    rows = await embedder.embed(["def area(a, b): return a * b", "def area(x, y): return x * y", "≠" * 3000])
    await embedder.close()
    assert rows.shape == (3, 576)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > unit[0] @ unit[2]
