"""Which gaps of a repository are tried: of its own code alone, none that is trivial, long or there already, and at most so many."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from types import MappingProxyType
from typing import cast

import tree_sitter

from corpora.mined.corpus_file import GapKind, MinedCategory, MinedLine
from replay.tapes.chosen_paths import is_chosen
from replay.tapes.file_kinds import file_kind
from syntax.blocks import Span
from syntax.bodies import ConstructBody, bodies, conditions
from syntax.gaps import patch
from syntax.languages import Language, language_of
from syntax.parse import Tree, has_error, parse
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


# Where code can be taken out of a file so that a whole thing is missing: Algorithm 1 of SimCopilot's paper.
#
# Every function, loop and branch is a construct, at any depth, and what is nested in it stays whole. *Infilling*: its body, or its condition, with the code before
# and behind it. *Completion*: its body, or the body from a loop or a branch in the midst of it, up to the end of the construct; what stands below is hidden.

NAMES: Mapping[str, str] = MappingProxyType({"function": "function", "if": "if", "for": "loop", "while": "loop"})
"""The constructs of Algorithm 1, by the kinds of the syntax."""
_CONSTANTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"python": ("False", "True"), "java": ('!"".isEmpty()', '"".isEmpty()')}
)  # in Java no loop on a constant may stand before other statements
_FAILS: Mapping[str, str] = MappingProxyType(
    {
        "java": "throw new UnsupportedOperationException();",
        "csharp": "throw new System.NotSupportedException();",
        "go": 'panic("emptied")',
        "rust": "unimplemented!()",
    }
)
"""What stands in the place of a body that must return something, where the compiler would refuse an empty one: else nothing would be said of the tests."""
_BEGINS = frozenset({"if", "for", "while"})
_DELEGATES = 2
"""A function of one statement must have so much logic (`corpora.mining.gap_selection`); with less it hands something on."""


@dataclass(frozen=True, slots=True)
class CodeGap:
    """A part of a text that can be taken out. `start` and `end` are indices into the text, `emptied` what stands there when it is.

    `reason` says why it is no task; empty if it can be one.
    """

    kind: GapKind
    category: MinedCategory
    start: int
    end: int
    emptied: str
    reason: str = ""


def gaps(language: Language, text: str) -> Iterator[CodeGap]:
    """Every gap of a text, each once, in its order: those of an outer construct before those inside it."""
    found: dict[tuple[str, int, int], CodeGap] = {}
    for gap in (*_of_bodies(language, text), *_of_conditions(language, text)):
        found.setdefault((gap.category, gap.start, gap.end), gap)
    yield from sorted(found.values(), key=lambda gap: (gap.start, -gap.end, gap.category != "infilling"))


def constant(language: str, *, holds: bool) -> str:
    """The condition that always holds, or never, in a language (LSP identifier)."""
    return _CONSTANTS.get(language, ("false", "true"))[holds]


def _of_bodies(language: Language, text: str) -> Iterator[CodeGap]:
    for body in bodies(language, text):
        name = NAMES.get(body.kind)
        if name is None:
            continue
        reason = _trivial_body(language, text, body)
        kind = cast("GapKind", f"{name}-body")
        for category, end in (("infilling", body.inner), ("completion", body.end)):
            least = _least(language, text, body, (body.start, end))
            yield CodeGap(kind, cast("MinedCategory", category), body.start, end, least, reason)
        yield from _rests(language, text, body, cast("GapKind", f"rest-of-{name}"))


def _rests(language: Language, text: str, body: ConstructBody, kind: GapKind) -> Iterator[CodeGap]:
    """From each loop and each branch in the midst of a body to the end of that."""
    for statement, (start, _) in body.statements[1:]:
        if statement in _BEGINS:
            yield CodeGap(kind, "completion", start, body.end, _least(language, text, body, (start, body.end)))


def _least(language: Language, text: str, body: ConstructBody, gap: tuple[int, int]) -> str:
    """The least that grammar and compiler demand in the place of a body, or of a part of it to its end."""
    return (_FAILS.get(language.id, "") if body.returns else "") + patch(language, text, *gap)


def _of_conditions(language: Language, text: str) -> Iterator[CodeGap]:
    for found in conditions(language, text):
        reason = "" if logic(language, text, found.start, found.end) else "trivial"
        kind = cast("GapKind", f"{NAMES[found.kind]}-condition")
        yield CodeGap(kind, "infilling", found.start, found.end, constant(language.id, holds=False), reason)


def _trivial_body(language: Language, text: str, body: ConstructBody) -> str:
    """`trivial` for a body without control flow, calls and operators, for a stub, and for a function of one statement that only hands something on."""
    start, end = body.start, body.inner
    much = logic(language, text, start, end)
    lone = len(body.statements) == 1 and not body.statements[0][0]
    short = much < _DELEGATES if body.kind == "function" and lone else not much
    return "trivial" if short or (lone and is_stub(language, text, start, end)) else ""


# How much logic a piece of code has: what is trivial is no task (SimCopilot, section 3.1).

_OPERATORS = frozenset({"binary_operator", "boolean_operator", "comparison_operator", "binary_expression", "binary"})
_FLOW = frozenset(
    {
        "generator_expression",
        "conditional_expression",
        "ternary_expression",
        "conditional",
        "switch_statement",
        "switch_expression",
        "expression_switch_statement",
        "type_switch_statement",
        "select_statement",
        "match_statement",
        "match_expression",
        "case",
    }
)
"""Control flow beside the functions, branches, loops and `try` of a language; and everything whose name ends with `_comprehension`."""
_RAISES = frozenset({"raise_statement", "throw_statement", "macro_invocation"})
_STUBS = ("notimplemented", "not implemented", "unimplemented", "todo")


def logic(language: Language, text: str, start: int, end: int) -> int:
    """How many calls, operators (arithmetic, comparisons, `and`) and pieces of control flow lie in a part of a text.

    Example: `return len(self.rows)` has 1, `return sum(a * b for a, b in rows)` 3.
    """
    tree = parse(language, text)
    counted = language.calls | _OPERATORS | _FLOW | frozenset(language.kinds)
    return sum(node.type in counted or node.type.endswith("_comprehension") for node in _inside(tree, start, end))


def is_stub(language: Language, text: str, start: int, end: int) -> bool:
    """Whether a part of a text only says that something is not implemented yet."""
    tree = parse(language, text)
    raises = any(node.type in _RAISES for node in _inside(tree, start, end))
    return raises and any(word in text[start:end].casefold() for word in _STUBS)


def _inside(tree: Tree, start: int, end: int) -> Iterator[tree_sitter.Node]:
    """The named nodes that lie in a part of a text."""
    first, last, stack = tree.byte(start), tree.byte(end), [tree.root]
    while stack:
        node = stack.pop()
        if node.end_byte <= first or node.start_byte >= last:
            continue
        if node.is_named and node.start_byte >= first and node.end_byte <= last:
            yield node
        stack.extend(node.children)
