"""Which gaps of a repository are tried: of its own code alone, none that is trivial, long or there already, and at most so many."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest

from corpora.mined.corpus_file import GapKind, MinedCategory, MinedLine
from corpora.mining.gaps import CodeGap, gaps
from replay.tapes.file_kinds import file_kind
from syntax.bodies import bodies
from syntax.languages import Language, language_of
from syntax.parse import has_error
from syntax.text import offset_of

LINES = 30
"""The most lines of a gap, unless another number is asked for: an answer may have 256 tokens."""
UNPARSABLE = "does not parse"


@dataclass(frozen=True, slots=True)
class GapChoice:
    """What gaps are wanted; an empty tuple means all."""

    languages: tuple[str, ...] = ()
    kinds: tuple[GapKind, ...] = ()
    categories: tuple[MinedCategory, ...] = ()
    lines: int = LINES

    def wants(self, gap: CodeGap) -> bool:
        """Whether a gap is of a wanted kind and category."""
        return gap.kind in (self.kinds or (gap.kind,)) and gap.category in (self.categories or (gap.category,))


@dataclass(slots=True)
class FoundGaps:
    """The gaps of a repository that can become tasks, and what became of the other ones."""

    lines: list[MinedLine] = field(default_factory=list)
    stages: Counter[str] = field(default_factory=Counter)
    """`found`, `trivial`, `long`, `duplicate` → number of gaps."""
    files: list[str] = field(default_factory=list)
    """The files that were searched."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Why files in a known language were not searched → their number."""


def find_gaps(
    files: Mapping[str, str], choice: GapChoice, progress: Callable[[str, int, int], None] = lambda *_: None
) -> FoundGaps:
    """Find the gaps in the files (path → text) of a repository. `progress` is told the path, how many files are done, and of how many."""
    found, seen = FoundGaps(), set[tuple[str, ...]]()
    for done, (path, text) in enumerate(sorted(files.items())):
        progress(path, done, len(files))
        language = language_of(path)
        if language is None or (choice.languages and language.id not in choice.languages):
            continue
        if reason := file_kind(path, text) or (UNPARSABLE if has_error(language, text) else ""):
            found.skipped[reason] += 1
            continue
        found.files.append(path)
        _take(found, seen, language, path, text, choice)
    return found


def _take(
    found: FoundGaps, seen: set[tuple[str, ...]], language: Language, path: str, text: str, choice: GapChoice
) -> None:
    functions, names = _functions(language, text), set[str]()
    for gap in filter(choice.wants, gaps(language, text)):
        found.stages["found"] += 1
        lines = _lines(text, gap)
        likeness = _likeness(language, text, gap)
        reason = gap.reason or ("long" if lines[1] - lines[0] >= choice.lines else "")
        if reason := reason or ("duplicate" if likeness in seen else ""):
            found.stages[reason] += 1
            continue
        seen.add(likeness)
        found.lines.append(_line(language, path, text, gap, lines, names, functions))


def _line(
    language: Language,
    path: str,
    text: str,
    gap: CodeGap,
    lines: tuple[int, int],
    names: set[str],
    functions: Sequence[tuple[int, int, int]],
) -> MinedLine:
    name = f"{gap.category}/{path}/{lines[0]}-{lines[1]}/{gap.kind}"
    if name in names:
        name = f"{name}/{gap.start - text.rfind(chr(10), 0, gap.start)}"
    names.add(name)
    around = next((line for first, last, line in functions if first <= gap.start < last), None)
    return MinedLine(
        name=name,
        category=gap.category,
        kind=gap.kind,
        language=language.id,
        path=path,
        start=offset_of(text, gap.start),
        end=offset_of(text, gap.end),
        lines=lines,
        emptied=gap.emptied,
        function="" if around is None else f"{path}:{around}",
    )


def _lines(text: str, gap: CodeGap) -> tuple[int, int]:
    first = text.count("\n", 0, gap.start) + 1
    return first, first + text.count("\n", gap.start, gap.end)


def _functions(language: Language, text: str) -> Sequence[tuple[int, int, int]]:
    """Header, end and line (from 1) of each function, the outer ones before the inner ones."""
    found = ((body.header, body.end) for body in bodies(language, text) if body.kind == "function")
    return [(first, last, text.count("\n", 0, first) + 1) for first, last in found]


def _likeness(language: Language, text: str, gap: CodeGap) -> tuple[str, ...]:
    """What two gaps have in common that are the same task: the removed code and the last line of code above it, white space folded."""
    above = text[: gap.start].rstrip()
    header = above[above.rfind("\n") + 1 :]
    return language.id, gap.category, gap.kind, *(" ".join(part.split()) for part in (header, text[gap.start : gap.end]))


def draw_evenly(lines: Sequence[MinedLine], limit: int | None, seed: int) -> list[MinedLine]:
    """At most `limit` gaps, evenly of all files, those of each drawn by the seed; in their own order. A larger limit keeps what a smaller one took."""
    if limit is None or limit >= len(lines):
        return list(lines)
    by_file: dict[str, list[MinedLine]] = defaultdict(list)
    for line in sorted(lines, key=lambda line: _lot(line.name, seed)):
        by_file[line.path].append(line)
    taken = {line.name for line in islice(_in_turn(list(by_file.values())), limit)}
    return [line for line in lines if line.name in taken]


def _in_turn(files: Sequence[Sequence[MinedLine]]) -> Iterator[MinedLine]:
    """One of each file, then a second of each, and so on."""
    return (line for line in chain.from_iterable(zip_longest(*files)) if line is not None)


def _lot(name: str, seed: int) -> str:
    return hashlib.sha256(f"{seed}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
