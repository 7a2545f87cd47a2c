"""What a prompt about a block has of its repository, by the scenario that is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpora.codev.extra_rules import EXTRA_RULES
from corpora.codev.scenes import WITH_RETRIEVAL
from corpora.errors import CorpusError
from server.nearest import did_you_mean
from server.settings import ContextSettings

_EVIDENCE = 512
"""Tokens that functions of elsewhere may have in scenario 4: some providers have none for other places."""


def usual_context(choices: Mapping[str, Any]) -> ContextSettings:
    """Return what a prompt has of the repository unless the settings say otherwise.

    Raises:
        CorpusError: an extra rule is not known, or there are embeddings and nothing that they find.

    """
    if unknown := next((rule for rule in choices["extra_rules"] if rule not in EXTRA_RULES), ""):
        near = did_you_mean(unknown, EXTRA_RULES)
        raise CorpusError(f"--extra-rules: {unknown!r} is none{near}: choose of {', '.join(EXTRA_RULES)}")
    shows_functions = choices["scenario"] == WITH_RETRIEVAL
    if choices["embeddings"] and not shows_functions:
        raise CorpusError("--embeddings finds functions for scenario 4 of blocks: add --scenario 4, or leave it out")
    return ContextSettings(snippets=_EVIDENCE if shows_functions else None)
