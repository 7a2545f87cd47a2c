"""What the keys to copy take of a pair: the text of a page, or the commands that repeat the moment. With a side, only that one's."""

from __future__ import annotations

from collections.abc import Callable

from replay.records import Record
from tui.comparing.model import ComparedRuns, MomentPair
from tui.inspector.commands import command_for
from tui.inspector.diff import plain_diff


def page_text(runs: ComparedRuns, pair: MomentPair, page: str, side: int | None) -> str:
    """Return the suggestions or the logs as they are, each under the name of its run if both are taken; or the difference as a patch."""
    if page == "difference":
        return plain_diff(pair.first.moment.path, _suggestion(pair.first), _suggestion(pair.second))
    return _of(runs, pair, side, _suggestion if page == "suggestions" else _log)


def commands(runs: ComparedRuns, pair: MomentPair, side: int | None) -> str:
    """Return the commands that ask again at this moment only, a line each: that of A, then that of B."""
    chosen = [side] if side is not None else [0, 1]
    moment = pair.first.moment
    return "\n".join(
        command_for(moment.id, runs.origins[one].get(moment.tape, ""), runs.configs[one]) for one in chosen
    )


def _of(runs: ComparedRuns, pair: MomentPair, side: int | None, text: Callable[[Record], str]) -> str:
    texts = [text(pair.first), text(pair.second)]
    if side is not None:
        return texts[side]
    if not any(texts):
        return ""
    return "\n\n".join(f"{letter} {name}:\n{own}" for letter, name, own in zip("AB", runs.names, texts, strict=True))


def _suggestion(record: Record) -> str:
    return record.suggestion.text if record.suggestion else ""


def _log(record: Record) -> str:
    return record.verdict.log or record.verdict.message if record.verdict else ""
