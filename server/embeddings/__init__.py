"""Embeddings of texts: from any server that speaks OpenAI's HTTP API, or from the embedded model."""

from server.embeddings.protocol import Embedder

__all__ = ["Embedder"]
