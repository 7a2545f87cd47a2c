"""Take out what is begun left of the cursor, and begun again by the suggestion: a name, the last words and signs of the line, a call.

Each goes where the splice then parses better. Where it parses as well, it goes if hardly anyone says it twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, islice

from server.repair.draft import STRING, Draft
from syntax.tokens import CLOSERS, PAIRS
from syntax.wanted import is_only_closers

_CALL = re.compile(
    r"(?<!\w)((?:\w+(?:\.|::|->))*(?!(?:if|for|while|switch|catch|and|or|not|in|return)\()([^\W\d]\w*)!?\()\s*$"
)
"""A call that is begun: all up to its bracket, and the name of the function."""
_NAMES = 200
"""The most characters of a call up to its bracket."""
_NESTS = frozenset({"dirname", "type", "sqrt", "diag", "fft"})
"""Functions that are applied to their own result. In 12,311 files of installed Python and JavaScript packages 263 calls are, of 2,000 names; these most often."""
_NAME = re.compile(r"\w+")
_TRIED = 3
"""How many ends of the line are weighed: each costs a parse."""
_OPENING = frozenset("([{")
_TOKENS = re.compile(r"\w+|[^\w\s]")
_ONCE = frozenset(
    {
        "async",
        "await",
        "const",
        "export",
        "final",
        "let",
        "mut",
        "new",
        "public",
        "get;",
        "init;",
        "set;",
        "return",
        "static",
        "var",
        "yield",
    }
)
"""Words of code that nobody says twice, though a grammar may let them."""
_KEY = re.compile(r"[\"']?[\w.-]+[\"']?[ \t]*[:=][ \t]*[\"']?")
"""A key of YAML, JSON, CSS, an attribute: with its sign, and the quote that its value begins with."""
_ITEM = re.compile(r"(?:[-*+\u2022]|\d{1,9}[.)])(?: \[[ xX]\])?")
"""The mark of an item of a list."""
_BEGUN_NAME = re.compile(r"(?:[@#$<\"']|</|--?)?[^\W\d][\w$]*(?:(?:\.|\?\.|::|->|-)[^\W\d][\w$]*)*$")
"""The name, with what it is a member of, that the cursor stands in or behind; a tag, an attribute and a flag have a sign before it."""
_MEMBER_OF = re.compile(r"^[^\w]+|\.|\?\.|::|->|-")
_FIRST_WORD = re.compile(r"[\w$]+")
_PREFIXES = frozenset({"anti", "co", "de", "meta", "non", "pre", "re", "sub", "un"})
"""What may stand before a word that begins with it: `metametadata`, `rerender`."""
_NO_STEM = re.compile(
    r"None|const(?:ructor)?|console|continue|default|delete|describe|require|response|results?|return|unless|until"
)
"""Words that nothing is put before, in code."""


def without_begun(draft: Draft, text: str) -> str:
    """The text without what the cursor's line has begun."""
    return _without_call(draft, _without_tail(draft, _without_name(draft, text)))


def _without_name(draft: Draft, text: str) -> str:
    """Without the beginning of the name at the cursor, where the suggestion begins with the whole name: `console.log(x)` behind `console.lo`.

    No white space is between the two, so that both would become one word. Where that is a word of the document, it may be meant, and likewise a doubled word in
    a string (`foofoo`).
    """
    begun, bare = _BEGUN_NAME.search(draft.line_before[-_NAMES:]), text.lstrip(" ")
    for said in _names_of(begun[0]) if begun else ():
        word, rest = _NAME.findall(said)[-1], bare.removeprefix(said)
        if rest == bare or not rest.strip():
            continue
        whole = _FIRST_WORD.match(bare[len(said) - len(word) :])
        glued = word + (_FIRST_WORD.match(bare) or [bare[:1]])[0]
        if whole is None or re.search(rf"(?<!\w){re.escape(glued)}(?!\w)", draft.before + "\n" + draft.after):
            return text
        errors, raw = draft.errors(rest), draft.errors(text)
        is_word = len(set(said)) > 1 and (said.lower() not in _PREFIXES or _NO_STEM.fullmatch(whole[0]))
        sure = is_word and ((len(said) > 2 and whole[0] != word) or not draft.is_in_text)
        return rest if errors < raw or (errors == raw and sure) else text
    return text


def _without_tail(draft: Draft, text: str) -> str:
    """Without the last words and signs of the cursor's line, where the suggestion begins with them again: `.log()` behind `console.`, `a=1` behind `f(a=`."""
    line, bare = draft.line_before.rstrip(" ")[-_NAMES:], text.lstrip(" ")
    if bare[:1] not in line:
        return text
    for said in islice(_ends_said(line, bare), _TRIED):
        rest = bare[len(said) :]
        rest = rest.lstrip(" ") if draft.line_before.endswith(" ") else rest
        errors, raw = draft.errors(rest), draft.errors(text)
        if errors < raw or (errors == raw and _comes_once(draft, said)):
            return rest
    return text


def _ends_said(line: str, bare: str) -> Iterator[str]:
    """The ends of a line that a text begins with, the longest first: up to the end of a word, and not brackets alone, which the text may have to close."""
    for match in _TOKENS.finditer(line):
        said = line[match.start() :]
        rest = bare.removeprefix(said)
        if rest != bare and rest.strip() and not _within_name(said, rest) and not _OPENING.issuperset(said):
            yield said


def _within_name(left: str, right: str) -> bool:
    """Whether two parts that stand side by side are one name."""
    return re.search(r"[\w$]$", left) is not None and re.match(r"[\w$]", right) is not None


def _comes_once(draft: Draft, said: str) -> bool:
    """Whether these words cannot stand there twice: of code, words that say how; of a text, a key with its sign, the mark of an item, a word in capital letters and a long first word."""
    if not draft.is_document_of_text:
        return said in _ONCE
    if f"{said} {said}" in draft.before + draft.after or f"{said}{said}" in draft.before + draft.after:
        return False
    loud, first = said.isupper() and len(said) > 2, draft.line_before.strip() == said and len(said) > 4
    return (said.isalpha() and (loud or first)) or (_KEY.fullmatch(said) or _ITEM.fullmatch(said)) is not None


def _names_of(begun: str) -> Iterator[str]:
    """The name with all that it is a member of, then with less; the bare name last."""
    yield begun
    yield from (begun[match.end() :] for match in _MEMBER_OF.finditer(begun))


def _without_call(draft: Draft, text: str) -> str:
    """Without the call that is begun left of the cursor, where the suggestion begins it again and is that call alone.

    A function is seldom applied to its own result; where that is usual, or the document does it elsewhere, it stays, if the splice parses.
    """
    line, bare = draft.line_before.rstrip()[-_NAMES:], text.lstrip(" .:")
    begun = _CALL.search(line) if line.endswith("(") else None
    if begun is None or not bare.startswith(begun[1]) or draft.language is None:
        return text
    inner = bare[len(begun[1]) :]
    code = STRING.sub(lambda quoted: "_" * len(quoted[0]), inner)
    depths = accumulate((char in PAIRS) - (char in CLOSERS) for char in code)
    end = next((at for at, depth in enumerate(depths) if depth < 0), len(inner))
    head, tail = inner[:end], inner[end + 1 :]
    others = [head, head + tail, inner] if is_only_closers(tail) else [head + tail, inner]
    errors, best = min((draft.errors(other), number) for number, other in enumerate(others))
    nests = begun[2] in _NESTS or f"{begun[1]}{begun[1]}" in draft.before + draft.after
    alone = is_only_closers(tail) and draft.line_after.lstrip().startswith(")") and not nests
    raw = draft.errors(text)
    return others[best] if errors < raw or (errors == raw and alone) else text
