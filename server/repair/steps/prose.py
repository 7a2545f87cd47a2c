"""Remove the text that a chat model writes around its code: fences, phrases, thoughts, special tokens.

What stands in a string or a comment of the splice is text of the program and stays. A phrase goes only if it looks like
prose and does not parse as a statement of the language.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec.structs import replace

from server.repair.draft import Draft, width
from server.repair.steps import brackets
from server.repair.steps.presentation import may_be_presented, presented_bare
from server.repair.steps.special import without_special, without_thoughts
from syntax.languages import Language, language_named, language_of
from syntax.parse import has_error

_PLACEHOLDER = re.compile(
    r"^[ \t]*(?://|#|/\*)[ \t]*(?:(?:\.\.\.|\u2026)[ \t]*(?:\(?(?:the )?(?:rest|existing|remaining|previous|other|same|unchanged)\b[^\n]*)?"
    r"|(?:TODO:? ?)?your? code (?:goes )?here\W*)$",
    re.MULTILINE | re.IGNORECASE,
)
_PATH = re.compile(
    r"[ \t]*(?://|#|/\*|<!--)[ \t]*(?:(?:file(?:name|path)?|path):?[ \t]*)?([\w./\\-]+\.\w{1,5})[ \t]*(?:\*/|-->)?[ \t]*(?:\n|\Z)",
    re.IGNORECASE,
)
_WRAPPED = re.compile(r"\s*(?:`([^`\n]+)`|```(?:[a-z+#]{1,12}[ \t]+)?([^`\n]+)```)\s*")
_GLUED = re.compile(r"(?<=[^\s`])`{3}[ \t]*(?:\n.*)?\Z", re.DOTALL)
_FENCE = re.compile(
    r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?P<tag>[\w+#./\\-]*)"  # python, c++, src/a.js
    r"(?::[^\s`]+)?(?:[ \t]*\{[ \t]*\.?(?P<in_braces>[\w+#-]*)[^`\n}]*\})?"  # python:src/a.py, {.python}, js {1,3}
    r"(?:[ \t]+[\w-]+=(?:\"[^\"`\n]*\"|'[^'`\n]*'|[^\s`\"']+))*[ \t]*$",  # js title="a.js"
    re.MULTILINE,
)
_WRAPPER = re.compile(
    r"\s*<(solution|answer|completion|SOLUTION|ANSWER|COMPLETION)>[ \t]*\n?(.*?)(?:\s*</\1>\s*|\Z)", re.DOTALL
)
_LIST_ITEM = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]?)+")
"""What a line of Markdown begins with in a list or a quotation."""
_MARKED = re.compile(r"[ \t]*(?:\*\*[A-Z][^*\n]*\*\*|#{1,6} [A-Z])")
"""A line that Markdown makes bold or a heading of."""
_WIDE_END = re.compile(r"[\uff1a\u3002\uff01]\s*$")
"""The colon, full stop or exclamation mark of a Chinese or Japanese sentence: to a grammar they can be letters."""
_HEADING = re.compile(r"[ \t]*(?:#+ |\*\*)?[A-Z][^{}\[\];=<>\"]*[:.!](?:\*\*)?[ \t]*$")
_FENCE_BEGUN = re.compile(r"(?:\A|\n)[ \t]*(?:`+|~{2,})[^`\n]*\Z")
_WORD_BEGUN = re.compile(r"\n[^\S\n]*(?:\w+[^\w\n]|[^\w\s])\Z")
_WORDS = re.compile(r"[^\W_]+[.)]?(?:[,:]? [^\W_][\w'\u2019-]*){3,}[.:!?,]?$")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1dff\u1f00-\u1fff\u2e80-\ud7ff\uf900-\ufdff]")
_PHRASE = re.compile(r"[A-Z][a-z'\u2019]*(?: [A-Za-z][\w'\u2019-]*){4,}[:.!]")
"""Words alone, which Ruby takes for calls without parentheses."""
_QUOTES = frozenset("'\"`")
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
_SENTENCE = re.compile(
    r"^[ \t]*(?:(?:\d+[.)]|[-*])[ \t]+)?[A-Z][a-z']*,?(?: [\w'\u2019\"\u201c\u201d`(),/-]+){3,}[.:!?]\s*$"
)


_FAMILIES = dict.fromkeys(("javascript", "javascriptreact", "typescript", "typescriptreact"), "javascript")


def repair(draft: Draft) -> str:
    """The code in the answer."""
    text = without_leaks(draft)
    if draft.is_document_of_text:
        return text if _may_begin_fence(draft, text) else _from_fences(draft, text)
    draft = replace(draft, text=text)
    presented = may_be_presented(draft)
    if not (presented or may_talk(text)) or draft.is_in_text:
        return text
    text = presented_bare(draft) if presented else text
    if not may_talk(text):
        return text
    code = _from_fences(draft, _unwrapped(draft, text))
    bare = _without_closing(draft, _without_opening(draft, code))
    bare = bare if code == text else _no_worse(draft, bare)
    return _without_placeholders(draft, _without_path(draft, bare))


def without_leaks(draft: Draft) -> str:
    """The answer without thoughts, the tag around all of it and special tokens, which are never code: even where what is left parses worse."""
    return without_special(draft, _without_wrapper(draft, without_thoughts(draft, draft.text)))


def may_talk(text: str) -> bool:
    """Whether anything in an answer looks like talk around code. It is decided by the answer alone, without its document."""
    first = text.lstrip().partition("\n")[0]
    if not first or "`" in text or "~~~" in text or _OPENING.match(first) or _SENTENCE.match(first):
        return True
    if any(_may_close(line) for line in text.splitlines(keepends=True)[1:]):
        return True
    return _PLACEHOLDER.search(text) is not None or _PATH.match(text) is not None


def _may_begin_fence(draft: Draft, text: str) -> bool:
    """Whether Markdown takes what the answer begins with for what it is: a fence only less than four columns in, or in a list (CommonMark 0.31, 4.5)."""
    if not text.lstrip(" \t").startswith("```") or draft.before.endswith("`"):
        return True
    line = draft.line_before
    if line.strip():
        return _LIST_ITEM.fullmatch(line) is not None
    return width(line) < 4 or any(_LIST_ITEM.match(above) for above in draft.before.split("\n"))


def _without_wrapper(draft: Draft, text: str) -> str:
    """Without the tag that a whole answer stands in, which an answer that breaks off has not closed."""
    match = _WRAPPER.fullmatch(text)
    if match is None or f"<{match[1]}" in draft.before + draft.after:
        return text
    if match[1].islower() and (draft.before[-1:].isidentifier() or draft.is_in_text):
        return text  # the argument of a type, or a tag
    return match[2]


def _unwrapped(draft: Draft, text: str) -> str:
    """Without back-ticks around a single line, or glued to the end of the code, where the language has none there."""
    if "`" not in text:
        return text
    foreign = (
        draft.language is None or draft.language.layout or draft.errors(text) > 0
    )  # Python's grammar still has Python 2's back-ticks
    match = _WRAPPED.fullmatch(text)
    if match is not None and foreign:
        return match[1] or match[2]
    glued = _GLUED.search(text)
    if glued is not None and foreign and "```" not in text[: glued.start()]:
        return text[: glued.start()]
    return text


def _without_path(draft: Draft, text: str) -> str:
    """Without a first line that only names a file, but at the top of one."""
    match = _PATH.match(text)
    if match is None or draft.language is None or not draft.before.strip() or draft.line_before.strip():
        return text
    rest = text[match.end() :]
    return rest.removeprefix(draft.line_before) if language_of(match[1]) is not None and rest.strip() else text


def _without_placeholders(draft: Draft, text: str) -> str:
    """Without a comment that stands for code which was left out."""
    match = _PLACEHOLDER.search(text)
    if match is None or draft.line_after.strip() or match[0].strip() in draft.before + draft.after:
        return text
    if draft.is_in_text_at(match.start() + len(match[0]) - len(match[0].lstrip()), text):
        return text
    head, rest = text[: match.start()], text[match.end() + 1 :]
    if not rest.strip():
        return head.rstrip()
    return head + rest if head.strip() else rest.removeprefix(draft.line_before)


def _no_worse(draft: Draft, code: str) -> str:
    """What stood in fences, closed if the splice parses worse for it; nothing if it does so even then.

    A pair of fences with code between them can parse as template literals, so code that breaks off can have more errors.
    """
    raw = brackets.errors_when_closed(draft, draft.text)
    if not code.strip() or brackets.errors_when_closed(draft, code) <= raw:
        return code
    closed = brackets.repair(replace(draft, text=code))
    return closed if brackets.errors_when_closed(draft, closed) <= raw else ""


def _from_fences(draft: Draft, text: str) -> str:
    """What stands between a fence and the next; up to the first, where code stands before it."""
    fences = _fences(draft, text)
    if not fences:
        return text
    head, body = text[: fences[0].start()], _behind(text, fences, _wanted(draft, fences))
    if head.strip() and _is_code(draft, head, body, fences[0]):
        return head.rstrip("\n")
    return body


def _behind(text: str, fences: list[re.Match[str]], index: int) -> str:
    """What stands between a fence and the next one, or the end."""
    start = fences[index].end() + 1
    end = fences[index + 1].start() - 1 if index + 1 < len(fences) else len(text)
    return text[start : max(end, start)]


def _wanted(draft: Draft, fences: list[re.Match[str]]) -> int:
    """The index of the fence to take: the first, unless its tag names another language and that of a later one the document's."""
    spoken = [_spoken(fence) for fence in fences]
    own = "" if draft.language is None else _FAMILIES.get(draft.language.id, draft.language.id)
    return spoken.index(own) if own and spoken[0] and own in spoken else 0


def _spoken(fence: re.Match[str]) -> str:
    """The language that a fence's tag names, those of a family as one; any other tag as it stands."""
    tag = (fence["tag"] or fence["in_braces"] or "").lower()
    found = language_named(tag) or language_of(tag)
    return tag if found is None else _FAMILIES.get(found.id, found.id)


def _is_code(draft: Draft, head: str, body: str, fence: re.Match[str]) -> bool:
    """Whether what stands before a fence is code: then its splice parses no worse than with what stands behind the fence.

    A text of comments only, or a repetition of the line above, must parse better; before a tag, which closes nothing, they are talk.
    """
    opens = bool(_spoken(fence))
    if _is_all_prose(draft, head) or (draft.language is None and opens):
        return False
    if draft.language is None or _is_all_prose(draft, body):
        return not opens
    if opens and head.strip().isidentifier():
        return False
    errors = draft.errors(head)
    if _says_nothing(draft, head):
        return not opens and errors < draft.errors(body)
    return not errors or _errors_closed(draft, head) <= _errors_closed(draft, body)


def _says_nothing(draft: Draft, head: str) -> bool:
    """Whether a text is comments alone, or says the end of what stands above again, or is a sentence of wide letters."""
    assert draft.language is not None
    mark = draft.language.line_comment
    lines = [line.strip() for line in head.splitlines() if line.strip()]
    if all(line.startswith(mark) or _WIDE_END.search(line) for line in lines):
        return True
    return draft.before.rstrip().endswith(head.strip())


def _errors_closed(draft: Draft, code: str) -> int:
    """The errors of a splice whose code may break off, as it is or once that is closed."""
    return min(draft.errors(code), draft.errors(brackets.repair(replace(draft, text=code))))


def _fences(draft: Draft, text: str) -> list[re.Match[str]]:
    """The fences that are no text of the program; judged without any of them, as back-ticks begin and end strings."""
    blank = _FENCE.sub(lambda match: " " * len(match[0]), text)
    return [match for match in _FENCE.finditer(text) if not draft.is_in_text_at(match.start(), blank)]


def _is_all_prose(draft: Draft, text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return all(
        _OPENING.match(line) or _SENTENCE.match(line) or (_HEADING.match(line) and _is_prose(draft, line))
        for line in lines
    )


def _without_opening(draft: Draft, text: str) -> str:
    """Without the phrases and sentences that come before the first line of code.

    Each of them stands at the cursor once those before it are gone, so the tree is asked of the first alone.
    """
    rest = text
    while rest.strip():
        start = len(rest) - len(rest.lstrip())
        line = rest[start:].partition("\n")[0]
        if not _opens(draft, line):
            break
        if rest is text and draft.is_in_text_at(start + 1, text):
            return text
        rest = rest[start + len(line) + 1 :].lstrip("\n")
    return rest if rest.strip() or rest is text else ""


def _opens(draft: Draft, line: str) -> bool:
    return bool(_OPENING.match(line) or _SENTENCE.match(line)) and _is_prose(draft, line)


def is_at_fence(text: str) -> bool:
    """Whether an answer ends within a line that may become a fence, which could make talk of all before it."""
    return _FENCE_BEGUN.search(text) is not None


def is_all_talk(draft: Draft) -> bool:
    """Whether an answer holds no code so far. Its lines are checked one by one, and the document without it is parsed once.

    The first word of a further line is not checked: it may begin code or a sentence.
    """
    lines = [line for line in _WORD_BEGUN.sub("", draft.text).splitlines() if line.strip()]
    if not lines or draft.language is None or not all(_is_prose_line(draft, line.strip()) for line in lines):
        return False
    return not draft.is_in_text


def talk_end(draft: Draft) -> int:
    """The length (characters) of the lines that an answer begins with and that are talk, whatever their language.

    At no place within them `is_all_talk` would say otherwise, so they need not be looked at, nor count as looks.
    """
    end, has_words = 0, False
    for line in draft.text.split("\n")[:-1] if draft.language is not None else ():
        if ";" in line or (line.strip() and not _is_prose_line(draft, line.strip())):
            break
        end, has_words = end + len(line) + 1, has_words or bool(line.strip())
    return end if has_words and not draft.is_in_text else 0


def _is_prose_line(draft: Draft, line: str) -> bool:
    """Whether a line is a sentence, or words of any language that are no statement by themselves; neither a comment nor a string."""
    if _WIDE_END.search(line) is not None and _is_bare(line):
        return True
    return _opens(draft, line) or (_is_worded(line) and draft.language is not None and _fails(draft.language, line))


def _is_worded(line: str) -> bool:
    """Whether a line is four words, or has letters of another script than the Latin."""
    return _is_bare(line) and (_WORDS.match(line) is not None or _OTHER_SCRIPT.search(line) is not None)


def _is_bare(line: str) -> bool:
    return line[:1].isalnum() and _QUOTES.isdisjoint(line)


def _without_closing(draft: Draft, text: str) -> str:
    at = 0
    for line in text.splitlines(keepends=True):
        talks = at and _may_close(line) and (_is_prose(draft, line) or _is_marked(draft, line))
        if talks and not draft.is_in_text_at(at + len(line.rstrip()) - 1, text):
            return text[:at].rstrip("\n")
        at += len(line)
    return text


def _may_close(line: str) -> bool:
    return bool(_CLOSING.match(line) or _SENTENCE.match(line) or _MARKED.match(line))


def _is_marked(draft: Draft, line: str) -> bool:
    """Whether a line is Markdown's, where no comment and no statement of the language begins so."""
    if draft.language is None or not _MARKED.match(line):
        return False
    return _fails(draft.language, line.strip())


def _is_prose(draft: Draft, line: str) -> bool:
    """Whether a line is no statement of the language: three words at least, and a syntax error by itself."""
    if len(line.split()) < 3 and not line.strip().endswith((":", "!", ".")):
        return False
    if draft.language is None:
        return _SENTENCE.match(line) is not None
    if _PHRASE.fullmatch(line.strip()):
        return True
    return _fails(draft.language, line.strip())


@lru_cache(maxsize=1024)
def _fails(language: Language, line: str) -> bool:
    """Whether a line by itself does not parse."""
    return has_error(language, line)
