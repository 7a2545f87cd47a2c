"""The seam "what a suggestion does to instructions of developers": replay knows no catalogue of them."""

from __future__ import annotations

from typing import Protocol

from replay.records import AdherenceName


class Adherence(Protocol):
    """Compares a document with a suggestion in it to the same without it."""

    def __call__(self, language: str, before: str, after: str) -> dict[str, AdherenceName]:
        """What the suggestion does to each instruction, by id.

        `before` is the document with the least in the place of the suggestion that grammar demands, `after` the one with
        the suggestion, `language` its LSP identifier. Instructions that are none of this language are left out.
        """
        ...
