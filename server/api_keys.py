"""Keys of model servers. They come from the environment and are only put into request headers."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import quote

from server.errors import ProviderMissing

OWN = "GHOSTTAPE_API_KEY"
"""The key for any server. It has precedence over a provider's own variable."""
NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "openai": (OWN, "OPENAI_API_KEY"),
        "anthropic": (OWN, "ANTHROPIC_API_KEY"),
        "ollama": (OWN, "OLLAMA_API_KEY"),
        "llamacpp": (OWN, "LLAMA_API_KEY"),
    }
)
VARIABLES: tuple[str, ...] = tuple(dict.fromkeys(name for names in NAMES.values() for name in names))
"""All variables of keys, each once."""
GITHUB_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
"""The variables that may hold a token of GitHub. It is asked for pull requests, never for completions, and masked like a key."""
_TELLING = 5
"""The shortest start of a key that is masked at the end of a text; shorter starts are common to many keys (`sk-…`)."""
_log = logging.getLogger("ghosttape.server")


class _Masked(logging.Formatter):
    """Masks keys in log lines and their tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the line, and mask keys."""
        return masked(super().format(record))


def log_to_standard_error(level: int) -> None:
    """Log this level and higher to standard error, without keys."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Masked("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])


def key_of(provider: str = "openai") -> str:
    """The key for a provider's server, without white space around it; empty if there is none.

    Raises:
        ProviderMissing: the key has characters that are not allowed in a header; the message names only the variable.

    """
    for name in NAMES.get(provider, ()):
        if key := os.environ.get(name, "").strip():
            if not fits_header(key):
                raise ProviderMissing(
                    f"the key in {name} has characters that are not allowed in a header: set it again"
                )
            return key
    return ""


def fits_header(key: str) -> bool:
    """Whether a key can stand in a header: printable ASCII. What refuses another one may quote it."""
    return key.isascii() and key.isprintable()


def masked(text: str) -> str:
    """A text in which each key of the environment is replaced by `…`.

    The start of a key at the end of the text is replaced too. Mask before you cut a text: the end of a key is not recognised.
    """
    known = sorted(_all(), key=len, reverse=True)
    for key in known:
        text = text.replace(key, "…")
    for key in known:
        for size in range(min(len(key), len(text)), _TELLING - 1, -1):
            if text.endswith(key[:size]):
                return text[:-size] + "…"
    return text


def log_fault(error: Exception) -> str:
    """Log an unexpected error with its traceback, and return its reason; both without keys."""
    _log.error("%s", masked("".join(traceback.format_exception(error))).rstrip())
    return masked(f"{type(error).__name__}: {error}")


def traceback_of(error: Exception) -> str:
    """The traceback that pygls attached to an error, on lines of its own; empty if there is none."""
    data = getattr(error, "data", None)
    lines = data.get("traceback", ()) if isinstance(data, Mapping) else ()
    return masked("".join(["\n", *map(str, lines)])).rstrip()


def known() -> set[str]:
    """All keys and tokens of the environment, for those who must keep them out of what they write."""
    found = {os.environ.get(name, "").strip() for name in (*VARIABLES, *GITHUB_TOKENS)}
    return found - {""}


def _all() -> set[str]:
    """All keys, also in the forms that `repr` and URLs give them."""
    return {form for key in known() for form in (key, repr(key)[1:-1], quote(key, safe=""))}
