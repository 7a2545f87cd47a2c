"""What follows the cursor, and is said again at the end of an answer.

It is taken away, up to white space: the rest of the cursor's line, the end of a string or comment that closes on a later line, closing tags. Where the
answer goes on behind the rest of the line, it takes the place of that (`covered`). Brackets alone are the business of `brackets`, and
closers on the cursor's line that of `covered`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice

from msgspec.structs import replace

from server.repair.draft import TAGGED, Draft
from syntax.tokens import tokens

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\"\"\"|'''|\w+|[^\w\s]")
_WITHIN_WORD = re.compile(r"\w\w")
_BRACKETS = frozenset("()[]{}")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_CLOSERS = re.compile(r"([)\]}>\"'`;:,]{1,64})[ \t]*(?=\n|$)")
_BEGINS_CLOSED = frozenset(")]}>\"'`")
_TERMINATED = re.compile(r"[)\]}>\"'`]*[;,]$")
_TEXT_END = re.compile(r"\s*(\"\"\"|'''|\"#+|`|\*+/|\)\w{0,16}\"|[A-Z][A-Z_]+\b|[\"'])")
"""The end of a string, a comment or a heredoc."""
_TAG = re.compile(r"<(/?)(\w[\w.-]{0,63})(?![\w.-])[^<>]*?(/?)>")
_VOID = frozenset(("br", "hr", "img", "input", "link", "meta", "source", "wbr"))
"""Elements of HTML that have no closing tag."""
_BRACKET = re.compile(r"[()\[\]{}]")
_STOP = re.compile(r"[.!?]$")
_CLOSER_LINE = re.compile(r"\s*\n\s*[)\]}]+[;,]?")
_ENDS = re.compile(r"[^\W\d_]+[)\]}>\"'`;:,.*]{0,4}$|[;,{]$|\*/$|-->$|[^\w\s|]{2,}$")
"""What hardly anyone writes twice in a row at the end of a line: a word, what ends a statement or a comment."""
_ESCAPED = re.compile(r"\\.")
_TRIED = 4
_FAR = 400
"""How many characters on each side of the cursor are compared."""
_AROUND = 16_000
"""How many characters on each side of the cursor show whether a closer is surplus."""


def without_rest(draft: Draft, text: str) -> str:
    """The text up to where it ends by saying what follows the cursor; of a single line that is wanted, its first line.

    What is left has to parse better. No worse is enough where all of the rest of the line is said and nothing is broken, if it has two words or more, not numbers
    alone, or ends a statement: `a, b` before `, b`, and rows of a table, may well be meant. What stands on a line of its own goes only if the answer did not
    parse: lines may well be alike.
    """
    text = _up_to_text_end(draft, text)
    for head in _heads(draft, text):
        for kept, size in _overlaps(draft, head):
            if _is_said_again(draft, text, head, kept, draft.after[:size]):
                return kept
    return text


def _heads(draft: Draft, text: str) -> Iterator[str]:
    """The beginnings of a text that may end with what follows: its first line where no more is wanted, and all of it."""
    start = len(text) - len(text.lstrip("\n"))
    end = text.find("\n", start)
    if end > 0 and _wants_line(draft):
        yield text[:end].rstrip()
    yield text.rstrip()


def _wants_line(draft: Draft) -> bool:
    return draft.stop != "any" and draft.wanted == "line"


def _overlaps(draft: Draft, head: str) -> Iterator[tuple[str, int]]:
    """The beginnings of a text behind which it says what follows the cursor, and how many characters of that; the most first.

    White space counts for nothing. Neither end lies within a word, or between two signs that are alike.
    """
    after, near = draft.after[:_FAR], max(0, len(head) - _FAR)
    said, follows = "".join(head[near:].split()), "".join(after.split())
    if not said or said[-1] not in follows:
        return
    sizes = [size for size in range(min(len(said), len(follows)), 0, -1) if said.endswith(follows[:size])]
    mine = [at for at in range(near, len(head)) if not head[at].isspace()] if sizes else []
    theirs = [at for at, char in enumerate(after) if not char.isspace()] if sizes else []
    yield from islice(_at_borders(draft, head, ((mine[-size], theirs[size - 1] + 1) for size in sizes)), _TRIED)


def _at_borders(draft: Draft, head: str, places: Iterable[tuple[int, int]]) -> Iterator[tuple[str, int]]:
    """The text up to each start, and each end in what follows the cursor, where both are borders and this step may act."""
    after = draft.after
    for start, end in places:
        left = draft.before[-1:] + head[:start]
        if _splits(left[-1:], head[start]) or _splits(after[end - 1], after[end : end + 1]):
            continue
        if _may_go(draft, after[:end]):
            kept, bare = head[:start], head[:start].rstrip()
            yield bare if after[0].isspace() or "\n" not in kept[len(bare) :] else kept, end


def _splits(left: str, right: str) -> bool:
    """Whether there is no border between two characters."""
    return bool(_WITHIN_WORD.match(left + right)) or (left == right and left not in _BRACKETS and not left.isalnum())


def _may_go(draft: Draft, said: str) -> bool:
    """Whether it is for this step to take something away: neither closing brackets alone, nor closers on the cursor's line."""
    if draft.language is None:
        return True
    on_the_line = "\n" not in said and _CLOSERS.match(draft.after) is not None
    return not (on_the_line or _CLOSING.issuperset("".join(said.split())))


def _is_said_again(draft: Draft, text: str, head: str, kept: str, said: str) -> bool:
    mark = draft.language.line_comment if draft.language else "\n"
    whole = said.strip() in {draft.line_after.strip(), draft.line_after.partition(mark)[0].strip()}
    if draft.language is None:
        more = _unpaired(draft, head) - _unpaired(draft, kept) if _closes(said) else 0
        surplus = more > 0 and (_CLOSER_LINE.fullmatch(said) or _balance(head) != _balance(kept) == (0, 0, 0))
        much = (
            more > 0 or _says_much(said) or _STOP.search(said) or (_ENDS.search(said) and not _says_twice(draft, said))
        )
        return bool(surplus or (more >= 0 and whole and kept and much))
    errors, raw = draft.errors(kept), draft.errors(text)
    if errors >= raw and (errors > raw or _begins_line(draft, kept)):
        return False
    spoken = draft.errors(head)
    return errors < spoken or (
        not spoken and whole and (_says_much(said) or _TERMINATED.match(said.strip()) is not None)
    )


def _says_twice(draft: Draft, said: str) -> bool:
    """Whether the document says this twice in a row elsewhere."""
    word = re.escape(said.strip())
    pattern = re.compile(rf"(?<!\w){word}\s*{word}(?!\w)")
    return any(pattern.search(part) for part in (draft.before[-_AROUND:], draft.after[:_AROUND]))


def _closes(said: str) -> bool:
    return any(char in said for char in ")]}\"'`") or "</" in said


def _unpaired(draft: Draft, text: str) -> int:
    """How many brackets, tags and quotes around a text in place of the suggestion have no partner, told without a grammar."""
    spliced = draft.before[-_AROUND:] + text + draft.after[:_AROUND]
    brackets = [1 if char in _OPENING else -1 for char in _BRACKET.findall(spliced)]
    found = _TAG.findall(spliced)
    tags = [-1 if closes else 1 for closes, name, empty in found if not empty and name.lower() not in _VOID]
    quotes = sum(spliced.count(quote) % 2 for quote in '"`')
    return quotes + sum(sum(steps) - 2 * min(accumulate(steps, initial=0)) for steps in (brackets, tags))


def _balance(text: str) -> tuple[int, int, int]:
    """How many brackets and tags are open behind a text, and how many quotes have no other."""
    tags = sum((not closes and not empty) - bool(closes) for closes, _, empty in _TAG.findall(text))
    brackets = sum((char in _OPENING) - (char in _CLOSING) for char in text)
    return brackets, tags, sum(count % 2 for char, count in Counter(text).items() if char in '"`')


def _says_much(rest: str) -> bool:
    words = _WORD.findall(rest)
    return len(words) > 1 and not all(word[0].isdigit() for word in words)


def _begins_line(draft: Draft, kept: str) -> bool:
    """Whether what comes behind a beginning of the suggestion stands on a line of its own."""
    return not (draft.line_before + kept).rpartition("\n")[2].strip()


# Strings and comments.


def _up_to_text_end(draft: Draft, text: str) -> str:
    """The text up to the end of the string or comment that is open at the cursor and that a line below ends.

    A grammar need not notice: behind a heredoc, its last word is a name.
    """
    ends = _TEXT_END.match(draft.after) if draft.language is not None else None
    if ends is None or "\n" not in ends[0]:
        return text
    for match in re.finditer(re.escape(ends[1]), text):
        kept = text[: match.start()].rstrip()
        if _closes_text(draft, text, match.end()) and _closes_text(draft, kept, len(kept) + ends.end()):
            more = text[match.end() :].strip()
            surely = not more or draft.after[ends.end() :].lstrip().startswith(more)
            return kept if draft.errors(kept) < draft.errors(text) + surely else text
    return text


def _closes_text(draft: Draft, text: str, end: int) -> bool:
    """Whether the string or comment in which the cursor stands ends at an index behind the cursor, with a text in place of the suggestion."""
    tree, at = draft.tree(text), len(draft.before)
    found = tokens(tree, at - 1, at)
    return bool(found) and found[0].opaque and found[0].start < at and 0 <= found[0].end - (at + end) <= 1


# The suggestion takes the place of what stands right of the cursor.


def covered(draft: Draft) -> int:
    """How many characters right of the cursor the answer takes the place of, as it says them itself.

    These are closers at the end of the line, as editors insert them: of those the answer has, as many as leave the fewest errors; of equals the fewest, but
    a `;` or `,` that the answer ends with too is said once. Where other text than closers stands there, it is what begins with a closer and ends with the tag that ends the answer,
    or the whole rest of the line where the answer's first line ends with it and more lines follow.
    """
    if draft.language is None:
        return _covered_without_grammar(draft)
    closers = _CLOSERS.match(draft.after)
    if closers is None:
        return _covered_line(draft) or _covered_tags(draft)
    if closers[1][0] not in draft.text:
        return 0
    sizes = [match.end() for match in _TOKEN.finditer(closers[1]) if _has_all(draft.text, closers[1][: match.end()])]
    ends = [
        size for size in sizes if _TERMINATED.search(closers[1][:size]) and _ends_with(draft.text, closers[1][:size])
    ]
    return _best(draft, sizes, ends)


def _best(draft: Draft, sizes: Sequence[int], ends: Sequence[int]) -> int:
    """The size that leaves the fewest errors; of equals the least, or one of `ends`."""
    best, least = 0, draft.errors()
    if least and _closes_quote(draft):
        errors = replace(draft, after=draft.after[1:]).errors()
        best, least = (1, errors) if errors <= least else (0, least)
    for size in sizes if least else ends:
        errors = replace(draft, after=draft.after[size:]).errors()
        if errors < least or (errors == least and size in ends):
            best, least = size, errors
    return best


def _closes_quote(draft: Draft) -> bool:
    """Whether the answer closes the string at the cursor, so that the quote right of the cursor would open another."""
    quote = draft.after[:1]
    left, text = (_ESCAPED.sub("", part) for part in (draft.line_before, draft.text))
    is_quote = quote in "\"'`" and draft.after[1:2] != quote
    return is_quote and left.count(quote) % 2 == text.count(quote) % 2 == 1


def _has_all(text: str, closers: str) -> bool:
    return not Counter(closers) - Counter(text)


def _ends_with(text: str, said: str) -> bool:
    return "".join(text[-_FAR:].split()).endswith("".join(said.split()))


def _covered_line(draft: Draft) -> int:
    """The rest of the line, if the splice has fewer errors so, and no more than with the beginning of the answer's first line alone."""
    first, _, more = draft.text.lstrip("\n").partition("\n")
    rest = draft.line_after.rstrip()
    if not rest or not more.strip() or _wants_line(draft) or not first.rstrip().endswith(rest):
        return 0
    alone = first.rstrip()[: -len(rest)]
    if _splits(alone[-1:], rest[0]):
        return 0
    errors = replace(draft, after=draft.after[len(rest) :]).errors()
    return len(rest) if errors < draft.errors() and (not errors or errors <= draft.errors(alone)) else 0


def _covered_tags(draft: Draft) -> int:
    """What begins with a closer and ends with the tag that ends the answer, if all of it comes in the answer, in the same order."""
    rest, mine = draft.line_after, _TOKEN.findall(draft.text[-_FAR:])
    tagged = draft.language is not None and draft.language.id in TAGGED
    if not tagged or rest[:1] not in _BEGINS_CLOSED or mine[-1:] != [">"] or not draft.errors():
        return 0
    return _best(draft, list(_in_order(rest, mine)), ())


def _covered_without_grammar(draft: Draft) -> int:
    """What ends with the tag that ends the answer, if it closes the very tags and quotes that the answer closes and has not opened."""
    rest, mine = draft.line_after, _TOKEN.findall(draft.text[-_FAR:])
    if rest[:1] not in _BEGINS_CLOSED or mine[-1:] != [">"] or rest.startswith(draft.text):
        return 0
    closed = _balance(draft.text)
    return next((size for size in _in_order(rest, mine) if any(closed) and _balance(rest[:size]) == closed), 0)


def _in_order(rest: str, mine: Sequence[str]) -> Iterator[int]:
    """The beginnings of the rest of the line, as lengths, that end with the last of the answer's tokens and of which all come in the answer, in the same order."""
    theirs = list(_TOKEN.finditer(rest[:_FAR]))
    for number, last in enumerate(theirs):
        if last[0] == mine[-1] and _is_in_order([match[0] for match in theirs[number::-1]], mine[::-1]):
            yield last.end()


def _is_in_order(said: Sequence[str], words: Sequence[str]) -> bool:
    rest = iter(words)
    return all(word in rest for word in said)
