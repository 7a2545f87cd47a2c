"""Top-3 recall of retrieval where the right helper is known: `python -m tools.codev_recall REPO… [--model] [--most N]`.

A query is a function of a repository without its body. The right helpers are the functions of the repository that its body calls by a name that no other function there has, and that
stand elsewhere. A query counts as found if one of them is among the three that would be shown. Recall is by TF-IDF, with --model by the embedded model's embeddings too, and for comparison by chance: what three functions drawn at random
from the same candidates would find (exactly, by the hypergeometric distribution). Intervals are Wilson's (95 %).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora.codev.retrieval.evidence import BEST, FunctionIndex, RepositoryFunction, candidate_functions
from corpora.mined.checkout import read_checkout
from replay.numbers.intervals import wilson
from server.embeddings.gguf import gguf_embedder
from server.settings import ProviderSettings
from syntax.bodies import bodies
from syntax.languages import language_of
from syntax.parse import parse


@dataclass(frozen=True, slots=True)
class HelperQuery:
    """A body that is taken out (indices into the text), and the names of the functions that are right evidence for it."""

    path: str
    start: int
    end: int
    helpers: frozenset[str]


def queries(files: Mapping[str, str]) -> Iterator[HelperQuery]:
    """The functions whose bodies call a function of the repository of which there is only one of that name."""
    candidates = candidate_functions(files)
    counts = Counter(_short(each) for each in candidates)
    alone = {_short(each): each for each in candidates if counts[_short(each)] == 1}
    for path in sorted({each.path for each in candidates}):
        language = language_of(path)
        for body in bodies(language, files[path]) if language else ():
            if body.kind == "function":
                called = _called(path, files[path], body.start, body.inner) & alone.keys()
                helpers = {name for name in called if not _is_around(alone[name], path, body.start)}
                if helpers:
                    yield HelperQuery(path, body.start, body.inner, frozenset(helpers))


def _short(function: RepositoryFunction) -> str:
    return function.name.rpartition(".")[2]


def _is_around(function: RepositoryFunction, path: str, index: int) -> bool:
    """Whether a function is the one that is asked for, or around it, or inside of it: never its own evidence."""
    return function.path == path and function.start <= index <= function.end


def _called(path: str, text: str, start: int, end: int) -> set[str]:
    """The last names of what a part of a file calls. Example: `self.a.b(c())` gives `b` and `c`."""
    language = language_of(path)
    assert language is not None
    tree = parse(language, text)
    first, last = tree.byte(start), tree.byte(end)
    names = set[str]()
    for node in tree.nodes():
        if node.type in language.calls and first <= node.start_byte and node.end_byte <= last:
            function = node.child_by_field_name("function")
            said = (function.text or b"").decode("utf-8", "replace") if function is not None else ""
            names.add(said.rpartition(".")[2])
    return names


async def found_by(index: FunctionIndex, asked: Sequence[HelperQuery]) -> list[bool]:
    """Whether a right helper is among the first three, for each query."""
    ranked = [await index.ranked(each.path, each.start, each.end) for each in asked]
    return [any(_short(one) in each.helpers for one in best[:BEST]) for each, best in zip(asked, ranked, strict=True)]


def by_chance(candidates: int, helpers: int, shown: int = BEST) -> float:
    """The probability that one of the helpers is among so many drawn at random. Example: 1 helper of 10, 3 shown: 0.3."""
    missed = 1.0
    for number in range(shown):
        missed *= (candidates - helpers - number) / (candidates - number)
    return 1 - missed


async def recall(folder: Path, most: int, *, model: bool) -> dict[str, tuple[float, int]]:
    """How many queries of a repository are found, by each way, and how many there are."""
    files = read_checkout(folder, "").files
    every = list(queries(files))
    asked = every[:: max(1, len(every) // most)][:most]
    index = FunctionIndex.by_words(files)
    count = len(index.candidates)
    found: dict[str, float] = {"TF-IDF": sum(await found_by(index, asked))}
    if model:
        embedder = gguf_embedder(ProviderSettings())
        try:
            found["embedded model"] = sum(await found_by(await FunctionIndex.by_meaning(files, embedder), asked))
        finally:
            await embedder.close()
    found["by chance"] = sum(by_chance(count - 1, len(each.helpers)) for each in asked)
    sys.stderr.write(f"{folder.name}: {count} candidates, {len(every)} queries, {len(asked)} asked\n")
    return {name: (value, len(asked)) for name, value in found.items()}


def table(rows: Mapping[str, Mapping[str, tuple[float, int]]]) -> str:
    """Recall by repository and way, as Markdown."""
    ways = list(dict.fromkeys(way for row in rows.values() for way in row))
    lines = [f"| repository | queries | {' | '.join(ways)} |", "| --- | ---: |" + " ---: |" * len(ways)]
    for name, row in rows.items():
        number = next(iter(row.values()))[1]
        cells = [_cell(*row[way]) if way in row else "" for way in ways]
        lines.append(f"| {name} | {number} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(found: float, number: int) -> str:
    if not number:
        return ""
    if found != int(found):
        return f"{found / number:.0%}"
    low, high = wilson(found / number, number)
    return f"{found / number:.0%} ({low:.0%}\N{EN DASH}{high:.0%})"


def main() -> None:
    """Parse the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--most", type=int, default=60)
    given = parser.parse_args()
    rows = {folder.name: asyncio.run(recall(folder, given.most, model=given.model)) for folder in given.repositories}
    sys.stdout.write(table(rows) + "\n")


if __name__ == "__main__":
    main()
