"""White space that does not belong where the suggestion begins, and characters that only look like white space.

A document decides what is meant: characters that it has itself stay, and so do runs of spaces where its lines are aligned by them.
"""

from __future__ import annotations

import re

from server.repair.draft import Draft
from syntax.tokens import open_brackets, tokens

_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_NOTHING = "\u200b\u2060\ufeff"
_LOOKALIKES = ((re.compile(f"[{_SPACES}]"), " "), (re.compile(f"[{_NOTHING}]"), ""))
"""Spaces that are no space to a grammar, and characters without width, with what is put in their place."""
_ODD = re.compile(f"[{_SPACES}{_NOTHING}]")
_LEADS = re.compile(rf"(?m)^[\s{_NOTHING}]+")
_UNFINISHED = re.compile(
    r"(?:(?:^|[\s)\]])(?:=>|->|:=|[-+*/%&|^<>=!~]{1,3}|return|yield|await|throw|raise|new|typeof|and|or|not|in|is|of|as|extends|implements|"
    r"instanceof|import|from|def|class|function|fn|func|let|const|var|if|elif|elsif|unless|when|case|while|until|assert|del|type|interface|struct|enum|package|namespace|using|public|private|protected|static|final|#include|#define|#ifdef|#ifndef|#undef|#pragma)|,|\w[&*]|\b(?:var|let|const|type) \w+)$"
)
"""A line behind which its statement goes on, up to the white space at its end."""
_SCRIPTS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})
_SEMICOLONS = frozenset({"cpp", "csharp", "java", "rust"})
_APART = re.compile(r"\s*(?:[@#*]|//|/\*|\[\w|case\b|default\b|\w+:$)")
"""What usually stands on a line of its own: annotations, directives, comments, labels."""
_BRACE_LINE = re.compile(r"^[ \t]*\{[ \t]*$", re.MULTILINE)
_ASSIGNS = re.compile(r"=(?!>)|[!<>]=")
"""What no line begins with: an assignment, or a comparison."""
_CLAUSE = re.compile(r"(?:else|catch|finally)\b")
_CLOSERS = frozenset(")]}")
_OPENED = frozenset("([{;")
_TIGHT = re.compile(r"[(\[]$|[\w)\]]\.$")
_SPACED_END = re.compile(r"\S +[)\]]")
"""The end of a line of code behind which hardly anyone puts a space: a bracket, or the dot of a member."""
_ALIGNED = re.compile(r"(?m)^.*[^\s.!?](?: {2,}|\t+)(?!\s|//|#|/\*|--).")
_FENCE = re.compile(r"(?m)^ {0,3}(?:`{3,}|~{3,})")
_NEAR = 5
"""How many lines on each side of the cursor show whether lines are aligned."""


def without_lookalikes(draft: Draft) -> str:
    """The text with spaces for characters that only look like one, and without those that have no width.

    Spaces in strings and comments stay, unless the code or the indentation around them has such spaces too.
    """
    text = draft.text
    if text.isascii():
        return text
    for pattern, instead in _LOOKALIKES:
        found = {match[0] for match in pattern.finditer(text)}
        foreign = {char for char in found if char not in draft.before and char not in draft.after}
        if foreign and _is_in_code(draft, text, foreign):
            text = "".join(instead if char in foreign else char for char in text)
    return text


def _is_in_code(draft: Draft, text: str, chars: set[str]) -> bool:
    if any(not chars.isdisjoint(lead[0]) for lead in _LEADS.finditer(text)):
        return True
    if draft.language is None or not chars.isdisjoint(_NOTHING):
        return not chars.isdisjoint(_NOTHING)  # what nobody sees is nowhere meant
    tree, start = draft.tree(_ODD.sub(" ", text)), len(draft.before)
    opaque = [(token.start, token.end) for token in tokens(tree, start, start + len(text)) if token.opaque]
    places = (start + at for at, char in enumerate(text) if char in chars)
    return any(not any(low < place < high for low, high in opaque) for place in places)


def without_doubled_space(draft: Draft) -> str:
    """The text without spaces in front where one stands before the cursor already, or where the document never has one."""
    bare, line = draft.text.lstrip(" "), draft.line_before
    if bare == draft.text or not bare.strip() or not line.strip() or bare[0].isspace():
        return draft.text
    if _TIGHT.search(line):
        spaced = f"{line[-1]} "
        meant = bare[0] in _CLOSERS or spaced in draft.before or spaced in draft.after
        fits = not _SPACED_END.search(bare) if line[-1] in "([" else bare[0].isidentifier()
        surely = fits and not (meant or draft.language is None or draft.is_in_text)
        return bare if surely and draft.errors(bare) <= draft.errors() else draft.text
    return bare if line[-1].isspace() and not _is_aligned(draft, bare) else draft.text


def joined(draft: Draft) -> str:
    """The text without a line end in front where the cursor's line cannot end.

    It cannot behind an operator or a word that wants more, if a space follows; in a language whose lines end statements, also without one. A fence in a text is
    closed without an empty line before it.
    """
    bare, line = draft.text.lstrip(), draft.line_before
    if not line.strip():
        moved = draft.text.lstrip("\n")
        return moved if draft.is_document_of_text and _closes_fence(draft, moved) else draft.text
    if not bare or "\n" not in draft.text[: len(draft.text) - len(bare)]:
        return draft.text
    spaced, code = line[-1].isspace(), line.rstrip()
    ends = draft.language is not None and draft.language.layout and not (code[-1].isalpha() or code[-1] == ",")
    if not (spaced or ends) or bare[0] in _CLOSERS or code[-1] in _OPENED:
        return draft.text  # a `return` may well end its line
    text = bare if spaced else f" {bare}"
    errors, apart = draft.errors(text), draft.errors()
    goes_on = _goes_on(draft, code, bare) or (spaced and (_ASSIGNS.match(bare) is not None or _is_in_brackets(draft)))
    return text if errors < apart or (errors == apart and goes_on) else draft.text


def _closes_fence(draft: Draft, bare: str) -> bool:
    return _FENCE.match(bare) is not None and len(_FENCE.findall(draft.before)) % 2 == 1


def _is_in_brackets(draft: Draft) -> bool:
    """Whether a bracket is open at the cursor that holds no statements, so that none can end there."""
    if draft.language is None or draft.is_in_text:
        return False
    opened = open_brackets(draft.tree(), len(draft.before))
    return bool(opened) and not opened[-1].block


def _goes_on(draft: Draft, code: str, bare: str) -> bool:
    """Whether a statement cannot end with a line, or does not where statements end with a semicolon or a block begins on the line of its header.

    So it does in Ruby, and where the document has no brace on a line of its own.
    """
    name = draft.language.id if draft.language else ""
    if _UNFINISHED.search(code) or (code[-1] == "}" and _CLAUSE.match(bare)):
        return True
    if name == "ruby" and re.match(r"do\b|&&|\|\|", bare):
        return draft.line_before[-1].isspace()
    if name in _SCRIPTS and draft.line_before[-1].isspace():
        typed = code[-1] in ":?" and not re.match(r"\s*(?:case|default)\b", code)
        if typed or (bare.startswith("from ") and re.match(r"\s*(?:import|export)\b", code)):
            return True
    if bare[0] == "{":
        return not any(_BRACE_LINE.search(part) for part in (draft.before, draft.after))
    return name in _SEMICOLONS and not code.endswith("}") and not _APART.match(code)


def _is_aligned(draft: Draft, bare: str) -> bool:
    """Whether spaces in the middle of a line are meant: before a comment, or where lines nearby have them too."""
    if draft.language is not None and bare.startswith((draft.language.line_comment, "/*")):
        return True
    above = "\n".join(draft.before.rsplit("\n", _NEAR)[-_NEAR:])
    below = "\n".join(draft.after.split("\n", _NEAR)[:_NEAR])
    return _ALIGNED.search(f"{above}\n{below}") is not None
