"""Cut the excerpts of real data that the tests run on: `python -m tools.excerpt_cutter ../shared/data tests/excerpts`.

The excerpts have the layout of the whole data, so that a test can be given the one or the other. What is drawn is drawn with a
fixed seed and from what is short, so that the same data gives the same excerpts, in under 2 MB.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

SEED = 31
LONG_RECORDING = "EditSourceTracker.test1.recording.w.json"
ITS_BEGINNING = "EditSourceTracker.beginning.recording.w.json"
ENTRIES = 3_200
"""The beginning of the long recording has at most this many of its 14,341 entries."""
INSTANCES = 2
"""How many instances of DevBench are drawn for each pair of a language and a category."""
PEOPLE = 2
"""How many people of the study of acceptance are drawn."""
SHORT = 1 / 3
"""What is drawn is drawn from this share of all, the shortest."""

Item = TypeVar("Item")


def drawn(sizes: Mapping[Item, int], number: int, random: Random) -> list[Item]:
    """Draw items from the shortest third of all; they keep the order in which they are given."""
    short = sorted(sizes, key=sizes.__getitem__)[: max(number, round(SHORT * len(sizes)))]
    chosen = set(random.sample(short, number))
    return [item for item in sizes if item in chosen]


def beginning(log: Sequence[Mapping[str, Any]], most: int) -> Sequence[Mapping[str, Any]]:
    """Return the longest beginning of at most `most` entries that leaves nothing open.

    No request waits for its end there, and no change for the entry that names its reason.
    """
    waiting: set[int] = set()
    whole = 0
    for number, entry in enumerate(log[:most], 1):
        data = entry.get("data", {})
        if data.get("sourceId") == "InlineCompletions.fetch":
            (waiting.add if data["kind"] == "start" else waiting.discard)(data["requestId"])
        if not waiting and not (number < len(log) and _names_a_reason(log[number])):
            whole = number
    return log[:whole]


def _names_a_reason(entry: Mapping[str, Any]) -> bool:
    return bool(entry.get("data", {}).get("sourceId") == "TextModel.setChangeReason")


def cut_recordings(source: Path, target: Path) -> None:
    """Copy the short recordings, and write the beginning of the long one with an entry a line."""
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.glob("*.json")):
        if path.name != LONG_RECORDING:
            (target / path.name).write_bytes(path.read_bytes())
    log = json.loads((source / LONG_RECORDING).read_bytes())["log"]
    entries = (json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in beginning(log, ENTRIES))
    _write(target / ITS_BEGINNING, '{"log":[\n' + ",\n".join(entries) + "\n]}\n")


def cut_devbench(source: Path, target: Path, random: Random) -> None:
    """Draw instances for each language and category, with all answers to them; each line stays as it is."""
    _write(target / "LICENSE", _text(source / "LICENSE"))
    for folder in sorted(source.glob("benchmark/*/*")):
        cell = folder.relative_to(source / "benchmark")
        files = {
            path.relative_to(source): _instances(path)
            for path in sorted([*folder.glob("*.jsonl"), *(source / "completions" / cell).glob("*.jsonl")])
        }
        instances = next(iter(files.values()))
        sizes = {id_: sum(len(rows.get(id_, "")) for rows in files.values()) for id_ in instances}
        chosen = drawn(sizes, INSTANCES, random)
        for path, rows in files.items():
            _write(target / path, "".join(rows[id_] for id_ in chosen if id_ in rows))


def cut_study(source: Path, target: Path, random: Random) -> None:
    """Draw people of the study, each with all that is known of them."""
    states: dict[str, str] = {}
    for line in _text(source).splitlines(keepends=True):
        person = str(json.loads(line)["user"])
        states[person] = states.get(person, "") + line
    people = drawn({person: len(text) for person, text in states.items()}, PEOPLE, random)
    _write(target, "".join(states[person] for person in people))


def cut(source: Path, target: Path) -> None:
    """Write the excerpts of a folder of whole data into another folder."""
    cut_recordings(source / "recordings", target / "recordings")
    random = Random(SEED)  # noqa: S311 - a sample
    cut_devbench(source / "devbench", target / "devbench", random)
    cut_study(source / "acceptance/copilot_study.jsonl", target / "acceptance/copilot_study.jsonl", random)


def _instances(path: Path) -> dict[str, str]:
    """The lines of a file of DevBench, by the ids of their instances."""
    return {str(json.loads(line)["id"]): line for line in _text(path).splitlines(keepends=True)}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def main(arguments: Iterable[str]) -> None:
    """Cut the excerpts: the folder of whole data, the folder of excerpts."""
    source, target = map(Path, arguments)
    cut(source, target)


if __name__ == "__main__":
    main(sys.argv[1:])
