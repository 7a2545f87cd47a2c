"""Remove special tokens and thoughts, which are no part of an answer.

The tokens are those of `server/prompt/special_tokens.toml`. What may be code or markup as well (`<EOT>` the argument of a type,
`[SUFFIX]` an index) is taken for a token unless the document, or the rest of the answer, uses the name, or code goes on behind it. In strings, in comments and
in documents of text a token may be meant: in quotes, in the middle of a sentence, or where the document has other tokens.
"""

from __future__ import annotations

import re

from server.prompt.special_tokens import FILES, SPECIAL, SPELLINGS, TURNS, cut_off, name_in_code
from server.repair.draft import Draft

_THINKS = r"think|thinking|thought|reasoning|seed:think"
_THOUGHT = re.compile(
    rf"\s*(?:<({_THINKS})>.*?(?:</\1>|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z)|\u25c1think\u25b7.*?(?:\u25c1/think\u25b7|\Z)"
    r"|<\|begin_of_thought\|>.*?(?:<\|end_of_thought\|>|\Z)|<\|START_THINKING\|>.*?(?:<\|END_THINKING\|>|\Z)"
    r"|<\|channel>\s*thought\b.*?(?:<channel\|>|\Z))\s*",
    re.DOTALL | re.IGNORECASE,
)
_THOUGHT_END = re.compile(
    rf"(?:</(?:{_THINKS})>|\[/THINK\]|\u25c1/think\u25b7|<\|end_of_thought\|>|<\|END_THINKING\|>)\s*", re.IGNORECASE
)
"""The end of a thought that a chat template began already."""
_CHANNEL = re.compile(
    r"(?:<\|start\|>\w*)?<\|channel\|>\s*(\w*)[^<\n]*(?:<\|constrain\|>[^<\n]*)?(?:<\|message\|>)?", re.IGNORECASE
)
"""The header of a message of gpt-oss (openai/harmony, docs/format.md); only the channel `final` is meant for the user."""
_BARE_CHANNELS = re.compile(r"\s*analysis[A-Z][a-z']* [a-z].*?assistant(?:commentary.*?assistant)?final", re.DOTALL)
"""The same where the server took the special tokens away and left the words: `analysisWe need to add.assistantfinala + b`."""
_BARE_CHANNEL_BEGUN = re.compile(r"\s*analysis[A-Z][a-z']* [a-z]")
_ROLE = re.compile(r"[ \t]*(assistant|model|chatbot|ai|user|system|tool)\b", re.IGNORECASE)
_ANSWERS = frozenset({"assistant", "model", "chatbot", "ai"})
_EXACT = frozenset(SPELLINGS)
_QUOTES = ("'", '"', "`")
_OPENERS = frozenset("([<")
"""What may stand directly before a token that is meant."""
_DECLARED = re.compile(r"\b(?:def|fn|func|function|class|interface|struct|enum|type|record|trait)\s+\w+$")
"""A name that is declared left of the cursor."""
_JSX = frozenset({"javascript", "javascriptreact", "typescriptreact"})
_GENERIC = frozenset({"cpp", "csharp", "java", "rust", "typescript", "typescriptreact"})
"""The languages in which a name may have types as arguments, between `<` and `>`."""
_PLACEHOLDER = re.compile(r"\[[\w.-]{2,64}\](?!\()")
"""A word in brackets, as in the usage of a program: `prog [OPTIONS]`."""


def without_special(draft: Draft, text: str) -> str:
    """The answer up to the first special token; tokens at its very start are only taken away."""
    text = _without_leading(draft, text)
    found = (match for match in SPECIAL.finditer(text) if not _belongs(draft, text, match))
    match = next(found, None)
    if match is not None:
        return text[: match.start()].rstrip(" \t\u2581")
    end = cut_off(text)
    return text if end is None or _may_go_on(draft, text, end) else text[:end].rstrip(" \t\u2581")


def without_thoughts(draft: Draft, text: str) -> str:
    """The answer without what the model thought before it."""
    if not any(mark in text for mark in ("<", "[", "\u25c1", "analysis")):
        return text
    bare = _BARE_CHANNELS.match(text)
    text = _of_channels(draft, text[bare.end() :] if bare else text)
    match = _THOUGHT.match(text)
    end = _THOUGHT_END.search(text) if match is None else None
    if (
        end is not None
        and text[: end.start()][-1:] not in _QUOTES
        and text[end.end() :].strip()
        and _has_no(draft, end[0].strip())
        and _has_no(draft, end[0].strip().replace("/", "", 1).rstrip(">"))
        and not _is_paired(text, end)
    ):
        match = end
    if match is None or not _has_no(draft, text[: match.end()].split(maxsplit=1)[0][:7]):
        return text
    return text[match.end() :]


def begins_a_thought(text: str) -> bool:
    """Whether an answer begins with what may be a thought whose end, without special tokens, is still to come."""
    return _BARE_CHANNEL_BEGUN.match(text) is not None and _BARE_CHANNELS.match(text) is None


def _of_channels(draft: Draft, text: str) -> str:
    """What an answer in channels says in the last of them that is for the user."""
    headers = [*_CHANNEL.finditer(text)] if "<|channel|>" in text.lower() and _has_no(draft, "<|channel|>") else []
    final = next((header for header in headers if header[1].lower() in {"final", "assistant"}), None)
    if final is not None:
        return text[final.end() :]
    return text[: headers[0].start()] if headers else text


def _has_no(draft: Draft, word: str) -> bool:
    return word.lower() not in (draft.before + draft.after).lower()


def _is_paired(text: str, end: re.Match[str]) -> bool:
    """Whether what a closing tag closes was opened in the same text."""
    return end[0].strip().replace("/", "", 1) in text[: end.start()]


def _without_leading(draft: Draft, text: str) -> str:
    """Without the tokens that an answer begins with, and without the role that they give it; nothing if it is that of the user, or if another file begins."""
    while (match := SPECIAL.match(text, len(text) - len(text.lstrip()))) and not _belongs(draft, text, match):
        if match[0].lower() in FILES:
            return ""
        text = text[match.end() :]
        role = _ROLE.match(text) if match[0].lower() in TURNS else None
        if role is not None and role[1].lower() not in _ANSWERS:
            return ""
        text = _without_role(match, text).lstrip("\n")
    return text


def _without_role(match: re.Match[str], text: str) -> str:
    """What stands behind a token, without the role that it announces."""
    role = _ROLE.match(text) if match[0].lower() in TURNS else None
    return text[role.end() :] if role else text


def _belongs(draft: Draft, text: str, match: re.Match[str]) -> bool:
    """Whether what looks like a special token is meant."""
    token, start = match[0], match.start()
    if not _has_no(draft, token):
        return True
    if token in {"<CURSOR>", "[CURSOR]"} and "```" in text[match.end() :]:
        return True  # talk about the task, which goes with what comes before the fence
    if draft.is_document_of_text or draft.is_in_text_at(start, text):
        line = (draft.line_before + text[:start]).rpartition("\n")[2][-400:]
        if _PLACEHOLDER.fullmatch(token) and line[-1:].isspace() and _PLACEHOLDER.search(line):
            return True
    if not text[:start].strip() and not text[match.end() :].strip():
        return False  # an answer that is a token alone is empty
    if draft.is_document_of_text or draft.is_in_text_at(start, text):
        return _is_mentioned(draft, text, match)
    name = name_in_code(token)
    return bool(name) and _is_code(draft, text, match, name or "")


def _is_mentioned(draft: Draft, text: str, match: re.Match[str]) -> bool:
    """Whether a text speaks of a token: in quotes, in the middle of a line, as a tag that is closed, or where the document has others."""
    token, name = match[0], name_in_code(match[0])
    left, rest = (draft.before + text[: match.start()])[-1:], text[match.end() :]
    begins = not text[: match.start()].strip()
    if (not begins and rest[:1] in _QUOTES) or (left in _QUOTES and (rest + draft.after)[:1] == left):
        return True
    if any(
        name_in_code(other[0]) is None or name
        for part in (draft.before, draft.after)
        for other in SPECIAL.finditer(part)
    ):
        return True
    if any(_is_quoted(text, match, quote) for quote in _QUOTES):
        return True
    if token.startswith("</") and not (name or "").isupper():
        return not _has_no(draft, token.replace("/", "", 1)) or f"<{name}" in text[: match.start()]
    if name is None:
        return not begins and left in {" ", "("} and re.match(r"[ \t]*[\w(.,;:)]", rest) is not None
    if _pairs(text, match, name) or (token[0] == "[" and _says(draft.before + draft.after, name)):
        return True
    is_word = name.islower() and name.isalpha() and len(name) > len("eos")
    if begins:
        return token not in _EXACT or is_word
    if not left.isspace() and left not in _OPENERS and not (left == ">" and is_word and rest.strip()):
        return False
    if is_word:
        return True
    line = (draft.line_before + text[: match.start()]).rpartition("\n")[2]
    if token in _EXACT and not line.strip() and not rest.partition("\n")[0].strip():
        return False  # it stands on a line of its own
    return bool(rest.strip()) or (left.isspace() and not (token in _EXACT and token[0] == "<" and name.isupper()))


def _is_quoted(text: str, match: re.Match[str], quote: str) -> bool:
    """Whether the answer opens a quotation left of a token on its line, and closes it right of it."""
    left, right = text[: match.start()].rpartition("\n")[2], text[match.end() :].partition("\n")[0]
    return quote in right and left.count(quote) % 2 == 1


def _pairs(text: str, match: re.Match[str], name: str) -> bool:
    """Whether a tag is opened and closed in the answer, and does not hold all of it."""
    whole = match[0] in _EXACT and name.isupper()
    if match[0].startswith("</"):
        return f"<{name}" in text[: match.start()] and not whole
    return f"</{name}>" in text[match.end() :] and not (whole and not text[: match.start()].strip())


def _is_code(draft: Draft, text: str, match: re.Match[str], name: str) -> bool:
    """Whether a name between brackets is code: it parses, and the document or the rest of the answer uses the name."""
    start, end = match.span()
    if draft.language is not None and draft.language.id in _JSX and _pairs(text, match, name):
        return not draft.errors(text)
    others = f"{draft.before}\n{draft.after}\n{text[:start]}\n{text[end:]}"
    if match[0][0] == "[" and _says(others, name):
        return True
    if not text[:start].strip() and _DECLARED.search(draft.line_before) and not _says(others, name):
        return False  # nobody declares a type parameter without using it
    begins = not text[:start].strip()
    if begins and match[0].lower() in TURNS and _ROLE.match(text[end:]):
        return False
    given, bare = (text, _without_role(match, text[end:]).lstrip("\n")) if begins else (text[:end], text[:start])
    if match[0].startswith("</") or draft.errors(bare) < draft.errors(given):
        return False
    if _goes_on_as_code(draft, text, match, bare):
        return True
    if match[0][0] == "[":  # an answer that goes on with an index may well have more of them
        return draft.before[-1:].isidentifier() and text[0] == "[" and SPECIAL.match(text) is not None
    used = rf"(?:[<,:]|\b(?:class|struct|interface|type|enum|trait))\s*{re.escape(name)}\b"
    return re.search(used, others) is not None


def _goes_on_as_code(draft: Draft, text: str, match: re.Match[str], bare: str) -> bool:
    """Whether code follows on the line, and needs the token or follows a type and its argument; `bare` is the text without the token."""
    start, end = match.span()
    rest = text[end:].partition("\n")[0]
    if not text[:start].strip() and rest.strip() and draft.errors(text) < draft.errors(bare):
        return True
    generic = match[0][0] == "<" and draft.language is not None and draft.language.id in _GENERIC
    named = (draft.line_before + text[:start])[-1:].isidentifier()
    return generic and named and re.search(r"[\w=({]", rest) is not None and draft.errors(text) <= draft.errors(bare)


def _says(text: str, name: str) -> bool:
    """Whether a text has a name as a word."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _may_go_on(draft: Draft, text: str, start: int) -> bool:
    """Whether what looks like the beginning of a special token can be the beginning of something else."""
    begun = text[start:]
    if not _has_no(draft, begun):
        return True
    if draft.is_document_of_text or draft.is_in_text_at(start, text):
        return text[start - 1 : start].isspace() or len(begun) < 4
    if begun.startswith(("<|", "<\uff5c", "<[", "\u25c1")):
        return False
    return (
        re.search(rf"(?<!\w){re.escape(begun.lstrip('</[{'))}", draft.before + draft.after + text[:start]) is not None
    )
