"""Take out what a chat model says around its code: fences, phrases, thoughts, special tokens.

What stands in a string or a comment of the splice is text of the program and stays. A phrase goes only if it looks like
prose and does not parse as a statement of the language.
"""

from __future__ import annotations

import re
from dataclasses import replace

from server.repair import brackets
from server.repair.draft import Draft, tree_of
from syntax.parse import Tree, is_opaque

_THOUGHT = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>\s*|\Z)", re.DOTALL)
_SPECIAL = re.compile(
    r"<\|(?:endoftext|im_end|im_start|eot_id|eom_id|end|file_separator|file_sep|fim_\w+|repo_name|assistant|user|system)\|>"
    r"|<(?:fim_\w+|file_sep|EOT|eos|end_of_turn|start_of_turn)>|</s>|\[/?INST\]|<\uff5c[^\uff5c>\n]{1,40}\uff5c>|<CURSOR>"
)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*[\w+#.-]*[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"[ \t]*(?:#+ |\*\*)?[A-Z][^{}\[\];=<>\"]*[:.!](?:\*\*)?[ \t]*$")
_OPENING = re.compile(
    r"\s*(?:sure|certainly|of course|okay|great|absolutely|here(?:'s|\u2019s| is| are)|below is|the (?:following|completed?|missing|"
    r"updated|corrected|full|rest of)|to (?:complete|implement|solve|fix)|i(?:'ll|\u2019ll| will| have|'ve)|let's|let me|you can|this "
    r"(?:code|function|will)|sorry|as an)\b[^\n]*(?:\n|\Z)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"^[ \t]*(?:(?:explanation|output|note|notes|example(?: usage| output)?|usage)\s*:|(?:this|the (?:above|code|function|method|"
    r"class|completed)|in this|here(?:'s| is)|now|please|you can|i(?:'ve| have| hope)|let me know|hope this)\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"^[ \t]*(?:(?:\d+[.)]|[-*])[ \t]+)?[A-Z][a-z']*,?(?: [\w'\u2019`(),/-]+){3,}[.:!?]\s*$")


def repair(draft: Draft) -> str:
    """The code in the answer."""
    text = _THOUGHT.sub("", draft.text, count=1)
    text = _up_to_special(draft, text)
    if draft.is_in_open_text:
        return text
    code = _from_fences(draft, text)
    bare = _without_closing(draft, _without_opening(draft, code))
    return bare if code == text else _no_worse(draft, bare)


def _no_worse(draft: Draft, code: str) -> str:
    """What stood in fences, closed if the splice parses worse for it; nothing if it does so even then.

    A pair of fences with code between them can parse as template literals, so code that breaks off can have more errors.
    """
    if not code.strip() or draft.errors(code) <= draft.errors():
        return code
    closed = brackets.repair(replace(draft, text=code))
    return closed if draft.errors(closed) <= draft.errors() else ""


def _is_text(draft: Draft, text: str, at: int) -> bool:
    """Whether the place stands inside a string or a comment of the splice, or in the text of a JSX element."""
    if draft.language is None:
        return False
    tree = tree_of(draft.language, draft.before + text + draft.after)
    index = len(draft.before) + at
    byte = tree.byte(index)
    node = tree.root.descendant_for_byte_range(byte, byte)
    while node is not None:
        if (is_opaque(node) or node.type == "jsx_text") and tree.index(node.start_byte) < index < tree.index(
            node.end_byte
        ):
            return True
        node = node.parent
    return False


def _up_to_special(draft: Draft, text: str) -> str:
    """Up to the first special token; those at the very start are only taken away."""
    match = _SPECIAL.search(text)
    while match is not None and not text[: match.start()].strip():
        text = text[match.end() :]
        match = _SPECIAL.search(text)
    while match is not None and (_is_text(draft, text, match.start()) or match[0] in draft.before + draft.after):
        match = _SPECIAL.search(text, match.end())
    return text if match is None else text[: match.start()].rstrip(" \t")


def _from_fences(draft: Draft, text: str) -> str:
    """What stands between the first fence and the next; up to it, where code stands before it."""
    fences = _fences(draft, text)
    if not fences:
        return text
    first = fences[0]
    head = text[: first.start()]
    if head.strip() and not _is_all_prose(draft, head):
        return head.rstrip("\n")
    end = fences[1].start() - 1 if len(fences) > 1 else len(text)
    return text[first.end() + 1 : max(end, first.end() + 1)]


def _fences(draft: Draft, text: str) -> list[re.Match[str]]:
    """The fences that are no text of the program; judged without any of them, as back-ticks begin and end strings."""
    blank = _FENCE.sub(lambda match: " " * len(match[0]), text)
    return [match for match in _FENCE.finditer(text) if not _is_text(draft, blank, match.start())]


def _is_all_prose(draft: Draft, text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return all(
        _OPENING.match(line) or _SENTENCE.match(line) or (_HEADING.match(line) and _is_prose(draft, line))
        for line in lines
    )


def _without_opening(draft: Draft, text: str) -> str:
    """Without the phrases and sentences that come before the first line of code."""
    while text.strip():
        start = len(text) - len(text.lstrip())
        line = text[start:].partition("\n")[0]
        if (
            not (_OPENING.match(line) or _SENTENCE.match(line))
            or not _is_prose(draft, line)
            or _is_text(draft, text, start + 1)
        ):
            return text
        text = text[start + len(line) + 1 :]
    return ""


def _without_closing(draft: Draft, text: str) -> str:
    at = 0
    for line in text.splitlines(keepends=True):
        talks = _CLOSING.match(line) or _SENTENCE.match(line)
        if at and talks and _is_prose(draft, line) and not _is_text(draft, text, at + len(line.rstrip()) - 1):
            return text[:at].rstrip("\n")
        at += len(line)
    return text


def _is_prose(draft: Draft, line: str) -> bool:
    """Whether a line is no statement of the language: three words at least, and a syntax error by itself."""
    if len(line.split()) < 3 and not line.strip().endswith((":", "!", ".")):
        return False
    if draft.language is None:
        return _SENTENCE.match(line) is not None
    alone: Tree = tree_of(draft.language, line.strip())
    return alone.root.has_error
