"""How much of the finished text a suggestion stands in for: up to where the developer's code and it have said the same.

Indices are indices into `str`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import Levenshtein

from syntax.blocks import Span, statements, unfinished
from syntax.parse import Tree, has_error, parse
from syntax.tokens import CLOSERS, PAIRS, Token, tokens

_WORDS = re.compile(r"\w+|[^\w\s]")

_WEIGHTS = (2, 2, 3)
"""Of a word that comes, one that goes, and one in the place of another: less than both, or no other wording would stand in for as much; more than one, or a last
short statement would count as the words in place of a few that the developer has more of, and would be left to stand twice."""

_TRIED, _NEAR = 8, 8
"""How many ends are tried for one at which the suggestion and the rest parse, and how much more than twice as much may differ there."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a suggestion goes in the finished text.

    `end` is the end of what it stands in for. `agrees`: it says what stands there, white space aside. `begun` and `whole` are start and end of what it leaves
    unfinished: the outermost construct that it begins and ends in. Where it ends with a statement both are `end`; where it ends in a statement that began before it,
    `begun` is its start.
    """

    end: int
    agrees: bool
    begun: int
    whole: int


@dataclass(frozen=True, slots=True)
class WrittenCode:
    """What a developer wrote behind a moment: from `start` up to `limit` in a finished text, which is all that a suggestion may stand in for.

    `prior`, at most `limit`, is the end of what is wanted there; it decides between equals.
    """

    tree: Tree
    start: int
    limit: int
    prior: int


@dataclass(frozen=True, slots=True)
class Brackets:
    """What a text closes that it did not open, and what it leaves open, in order."""

    closed: str = ""
    opened: str = ""

    def then(self, word: str) -> Brackets:
        """The brackets of the text with one word more."""
        if word in PAIRS:
            return Brackets(self.closed, self.opened + word)
        if word not in CLOSERS:
            return self
        if self.opened.endswith(CLOSERS[word]):
            return Brackets(self.closed, self.opened[:-1])
        return Brackets(self.closed + word, self.opened)


@dataclass(frozen=True, slots=True)
class _Border:
    """An end of a token: where it is, how many words of code stand before it, and their brackets."""

    end: int
    words: int
    brackets: Brackets


def reach(written: WrittenCode, text: str) -> Reach:
    """Find how much of what the developer wrote a suggestion stands in for that begins at the same place.

    Where the suggestion says what stands there, up to the end of a token, it is just that. Otherwise it is the end of a statement for which
    the fewest words must go or come (one in the place of another counts as one and a half), among those that open and close the same brackets as the suggestion; where no statement ends like that, the
    end of a token; else the end of what is wanted there. Of equal ends it is the one with as many words as the suggestion, and then the
    one nearest to what is wanted.

    Example: for `total = 0; for …` the suggestion `total = 1` stands in for `total = 0`, and `total` for `total`.
    """
    found = {*statement_ends(written.tree), written.prior}
    ends = sorted(end for end in found if written.start < end <= written.limit)
    said = said_so_far(written, text)
    end = _nearest(written, text, ends) if said is None else said
    return Reach(end, said is not None, *_left_open(written, end, ends))


def _left_open(written: WrittenCode, end: int, ends: Sequence[int]) -> Span:
    """Start and end of the outermost construct that begins in what is stood in for, and goes on behind its end. A comment leaves nothing open."""
    code = [token.end for token in tokens(written.tree, written.start, end) if not token.comment]
    if not code:
        return end, end
    later = bisect_left(ends, min(code[-1], end))
    whole = max(ends[later], end) if later < len(ends) else end
    over = [*unfinished(written.tree, written.start, end)]
    if not over:
        return (end, end) if whole == end or ends[later] <= end else (written.start, whole)
    return min(first for first, _ in over), min(max(whole, *(last for _, last in over)), written.limit)


@lru_cache(maxsize=64)
def statement_ends(tree: Tree) -> tuple[int, ...]:
    """Where the statements of a text end, in ascending order."""
    return tuple(sorted({end for _, end in statements(tree, tree.nodes())}))


def said_so_far(written: WrittenCode, text: str) -> int | None:
    """Where a suggestion ends if it says what the developer wrote, white space aside, up to the end of a token; else None."""
    at, final = written.start, written.tree.text
    for char in text:
        if char.isspace():
            continue
        while at < written.limit and final[at].isspace():
            at += 1
        if at >= written.limit or final[at] != char:
            return None
        at += 1
    return at if _is_border(written.tree, at) else None


def _is_border(tree: Tree, at: int) -> bool:
    """Whether no token goes on behind an index; inside a string or a comment, no word."""
    through = next((token for token in tokens(tree, at - 1, at) if token.end > at), None)
    if through is None:
        return True
    return through.opaque and not (tree.text[at - 1].isalnum() and tree.text[at].isalnum())


def _nearest(written: WrittenCode, text: str, ends: Sequence[int]) -> int:
    tree, start = written.tree, written.start
    offered = parse(tree.language, tree.text[:start] + text)
    words = list(words_between(offered, start, start + len(text)))
    if not words:
        return written.prior
    there, brackets = list(words_between(tree, start, _block_end(written, text))), brackets_of(words)
    alike = [border for border in _borders(start, there) if border.brackets == brackets]
    chosen = [border for border in alike if border.end in ends] or alike
    wanted = sum(end <= written.prior for _, end in there)
    said, all_words = [word for word, _ in words], [word for word, _ in there]

    def cost(border: _Border) -> tuple[int, int, int]:
        differing = Levenshtein.distance(said, all_words[: border.words], weights=_WEIGHTS)
        return differing, abs(border.words - len(said)), abs(border.words - wanted)

    likely = sorted((cost(border), border.end) for border in chosen)[:_TRIED]
    near = [end for (differing, *_), end in likely if differing <= 2 * likely[0][0][0] + _NEAR]
    fitting = (end for end in near if not has_error(tree.language, tree.text[:start] + text + tree.text[end:]))
    return next(fitting, near[0] if near else written.prior)


def _block_end(written: WrittenCode, text: str) -> int:
    """The end of what may be stood in for by a suggestion in a layout language: it does not leave a block that the suggestion stays in.

    Example: in the body of `if a:` a suggestion without a line that is indented less has no part of the `else:` in its hole.
    """
    tree, start = written.tree, written.start
    if not tree.language.layout:
        return written.limit
    lines = [line for line in text.split("\n")[1:] if line.strip()]
    least = min([_column(tree.text, start), *(len(line) - len(line.lstrip()) for line in lines)])
    brackets = Brackets()
    for token in tokens(tree, start, written.limit):
        begins = not tree.text[tree.text.rfind("\n", 0, token.start) + 1 : token.start].strip()
        if (
            begins
            and token.start > start
            and not token.comment
            and not brackets.opened
            and _column(tree.text, token.start) < least
        ):
            return token.start
        brackets = brackets if token.opaque else brackets.then(token.text)
    return written.limit


def _column(text: str, index: int) -> int:
    """The indentation (characters) of the line that an index is in, up to the index."""
    line = text[text.rfind("\n", 0, index) + 1 : index]
    return len(line) - len(line.lstrip())


def words_between(tree: Tree, start: int, end: int) -> Iterator[tuple[str, int]]:
    """The words of the code between two indices, with their ends; no comments."""
    for token in tokens(tree, start, end):
        if not token.comment:
            yield from _parts(token, start, end)


def _parts(token: Token, start: int, end: int) -> Iterable[tuple[str, int]]:
    """A token; of a string its words."""
    if not token.opaque:
        return ((token.text, token.end),) if start <= token.start and token.end <= end else ()
    found = ((match[0], token.start + match.end()) for match in _WORDS.finditer(token.text))
    return ((word, at) for word, at in found if start < at <= end)


def brackets_of(words: Iterable[tuple[str, int]]) -> Brackets:
    """What a text closes and leaves open, from its words (`words_between`)."""
    found = Brackets()
    for word, _ in words:
        found = found.then(word)
    return found


def _borders(start: int, words: Iterable[tuple[str, int]]) -> Iterator[_Border]:
    """The ends of words, the start among them."""
    found = _Border(start, 0, Brackets())
    yield found
    for word, end in words:
        found = _Border(end, found.words + 1, found.brackets.then(word))
        yield found
