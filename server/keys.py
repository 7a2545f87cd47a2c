"""Keys of model servers: they come from the environment, and go nowhere but into a request's header."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import quote

from server.errors import ProviderMissing

OWN = "GHOSTTAPE_API_KEY"
"""The key of whatever server is named; it goes before a provider's own."""
NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "openai": (OWN, "OPENAI_API_KEY"),
        "anthropic": (OWN, "ANTHROPIC_API_KEY"),
        "ollama": (OWN, "OLLAMA_API_KEY"),
        "llamacpp": (OWN, "LLAMA_API_KEY"),
    }
)
_TELLING = 5
"""Characters of a key's beginning that are masked at the end of a text; fewer are in most of its kind (`sk-…`)."""
_log = logging.getLogger("ghosttape.server")


class _Masked(logging.Formatter):
    """Log lines without keys, their tracebacks too."""

    def format(self, record: logging.LogRecord) -> str:
        """The line as any other formatter makes it, masked."""
        return masked(super().format(record))


def log_to_standard_error(level: int) -> None:
    """Log from this level on, without keys."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Masked("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])


def found(provider: str = "openai") -> str:
    """The key of the environment for a provider's server, or nothing. White space around it is not of it.

    Raises:
        ProviderMissing: it holds characters that no header can carry; the message names the variable only.

    """
    for name in NAMES.get(provider, ()):
        if key := os.environ.get(name, "").strip():
            if not (key.isascii() and key.isprintable()):
                raise ProviderMissing(f"the key in {name} holds characters that no header can carry: set it again")
            return key
    return ""


def masked(text: str) -> str:
    """A message without any key of the environment, which a server may have said again in it.

    A key that is cut off at the end of the text is masked too. So mask first, and cut then: its end alone is not known for one.
    """
    known = sorted(_all(), key=len, reverse=True)
    for key in known:
        text = text.replace(key, "…")
    for key in known:
        for size in range(min(len(key), len(text)), _TELLING - 1, -1):
            if text.endswith(key[:size]):
                return text[:-size] + "…"
    return text


def fault(error: Exception) -> str:
    """Log an error that nobody foresaw, with its traceback, and give its reason; neither holds a key."""
    _log.error("%s", masked("".join(traceback.format_exception(error))).rstrip())
    return masked(f"{type(error).__name__}: {error}")


def traced(error: Exception) -> str:
    """Where pygls says that an error came from, in lines below it; nothing where it does not say."""
    data = getattr(error, "data", None)
    lines = data.get("traceback", ()) if isinstance(data, Mapping) else ()
    return masked("".join(["\n", *map(str, lines)])).rstrip()


def _all() -> set[str]:
    """All keys, also as they stand in Python's quotations (so in its messages) and in URLs."""
    known = {os.environ.get(name, "").strip() for names in NAMES.values() for name in names}
    return {form for key in known if key for form in (key, repr(key)[1:-1], quote(key, safe=""))}
