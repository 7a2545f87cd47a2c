"""Which embeddings functions are compared by, as a person names them."""

from __future__ import annotations

from corpora.errors import CorpusError
from server.embeddings import Embedder
from server.embeddings.gguf import gguf_embedder
from server.embeddings.openai import openai_embedder
from server.settings import ProviderSettings


def embedder_of(named: str) -> Embedder:
    """The embedder of a name: `gguf`, or `gguf:FILE`, in this process; or `URL#MODEL` of a server with OpenAI's `/embeddings` (`#MODEL` may be left out).

    Raises:
        CorpusError: it is none of these.
        ProviderMissing: the engine or the file is missing, or the URL is none.

    """
    kind, _, file = named.partition(":")
    if kind == "gguf":
        return gguf_embedder(ProviderSettings(name="gguf", model=file))
    if named.startswith(("http://", "https://")):
        url, _, model = named.partition("#")
        return openai_embedder(ProviderSettings(name="openai", base_url=url, model=model))
    raise CorpusError(
        f"--embeddings {named}: name gguf, gguf:FILE, or the URL of a server with OpenAI's /embeddings, as http://127.0.0.1:8080/v1#MODEL"
    )
