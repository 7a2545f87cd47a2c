"""What programs import: whether one may need packages, which do not come with its language."""

from __future__ import annotations

from functools import lru_cache

from corpora.imports.python import python_needs_packages
from corpora.imports.scripts import script_needs_packages


@lru_cache(maxsize=512)
def needs_packages(language: str, text: str) -> bool:
    """Whether a program may import something that does not come with its language; in doubt it may.

    It goes by the syntax tree: what stands in comments is not imported, and what stands in strings may be code.
    """
    if language == "python":
        return python_needs_packages(text)
    if language in {"javascript", "typescript"}:
        return script_needs_packages(language, text)
    return True
