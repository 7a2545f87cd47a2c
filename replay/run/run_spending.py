"""What a run has asked of its provider, in tokens and in money."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from replay.numbers.costs import Price, TokenUse, token_use
from replay.records import Record
from replay.run.store import Store
from server.providers.wrappers.answer_file import AnswerFile

OWN_ANSWERS = "answers.jsonl"
"""The record of answers in a run's folder, where the run has no other."""


_NOT_ASKED = frozenset({"gated", "debounced"})


def own_use(folder: Path, model: str, prices: Mapping[str, Price]) -> TokenUse:
    """The tokens of all answers of a model that a run asked for: by its own record of them, which has those too that the editor gave up, or else by its moments.

    An answer whose reader had enough before its end is `untold`: servers tell tokens last.
    """
    file = AnswerFile(folder / OWN_ANSWERS)
    if file.path.exists():
        file.read()
        return token_use(((row.model, *row.token_counts) for row in file.rows()), prices)
    with Store.open(folder) as store:
        asked = [record for record in store.records() if record.ending.name not in _NOT_ASKED]
    return token_use(((model, *_told(record)) for record in asked if not _is_kept(record)), prices)


def _told(record: Record) -> tuple[int | None, int | None]:
    return (record.suggestion.prompt_tokens, record.suggestion.tokens) if record.suggestion else (None, None)


def _is_kept(record: Record) -> bool:
    """Whether an answer came from a cache, so that nobody was asked."""
    return record.suggestion is not None and record.suggestion.cache != "none"


def keep_cost(folder: Path, summary: dict[str, Any], use: TokenUse) -> None:
    """Put the tokens and the cost of a finished run into its summary, where it is compared with others.

    Raises:
        StoreError: another process writes the run.

    """
    tokens = use.input_tokens + use.output_tokens
    summary["cost"] = {"tokens": tokens or None, **msgspec.to_builtins(use)}
    with Store.open(folder) as store:
        store.lock()
        store.put_fact("summary", summary)


def cost_of_parts(summaries: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return `cost` of a summary of merged parts: what was asked in all of them, also twice; nothing if a part does not know it.

    The sum has no `cost` if a part has none.
    """
    found = [each.get("cost") for each in summaries]
    if not all(found):
        return {}
    uses = [msgspec.convert({**each, "tokens": None}, TokenUse) for each in found if each]
    costs = [use.cost for use in uses]
    told = {name: sum(getattr(use, name) for use in uses) for name in ("input_tokens", "output_tokens", "untold")}
    tokens = told["input_tokens"] + told["output_tokens"]
    whole = None if None in costs else sum(cost for cost in costs if cost is not None)
    return {"cost": {"tokens": tokens or None, **told, "cost": whole}}
