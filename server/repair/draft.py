"""What a repair works on. Lines end with line feeds here; the chain puts the document's own back."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise

import msgspec

from syntax.excerpts import Excerpts
from syntax.languages import Language
from syntax.parse import Tree, is_opaque
from syntax.wanted import Extent, Stop, code_before, wanted

DIRECTIVES = frozenset({"cpp", "csharp"})
"""The languages in which a line that begins with `#` is for the preprocessor."""

TAGGED = frozenset({"javascript", "javascriptreact", "typescriptreact"})
"""The languages that have the tags of JSX."""


STRING = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\\n])*`")
"""A string within one line."""


class Draft(msgspec.Struct, frozen=True):
    """A suggestion in its place. `language` is None where its syntax is not known; `stop` is the hint that was asked with.

    `unparsed` says that a document without a `language` is code nevertheless: a file that is too large to be parsed.
    """

    language: Language | None
    before: str
    after: str
    text: str
    stop: Stop = "auto"
    unparsed: bool = False

    @property
    def is_document_of_text(self) -> bool:
        """Whether the document is prose or markup, as far as is known: no language with a grammar."""
        return self.language is None and not self.unparsed

    @property
    def line_before(self) -> str:
        """The cursor's line, left of the cursor."""
        return self.before[self.before.rfind("\n") + 1 :]

    @property
    def is_fresh(self) -> bool:
        """Whether no code stands on the cursor's line, left of the cursor."""
        return not self.line_before.strip() or len(self.code_before) <= len(self.before) - len(self.line_before)

    @property
    def line_after(self) -> str:
        """The cursor's line, right of the cursor."""
        return self.after.partition("\n")[0]

    @property
    def code_before(self) -> str:
        """The text before the cursor without the white space and the line comments at its end."""
        return code_before(self.before, self.language.line_comment if self.language else "")

    @property
    def wanted(self) -> Extent:
        """What the suggestion is to end: a line, a statement or a block; "any" is taken for "auto" here."""
        return wanted(self.language, self.before, self.after, self.stop)

    @property
    def is_in_open_text(self) -> bool:
        """Whether a comment or a string is open at the cursor. While it is not closed below, a tree does not show it."""
        if self.language is None:
            return False
        if self.line_before.lstrip().startswith(self.language.line_comment):
            return True
        if self.language.layout:
            return _has_open_string(self.before)
        return self.language.line_comment != "#" and _has_open_comment(self.before)

    @property
    def is_in_text(self) -> bool:
        """Whether the cursor stands in a comment, in a string or in the text of a JSX element, whatever the suggestion is."""
        if self.language is None:
            return self.is_document_of_text
        return self.is_in_open_text or self.is_in_text_at(0, "x", begun=True)

    def is_in_text_at(self, at: int, text: str | None = None, *, begun: bool = False) -> bool:
        """Whether a place in the suggestion stands inside a string or a comment of the splice, or in the text of a JSX element.

        `begun`: the last character of the string or comment may be the one at that place.
        """
        if self.language is None:
            return False
        tree = self.tree(text)
        index = len(self.before) + at
        node = tree.root.descendant_for_byte_range(tree.byte(index), tree.byte(index + begun))
        while node is not None:
            start, end = tree.span(node)
            if (is_opaque(node) and start < index < end) or (node.type == "jsx_text" and start <= index < end):
                return True
            node = node.parent
        return False

    @property
    def end(self) -> int:
        """The index in the splice at which the suggestion ends."""
        return len(self.before) + len(self.text)

    def tree(self, text: str | None = None) -> Tree:
        """The splice, with another text in place of the suggestion if one is given, parsed."""
        assert self.language is not None
        return tree_of(self.language, self.before, self.text if text is None else text, self.after)

    def errors(self, text: str | None = None) -> int:
        """How many errors the splice has, with another text in place of the suggestion if one is given."""
        return 0 if self.language is None else errors_of(self.tree(text))


# The functions with a cache are called many times with the same texts; Python keeps the hash of a text, so a look-up is cheap.


@lru_cache(maxsize=4)
def _has_open_string(before: str) -> bool:
    return any(before.count(quotes) % 2 for quotes in ('"""', "'''"))


@lru_cache(maxsize=4)
def _has_open_comment(before: str) -> bool:
    if before.rfind("/*") <= before.rfind("*/"):
        return False
    code = STRING.sub("", before)  # such as "*/*" and "src/**/*.ts"
    return code.rfind("/*") > code.rfind("*/")


_EXCERPTS = Excerpts()


@lru_cache(maxsize=16)
def tree_of(language: Language, before: str, text: str, after: str) -> Tree:
    """The tree of a splice. The last few are kept, found by the three parts, so that these are joined only for a parse."""
    return _EXCERPTS.parse(language, before + text + after)


def forget_trees() -> None:
    """Let go of all trees, so that the next text is parsed whole."""
    tree_of.cache_clear()
    _EXCERPTS.forget()


def errors_of(tree: Tree) -> int:
    """How many ERROR and MISSING nodes a tree has; a missing token that the tree hides counts with the node that lacks it."""
    count, stack = 0, [tree.root] if tree.root.has_error else []
    while stack:
        node = stack.pop()
        broken = [child for child in node.children if child.has_error]
        count += node.is_error or node.is_missing or not broken
        stack.extend(broken)
    return count


def indent_of(line: str) -> str:
    """The white space that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def width(indent: str) -> int:
    """The columns of an indentation; a tab goes to the next multiple of 8 (Python reference, section 2.1.8)."""
    return len(indent.expandtabs(8))


def unit_of(text: str) -> int:
    """The step by which the lines of a text go in most often, in columns; 4 where it shows none."""
    return step_of(text) or 4


def step_of(text: str) -> int:
    """The step by which the lines of a text go in most often, in columns; 0 where none goes in. Lines of a comment with stars do not count."""
    lines = ((line, line.lstrip()) for line in text.split("\n"))
    widths = [width(line[: len(line) - len(bare)]) for line, bare in lines if bare and bare[0] != "*"]
    steps = Counter(right - left for left, right in pairwise(widths) if right > left)
    return steps.most_common(1)[0][0] if steps else 0
