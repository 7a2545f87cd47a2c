"""Which gaps of a repository are tried: of its own code alone, none that is trivial, long or there already, and at most so many."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest

import tree_sitter

from corpora.mined.corpus_file import GapKind, MinedCategory, MinedLine
from corpora.mining.gaps import CodeGap, gaps
from replay.tapes.chosen_paths import is_chosen
from replay.tapes.file_kinds import file_kind
from syntax.blocks import Span
from syntax.bodies import bodies
from syntax.languages import Language, language_of
from syntax.parse import has_error, parse
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
    paths: tuple[str, ...] = ()
    """What the paths of the files begin with."""
    excluded: tuple[str, ...] = ()
    """What they do not begin with, nor match as a pattern."""

    def searches(self, language: Language, path: str) -> bool:
        """Whether a file in a language is to be searched."""
        return language.id in (self.languages or (language.id,)) and is_chosen(path, self.paths, self.excluded)

    def wants(self, gap: CodeGap) -> bool:
        """Whether a gap is of a wanted kind and category."""
        return gap.kind in (self.kinds or (gap.kind,)) and gap.category in (self.categories or (gap.category,))


@dataclass(slots=True)
class FoundGaps:
    """The gaps of a repository that can become tasks, and what became of the other ones."""

    lines: list[MinedLine] = field(default_factory=list)
    stages: Counter[str] = field(default_factory=Counter)
    """`found`, `trivial`, `long`, `duplicate`, `unbuilt` → number of gaps."""
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
        if language is None or not choice.searches(language, path):
            continue
        if reason := file_kind(path, text) or (UNPARSABLE if has_error(language, text) else ""):
            found.skipped[reason] += 1
            continue
        found.files.append(path)
        _take(found, seen, _SearchedFile(language, path, text), choice)
    return found


class _SearchedFile:
    """A file whose gaps become lines of a corpus."""

    def __init__(self, language: Language, path: str, text: str) -> None:
        self.language, self.path, self.text = language, path, text
        functions = [body for body in bodies(language, text) if body.kind == "function"]
        self._functions = [(body.header, body.end, text.count("\n", 0, body.header) + 1) for body in functions]
        self._names: set[str] = set()
        self._tests = tuple(inner_tests(language, text))

    def lines(self, gap: CodeGap) -> tuple[int, int]:
        """The first and the last line of a gap, from 1."""
        first = self.text.count("\n", 0, gap.start) + 1
        return first, first + self.text.count("\n", gap.start, gap.end)

    def is_code(self, gap: CodeGap) -> bool:
        """Whether a gap does not lie in tests that stand in the file."""
        return not any(start <= gap.start < end for start, end in self._tests)

    def likeness(self, gap: CodeGap) -> tuple[str, ...]:
        """What two gaps have in common that are the same task: the removed code and the last line of code above it, white space folded."""
        above = self.text[: gap.start].rstrip()
        parts = above[above.rfind("\n") + 1 :], self.text[gap.start : gap.end]
        return self.language.id, gap.category, gap.kind, *(" ".join(part.split()) for part in parts)

    def parses_without(self, gap: CodeGap) -> bool:
        """Whether the file parses with the gap emptied, as it does with the code."""
        return not has_error(self.language, self.text[: gap.start] + gap.emptied + self.text[gap.end :])

    def line(self, gap: CodeGap) -> MinedLine:
        """The line of a gap in a corpus; its name is that of no other gap of the file."""
        first, last = self.lines(gap)
        name = f"{gap.category}/{self.path}/{first}-{last}/{gap.kind}"
        if name in self._names:
            name = f"{name}/{gap.start - self.text.rfind(chr(10), 0, gap.start)}"
        self._names.add(name)
        around = next((line for start, end, line in self._functions if start <= gap.start < end), None)
        return MinedLine(
            name=name,
            category=gap.category,
            kind=gap.kind,
            language=self.language.id,
            path=self.path,
            start=offset_of(self.text, gap.start),
            end=offset_of(self.text, gap.end),
            lines=(first, last),
            emptied=gap.emptied,
            function="" if around is None else f"{self.path}:{around}",
        )


def _take(found: FoundGaps, seen: set[tuple[str, ...]], file: _SearchedFile, choice: GapChoice) -> None:
    for gap in filter(file.is_code, filter(choice.wants, gaps(file.language, file.text))):
        found.stages["found"] += 1
        first, last = file.lines(gap)
        likeness = file.likeness(gap)
        reason = gap.reason or ("long" if last - first >= choice.lines else "")
        reason = reason or ("duplicate" if likeness in seen else "")
        if reason := reason or ("" if file.parses_without(gap) else "unbuilt"):
            found.stages[reason] += 1
            continue
        seen.add(likeness)
        found.lines.append(file.line(gap))


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


# Tests that stand inside a file of code: those are no code to be mined. Rust has them, behind `#[test]` and
# `#[cfg(test)]`.

_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_NAME = re.compile(r"#!?\s*\[\s*((?:\w+\s*::\s*)*\w+)")
_TESTS = frozenset({"test", "bench", "rstest", "test_case", "quickcheck"})
_NOT = re.compile(r"\bnot\s*\(\s*test\s*\)")
_WORD = re.compile(r"\btest\b")


def inner_tests(language: Language, text: str) -> Iterator[Span]:
    """Start and end of everything in a text that is compiled for its tests alone, as indices."""
    if language.id != "rust":
        return
    tree = parse(language, text)
    for node in tree.nodes():
        if node.type in {"attribute_item", "inner_attribute_item"} and _is_of_tests(tree.text[slice(*tree.span(node))]):
            around = node.parent if node.type.startswith("inner") else _item(node)
            if around is not None:
                yield tree.span(around)


def _item(attribute: tree_sitter.Node) -> tree_sitter.Node | None:
    """What an attribute belongs to: what stands behind it, and behind further attributes and comments."""
    found = attribute.next_named_sibling
    while found is not None and found.type.endswith(("attribute_item", "comment")):
        found = found.next_named_sibling
    return found


def _is_of_tests(attribute: str) -> bool:
    """Whether an attribute makes what it belongs to a test, or a part of the tests: `#[test]`, `#[tokio::test]`, `#[cfg(all(test, unix))]`, but not `#[cfg(not(test))]`."""
    words = _STRING.sub("", attribute)
    name = found[1].split("::")[-1].strip() if (found := _NAME.match(words)) else ""
    return name in _TESTS or (name == "cfg" and bool(_WORD.search(_NOT.sub("", words))))
