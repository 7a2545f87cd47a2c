"""Take off how an answer is presented: numbers of lines, the marks of a diff, a label, a tag around it, the name of its language, escapes.

An answer in most of these forms does not parse, and a form is taken off where what is left parses better in its place. Some parse: of those `sure` says what
else must hold.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from server.repair.draft import TAGGED, Draft, indent_of
from syntax.languages import language_named
from syntax.tokens import open_brackets

_LABEL = re.compile(
    r"\s*[*_#]{0,3} ?(?:(?:the |your |my )?(?:completed? |missing |inserted |final )?"
    r"(?:answer|code|completion|insertion|output|response|result|solution|suggestion))[*_]{0,2}:[*_]{0,2}[ \t]*\n*",
    re.IGNORECASE,
)
_LONGEST_LABEL = 80
_OPENING_TAG = re.compile(
    r"\s*(?:<(code|pre|fill|insert|insertion|middle|output|response|result)>[ \t]*|<!\[CDATA\[)\n?", re.IGNORECASE
)
_NUMBER = re.compile(r"[ \t]*(\d{1,6})(?:[ \t]?[|:\u2502\u2192]|\t)")
"""What a line that is shown with its number begins with."""
_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?: |$)")
_DOTS = re.compile(r"\A\s*(?:\.\.\.|\u2026)[ \t]*(?=[^\s.])|(?<=[^\s.])[ \t]*(?:\.\.\.|\u2026)\s*\Z")
_HUNK = re.compile(r"(?:diff --git |index [0-9a-f]{7,}\.\.|--- |\+\+\+ |@@ )")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,4}|#x[0-9a-fA-F]{1,4});")
_ESCAPE = re.compile(r"\\[nt\"']")
_ESCAPED = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'"}
_CURLY = str.maketrans("\u201c\u201d\u201e\u2018\u2019", '"""\'\'')


def may_be_presented(draft: Draft) -> bool:
    """Whether the answer may have such a form, told without a parse; never where no grammar tells what parses better."""
    return draft.language is not None and any(take_off(draft) is not None for take_off in _FORMS)


def is_form_alone(draft: Draft) -> bool:
    """Whether an answer has said no more yet than the name of the language, or a label."""
    return draft.language is not None and (
        _LABEL.fullmatch(draft.text) is not None or _names_language(draft, draft.text.strip())
    )


def _names_language(draft: Draft, word: str) -> bool:
    return draft.language is not None and word.isalnum() and language_named(word) is draft.language


def presented_bare(draft: Draft) -> str:
    """The answer without such forms."""
    for take_off in _FORMS:
        found = take_off(draft)
        if found is None or not found.text.strip():
            continue
        errors, raw = draft.errors(found.text), draft.errors()
        if errors < raw or (errors == raw and found.sure(draft)):
            draft = replace(draft, text=found.text)
    return draft.text


@dataclass(frozen=True, slots=True)
class _Bare:
    """What is left without a form; `sure` says whether to take it where it parses no better."""

    text: str
    sure: Callable[[Draft], bool] = lambda _: False


def _language(draft: Draft) -> _Bare | None:
    """Without a first line that is the name of the document's language alone, as a fence has it."""
    first, _, rest = draft.text.lstrip("\n").partition("\n")
    word = first.strip()
    if not _names_language(draft, word):
        return None
    alone = re.compile(rf"(?m)^[ \t]*{word}[ \t]*$")
    return _Bare(rest.removeprefix(draft.line_before), lambda draft: not alone.search(f"{draft.before}\n{draft.after}"))


def _label(draft: Draft) -> _Bare | None:
    match = _LABEL.match(draft.text) if ":" in draft.text[:_LONGEST_LABEL] else None
    return _Bare(draft.text[match.end() :], _is_labelled) if match else None


def _is_labelled(draft: Draft) -> bool:
    """Whether it parsed as a label, or as an annotation with a call in it: a capitalised word that nothing else in the document or the answer says."""
    word = re.match(r"([A-Z]\w*):", draft.text.lstrip())
    if word is None or len(re.findall(rf"\b{word[1]}\b", f"{draft.before}\n{draft.text}\n{draft.after}")) > 1:
        return False
    tree, at = draft.tree(), draft.end - len(draft.text.lstrip())
    node = tree.root.descendant_for_byte_range(tree.byte(at), tree.byte(at + 1))
    parent = node.parent.type if node is not None and node.parent is not None else ""
    return parent == "labeled_statement" or (
        parent == "assignment" and "(" in re.split(r"[=\n]", draft.text, maxsplit=1)[0]
    )


def _tag(draft: Draft) -> _Bare | None:
    """Without a tag around it; one that is not closed is JSX in a language that has that."""
    match = _OPENING_TAG.match(draft.text)
    if match is None:
        return None
    bare, closing = draft.text[match.end() :].rstrip(), f"</{match[1]}>" if match[1] else "]]>"
    closed = bare.lower().endswith(closing.lower())
    tagged = draft.language is not None and draft.language.id in TAGGED
    return None if tagged and not closed else _Bare(bare[: -len(closing)].rstrip() if closed else bare)


def _numbers(draft: Draft) -> _Bare | None:
    """Without the numbers, if each line has the next."""
    if not _NUMBER.match(draft.text):
        return None
    lines = draft.text.rstrip("\n").split("\n")
    found = [_NUMBER.match(line) or re.fullmatch(r"[ \t]*(\d{1,6})", line) for line in lines]
    numbers = [int(match[1]) for match in found if match]
    if len(numbers) < len(lines) or numbers != [*range(numbers[0], numbers[0] + len(lines))]:
        return None
    bare = [line[match.end() :] for line, match in zip(lines, found, strict=True) if match]
    spaced = all(line[:1] in {" ", ""} for line in bare) and indent_of(bare[0]) != draft.line_before
    placed = numbers[0] == draft.before.count("\n") + 1 and not draft.line_before.strip()
    fits = placed and not any(match[0].rstrip().endswith(":") for match in found if match)
    return _Bare("\n".join(line[spaced:] for line in bare), lambda _: fits)


def _marks(draft: Draft) -> _Bare | None:
    """What a diff leaves: the lines that it adds and those around them."""
    if "+" not in draft.text:
        return None
    lines = [line for line in draft.text.rstrip("\n").split("\n") if not _HUNK.match(line)]
    if not any(line.startswith("+") for line in lines) or not all(line[:1] in {"+", "-", " ", ""} for line in lines):
        return None
    several = len(lines) > 1 and all(line.startswith("+") and line[1:2] not in {"+", " "} for line in lines)
    placed = len(draft.line_before) > 1 and draft.line_before.isspace() and lines[0].startswith(f"+{draft.line_before}")
    return _Bare(
        "\n".join(line[1:] for line in lines if not line.startswith("-")),
        lambda draft: placed or (several and _is_apart(draft)),
    )


def _is_apart(draft: Draft) -> bool:
    """Whether a statement has ended above the cursor, in a language whose lines end statements."""
    layout = draft.language is not None and draft.language.layout
    return layout and not open_brackets(draft.tree(), len(draft.before))


def _entities(draft: Draft) -> _Bare | None:
    if "&" not in draft.text or not _ENTITY.search(draft.text):
        return None
    return _Bare(_ENTITY.sub(lambda found: html.unescape(found[0]), draft.text))


def _escapes(draft: Draft) -> _Bare | None:
    """With line ends, tabs and quotes for their escapes, if there is no line end: what was meant to stand in JSON."""
    if "\n" in draft.text.strip("\n") or not _ESCAPE.search(draft.text):
        return None
    return _Bare(_ESCAPE.sub(lambda found: _ESCAPED[found[0]], draft.text))


def _curly_quotes(draft: Draft) -> _Bare | None:
    return None if draft.text.isascii() else _changed(draft, draft.text.translate(_CURLY))


def _prompts(draft: Draft) -> _Bare | None:
    """Without the prompts of Python's own shell."""
    if not draft.text.lstrip().startswith(">>> "):
        return None
    lines = draft.text.rstrip("\n").split("\n")
    if not all(_PROMPT.match(line) for line in lines if line.strip()):
        return None
    return _Bare("\n".join(_PROMPT.sub("", line) for line in lines))


def _dots(draft: Draft) -> _Bare | None:
    """Without the dots that say that there is more before or behind."""
    dots = "..." in draft.text or "\u2026" in draft.text
    return _changed(draft, _DOTS.sub("", draft.text)) if dots else None


def _changed(draft: Draft, text: str) -> _Bare | None:
    return _Bare(text) if text != draft.text else None


_FORMS: tuple[Callable[[Draft], _Bare | None], ...] = (
    _language,
    _label,
    _tag,
    _numbers,
    _marks,
    _entities,
    _escapes,
    _curly_quotes,
    _prompts,
    _dots,
)
