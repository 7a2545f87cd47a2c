"""Take out code that is said again: what stands above the cursor, below it or behind it (`overlap.py`), and loops (`loops.py`).

Code repeats itself for good reasons too, so each rule asks for evidence: several lines, lines of some length, or a
declaration that would stand there twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import Levenshtein

from server.repair.draft import Draft
from server.repair.steps.cursor_line import without_begun
from server.repair.steps.loops import says_twice_in_a_row, without_loops
from server.repair.steps.overlap import without_rest

_NEAR = 0.9
_NEAR_LENGTH = 16
_MUCH = 24
_LONG = 12
_BEGUN_LINE = 8
"""How long the beginning of a line is at least by which it is known again further below in the answer."""
_FAR = 40
"""How many lines above the cursor are looked at."""
_MAX_BLOCK = 8
_NEXT = 8000
"""How many characters right of the cursor are looked at for lines that the suggestion may say."""
_NAME = re.compile(r"\w+")
_DECLARES = re.compile(
    r"(?:async\s+)?(?:def|class|function|import|from|return|raise|throw|break|continue|const|let|var|public|private|"
    r"protected|export|interface|enum|struct|fn|pub|use|mod|impl|func|type|require|require_relative|module|namespace|"
    r"template|static|#include|using|package|@\w+)\b.*|[}\]) ]*(?:else|elif|except|finally|catch)\b.*"
)
_MODIFIERS = frozenset(
    (
        "public",
        "private",
        "protected",
        "internal",
        "static",
        "final",
        "virtual",
        "override",
        "abstract",
        "sealed",
        "readonly",
    )
)
"""Words before a declaration that no language wants twice in a row, though its grammar may parse them."""
_ASSIGNS = re.compile(r"[\w\])] *=(?![=>])")
_HEADER = re.compile(r".*[:{]\s*$")
_BEGINS = re.compile(
    r"(?:if|elif|elsif|unless|while|until|for|foreach|switch|match|case|when|with|assert|del|raise|throw|echo|puts)\b"
)
"""The words that begin a statement, and that no expression has."""
_COMPLETE = re.compile(r"[\w\])\"'`]$")
"""The end of what is complete, so that it cannot begin again directly behind itself."""
_ASSIGNED = re.compile(r"[\w.\[\]]+(?: *:[^=]*)? +=(?: |$)")
_MARKER = re.compile(r"(?:[-#*>+;%]+|//|\.\.|\d+[.)])[^\w\s]*\s+\S")
"""What a line of a text begins with and never has in its middle: the mark of a comment, a quotation or an item."""


def repair(draft: Draft) -> str:
    """The suggestion without what was said before."""
    text = _without_restart(draft, draft.text)
    text = without_begun(draft, text)
    text = _without_echo(draft, text)
    text = _without_what_follows(draft, text)
    text = without_rest(draft, text)
    return without_loops(draft, text)


# Above the cursor.


def _without_restart(draft: Draft, text: str) -> str:
    """Without the line of the cursor, and the lines above it, where the suggestion begins by saying them again."""
    words, above = text.split(), draft.before.rsplit("\n", _FAR)
    whole = [draft.before] if len(above) > _FAR and _begins_like(draft.before, words) else []
    for said in [*whole, *_tails(draft, above, words)]:
        rest = _after(text, words, said.split())
        rest = None if rest is None or _ends_within_name(said, rest) else _joined(draft, rest)
        if rest is not None and _is_restart(draft, said, text, rest):
            return rest
    return _restarted_below(draft, text)


def _tails(draft: Draft, above: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """The last lines above the cursor, the most of them first, that begin with the first of the words."""
    start = 0 if len(above) <= _FAR else 1
    for at in range(start, len(above) if words else 0):
        begun = above[at].lstrip()
        if begun[:1] == words[0][0] and words[0].startswith(begun.split(maxsplit=1)[0]):
            yield "\n".join(above[at:])


def _begins_like(before: str, words: Sequence[str]) -> bool:
    """Whether a text begins with the first words of the document."""
    return bool(words) and before.split(maxsplit=8)[:8] == list(words[:8])


def _after(text: str, words: Sequence[str], said: Sequence[str]) -> str | None:
    """What follows in `text`, which is made of `words`, behind the words `said`; None when it does not begin with them."""
    size = len(said)
    if not said or words[: size - 1] != said[:-1] or len(words) < size or not words[size - 1].startswith(said[-1]):
        return None
    match = re.match(r"\s*" + r"\s+".join(re.escape(word) for word in said), text)
    return None if match is None else text[match.end() :]


def _ends_within_name(said: str, rest: str) -> bool:
    """Whether what was said again ends within a name, though a blank stands behind it: `static_assert` behind `static `."""
    return re.search(r"[\w$]\s+$", said) is not None and re.match(r"[\w$]", rest) is not None


def _restarted_below(draft: Draft, text: str) -> str:
    """What follows the cursor's line where the answer writes the file anew: `#include <iostream>`, then `int main() {` behind `int main(`."""
    line = draft.line_before
    at = text.find(f"\n{line}") if len(line.strip()) >= _BEGUN_LINE else -1
    rest = text[at + 1 + len(line) :]
    anew = at >= 0 and _DECLARES.fullmatch(text.lstrip().partition("\n")[0].rstrip()) is not None
    return rest if anew and rest.strip() and draft.errors(rest) < draft.errors(text) else text


def _joined(draft: Draft, rest: str) -> str:
    """What follows a repetition, so that it fits on to the cursor's line."""
    if not draft.line_before.strip():
        return rest.removeprefix("\n").removeprefix(draft.line_before) if rest.startswith("\n") else rest.lstrip(" ")
    return rest.lstrip(" ") if draft.line_before.endswith(" ") else rest


def _is_restart(draft: Draft, said: str, text: str, rest: str) -> bool:
    bare, size = said.strip(), said.count("\n") + 1
    if size > 1:
        first = said.split("\n", maxsplit=1)[0]
        sure = _HEADER.match(first) is not None or size > 4 or len(bare) > 80
        return len(bare) >= _LONG and (sure or draft.errors(rest) < draft.errors(text))
    errors, raw = draft.errors(rest), draft.errors(text)
    sure = _is_sure(draft, bare) and not (_begins_comment(draft, bare) and rest[:1] == bare[-1:])  # a rule of signs
    return bool(rest.strip()) and (errors < raw or (errors == raw and sure))


def _is_sure(draft: Draft, line: str) -> bool:
    """Whether what the cursor's line begins cannot stand on it twice."""
    if draft.is_document_of_text:
        return _is_sure_text(draft, line)
    if _begins_comment(draft, line):
        return _is_sure_comment(draft, line)
    return _is_sure_code(line, glued=draft.line_before[-1:] == line[-1:])


def _is_sure_code(line: str, *, glued: bool) -> bool:
    """Whether what a line begins cannot stand on it twice: an assignment, the words of a declaration or a header, or a lone modifier.

    `glued`: no white space is between the two; then neither can what ends with a word, a bracket or a quote. Nor can a long line.
    """
    if len(line.split()) > 1:
        begins = _DECLARES.fullmatch(line) or _BEGINS.match(line) or _ASSIGNED.match(line)
        much = len(line) >= _MUCH and len(line.split()) > 3
        return begins is not None or line.endswith(" =") or much or (glued and _COMPLETE.search(line) is not None)
    return line in _MODIFIERS


def _is_sure_text(draft: Draft, line: str) -> bool:
    """Whether a line of a text without a grammar says too much to begin twice: two words, and neither a row of a table nor what the text says twice elsewhere."""
    said = " ".join(line.split())
    twice = any(f"{said} {said}" in " ".join(part.split()) for part in (draft.before, draft.after))
    words = [word for word in _NAME.findall(line) if not word.isdigit()]
    if line.startswith("|"):
        return sum(len(word) > 2 for word in words) > 2 and not twice
    return (len(words) > 1 or (bool(words) and _MARKER.match(line) is not None)) and not twice


def _begins_comment(draft: Draft, line: str) -> bool:
    """Whether the cursor stands in a comment that begins with its line, or in a line of one that has stars."""
    mark = draft.language.line_comment if draft.language else ""
    return bool(mark) and (line.startswith(mark) or (line.startswith("*") and draft.is_in_open_text))


def _is_sure_comment(draft: Draft, line: str) -> bool:
    """Whether a comment cannot begin twice on its line: not where the document has such a comment, nor behind a lone star below another line, which may begin an item."""
    words = line.split()
    if len(words) == 1 and words[0].startswith("*"):
        return draft.before.rstrip(" \t*").endswith("\n") and draft.before.rstrip(" \t*\n").endswith("/")
    return f"{words[0]} {words[0]}" not in draft.before + draft.after


def _without_echo(draft: Draft, text: str) -> str:
    """Without a first line that declares again what the line above the cursor declared."""
    if draft.line_before.strip():
        return text
    lines, above = text.split("\n"), draft.before.rstrip()
    last = above[above.rfind("\n") + 1 :].strip()
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if not last or first is None or lines[first].strip() != last or not _DECLARES.fullmatch(last):
        return text
    rest = "\n".join(lines[first + 1 :])
    return rest if not rest.strip() else rest.removeprefix(draft.line_before)


# Below the cursor.


def _without_what_follows(draft: Draft, text: str) -> str:
    """Up to where the suggestion begins to say the code below: exact from one long line on, near from two.

    Nothing is left of a suggestion that is the very rest of the cursor's line, or in a word the beginning of that rest.
    """
    bare = text.strip()
    borders = not re.fullmatch(r"[\w$]{2}", draft.line_before[-1:] + bare[:1])
    if not borders and len(bare) > 1 and draft.after.startswith(bare):
        return ""
    if bare == draft.line_after.strip() and borders and _NAME.search(bare) and draft.line_before.strip():
        return ""
    below = _below(draft)
    lines = _placed(draft, text)
    if not below:
        return text
    rows = [at for at, line in enumerate(lines) if line.strip()]
    answer_lines = [lines[at].rstrip() for at in rows]
    for number, at in enumerate(rows):
        end = number + len(below)
        said = (
            _said(answer_lines[number:end], below, ends=end >= len(answer_lines))
            if at or text.split("\n", 1)[0].strip()
            else 0
        )
        if said and _is_evident(draft, lines, at, said):
            return _up_to_line(draft, text, at)
    return text


def _below(draft: Draft) -> list[str]:
    first, *rest = draft.after[:_NEXT].split("\n")
    if first.strip():
        rest = [] if draft.line_before.strip() else [draft.line_before + first, *rest]
    return list(islice((line.rstrip() for line in rest if line.strip()), _MAX_BLOCK * 2))


def _placed(draft: Draft, text: str) -> list[str]:
    """The suggestion's lines as they would stand in the document."""
    first, *rest = text.split("\n")
    return [draft.line_before + first, *rest]


def _said(lines: Sequence[str], below: Sequence[str], *, ends: bool) -> int:
    """How many of the lines say the lines below from their first one on; the last may break off where the suggestion `ends`."""
    count = 0
    for mine, theirs in zip(lines, below, strict=False):
        last = ends and count == len(lines) - 1
        if not (_is_near(mine, theirs) or (last and count and theirs.startswith(mine))):
            break
        count += 1
    return count


def _is_near(mine: str, theirs: str) -> bool:
    if mine == theirs:
        return True
    if min(len(mine.strip()), len(theirs.strip())) < _NEAR_LENGTH:
        return False
    same_place = len(mine) - len(mine.lstrip()) == len(theirs) - len(theirs.lstrip())
    return same_place and _NAME.findall(mine) == _NAME.findall(theirs) and Levenshtein.ratio(mine, theirs) >= _NEAR


def _is_evident(draft: Draft, lines: Sequence[str], at: int, said: int) -> bool:
    """Whether so many lines said again are no chance: two of which one is the very same, or one long one at the end."""
    below = _below(draft)
    added = [line.rstrip() for line in lines[at:] if line.strip()]
    exact = [mine for mine, theirs in zip(added[:said], below, strict=False) if mine == theirs]
    if not at and said == len(added) == len(exact) == 1 and _DECLARES.fullmatch(added[0].strip()):
        return len(added[0].strip()) >= _BEGUN_LINE and not _stands_twice(draft, below[0])
    if not any(len(line.strip()) >= _LONG for line in exact):
        return False
    ends = said == len(added) or said == len(below)
    if said >= 2:
        return ends or said >= 3
    if not at and draft.line_after.strip() and not draft.errors():
        return False
    if not at and not (_DECLARES.fullmatch(added[0].strip()) or _ASSIGNS.search(added[0])):
        return False  # a call may well be made twice
    repeats_above = bool(lines[:at]) and added[0] == next(
        (line.rstrip() for line in reversed(lines[:at]) if line.strip()), ""
    )
    return ends and not repeats_above and not _stands_twice(draft, below[0])


def _stands_twice(draft: Draft, line: str) -> bool:
    """Whether the document says the line several times over, or says any long line twice in a row: then it may again."""
    return (draft.before + draft.after).count(line.strip()) > 1 or says_twice_in_a_row(draft)


def _up_to_line(draft: Draft, text: str, at: int) -> str:
    """The lines before one of them; on a line of their own, where the cursor stands before code."""
    kept = "\n".join(text.split("\n")[:at]).rstrip() if at else ""
    return (
        f"{kept}\n{draft.line_before if draft.line_after[:1].strip() else ''}"
        if kept and draft.line_after.strip()
        else kept
    )
