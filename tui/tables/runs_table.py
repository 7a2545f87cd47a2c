"""The list of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tui.summary_figures import percent, range_words
from tui.terminal_text import message, one_line, shorten

_STATES = {"being written": "cyan", "stopped": "yellow", "unreadable": "red"}
_UNITS = ("B", "kB", "MB", "GB", "TB")
_NAME = 46
"""The cells of a name that are shown."""


def runs_table(entries: Sequence[Mapping[str, Any]], now: float) -> RenderableType:
    """Lay out a list of runs (`replay.run.catalogue.run_entries.RunEntry` as JSON) in 80 columns, two lines a run; `now` is in seconds since 1970."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("run", overflow="fold")
    for title in ("written", "moments", "pass@1"):
        table.add_column(title, justify="right", no_wrap=True)
    for entry in entries:
        table.add_row(_named(entry), age_words(now - entry["written"]), f"{entry['moments']:,}", _share(entry))
    problems = [Text(message(f"{entry['name']}: {entry['problem']}"), "red") for entry in entries if entry["problem"]]
    return Group(table, *problems)


def _named(entry: Mapping[str, Any]) -> Text:
    name = Text(shorten(one_line(entry["name"]), _NAME, keep_end=True), "bold")
    for tag in entry["tags"]:
        name.append(f" {one_line(tag)}", "magenta")
    model = " ".join(filter(None, (entry["provider"], entry["model"])))
    parts = filter(
        None, (shorten(one_line(model), 24), shorten(one_line(entry["what"]), 16), size_words(entry["size"]))
    )
    below = Text("\n  " + ", ".join(parts), "dim")
    if entry["state"] != "finished":
        below.append(f", {entry['state']}", _STATES[entry["state"]])
    return name + below


def _share(entry: Mapping[str, Any]) -> str:
    share = entry["pass_at_1"]
    if share.get("value") is None:
        return ""
    return "\n".join(filter(None, (f"{percent(share['value'])} %", range_words(share))))


def age_words(seconds: float) -> str:
    """Return how long ago something was, as `12 s`, `5 min`, `3 h`, `4 days`."""
    for unit, size in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= (2 if unit == "days" else 1) * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"


def size_words(size: float) -> str:
    """Return a number of bytes, as `812 B`, `1.4 MB`."""
    at = 0
    while size >= 1000 and at < len(_UNITS) - 1:
        size, at = size / 1000, at + 1
    return f"{size:.0f} B" if at == 0 else f"{size:.1f} {_UNITS[at]}"
