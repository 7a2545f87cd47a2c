"""What an editor is offered of an answer: as much of it as is enough, repaired.

An answer that is streamed in pieces and one that comes at once are cut at the same place, so the same answer gives the same
suggestion. The repairs do not see the text behind the cut: a further function there would make closers look surplus.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from msgspec.structs import replace

from server.context import unix
from server.repair.chain import TOO_LARGE, RepairStep, emptied_by, normalised, prefix, repair
from server.repair.draft import Draft, indent_of, width
from server.repair.rules import rules_named
from server.repair.steps import prose, stop
from server.repair.steps.overlap import covered
from server.repair.steps.presentation import is_form_alone
from server.repair.steps.special import begins_a_thought
from server.repair.steps.stop import lacks_clause
from server.settings import OWN_RULES, REPAIRS, RepairName
from syntax.wanted import is_after_header

MOST_PLACES = 64
"""The most places (`offer.py`) at which the end of an answer is looked for; an answer without an end there is taken whole. This limits the
parses in a file with errors."""
_FEWEST_PLACES = 3
_READ = 640_000
"""Characters of the document, summed over these places. Example: a file of 10,000 characters is looked at 64 times, one of 100,000 six times."""
LARGEST = 100_000
"""The most characters of a file that is parsed. In a larger one answers are repaired without its syntax."""
_NEAR = 16_384
"""Characters on each side of the cursor that the repairs see of a larger file."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What is offered of an answer: `text` in place of the `covered` characters right of the cursor, and the `trail` of steps.

    Where `text` is empty, `step` is the step that took the last of it; it is None if the answer was empty.
    """

    text: str = ""
    covered: int = 0
    trail: tuple[RepairStep, ...] = ()
    step: RepairName | None = None


def offered(
    draft: Draft, steps: Sequence[RepairName] = REPAIRS, rules: str = OWN_RULES, *, length: int | None = None
) -> Repaired:
    """What an editor is offered of an answer; nothing where the answer is white space alone.

    `length` is how much of it counts, if `enough` has found that already: in characters, each line end as one.
    """
    if not draft.text.strip():
        return Repaired()
    if code_in := rules_named(rules).code_in:
        return _of_code(draft, steps, code_in)
    if _is_too_large(draft):
        made = offered(_near(draft), steps, rules, length=length)
        return dataclasses.replace(made, trail=(RepairStep(TOO_LARGE, draft.text, draft.text), *made.trail))
    whole = normalised(draft)
    ends = enough(whole, steps, rules) if length is None else length
    cut = draft if ends is None else replace(draft, text=prefix(draft.text, ends))
    text, trail = repair(cut, steps, rules)
    if ends is not None and whole.text[ends:].strip():
        trail = (RepairStep("stop", whole.text, whole.text[:ends]), *trail)
    if not text:
        return Repaired(trail=trail, step=emptied_by(trail))
    return Repaired(text, covered(normalised(replace(draft, text=text))), trail)


def _of_code(draft: Draft, steps: Sequence[RepairName], code_in: Callable[[str], str]) -> Repaired:
    """What is offered of the code in an answer, where a benchmark says what that is."""
    code = code_in(unix(draft.text))
    read = RepairStep("prose", draft.text, code)
    if not code.strip():
        return Repaired(trail=(read,), step="prose")
    made = offered(replace(draft, text=code), steps)
    return dataclasses.replace(made, trail=(read, *made.trail))


def enough(draft: Draft, steps: Sequence[RepairName] = REPAIRS, rules: str = OWN_RULES, since: int = 0) -> int | None:
    """The length (characters) at which an answer has gone past the end of what is wanted; None while it has not.

    Line ends of the answer are line feeds. Its first `since` characters were looked at before. Without the step `stop`, and with the
    hint `any`, no answer has an end.
    """
    if "stop" not in steps or draft.stop == "any" or rules_named(rules).code_in:  # its code may be still to come
        return None
    draft = _near(draft) if _is_too_large(draft) else draft
    spoken = prose.talk_end(draft) if "prose" in steps else 0
    looked = islice((end for end in places(draft) if end > spoken), _most_places(draft))
    ends = (end for end in looked if end > since)
    return next((end for end in ends if _is_enough(replace(draft, text=draft.text[:end]), steps, rules)), None)


def _most_places(draft: Draft) -> int:
    return max(_FEWEST_PLACES, min(MOST_PLACES, _READ // (len(draft.before) + len(draft.after) + 1)))


def _is_too_large(draft: Draft) -> bool:
    return draft.language is not None and len(draft.before) + len(draft.after) > LARGEST


def _near(draft: Draft) -> Draft:
    """The draft without its syntax, with only the text near the cursor. A parse of all of it would delay the questions in other files."""
    return replace(draft, language=None, unparsed=True, before=draft.before[-_NEAR:], after=draft.after[:_NEAR])


def _is_enough(draft: Draft, steps: Sequence[RepairName], rules: str) -> bool:
    """Whether the beginning of an answer goes past what is wanted, and what would be offered of it is complete.

    Talk, repeats and wrong indentation do not end anything, so the steps that mend them run first. `brackets` runs later: it would
    remove the closer that shows the end. An answer that begins with the first lines of the file repeats the file, and goes on.
    """
    if draft.before.lstrip().startswith(draft.text.strip()):
        return False
    if "prose" in steps and (prose.is_at_fence(draft.text) or begins_a_thought(draft.text) or prose.is_all_talk(draft)):
        return False
    if "prose" in steps and is_form_alone(draft):
        return False
    steps = [step for step in steps if step in REPAIRS]  # a step of another package decides no end
    before = [step for step in steps if step not in {"brackets", "stop"}]
    said = replace(draft, text=repair(draft, before, rules)[0])
    if not said.text or not (stop.is_finished(said) or _is_line_over(draft, said.text)):
        return False
    text = repair(draft, steps, rules)[0]
    return bool(text) and said.text.startswith(text.rstrip()) and _is_whole(replace(draft, text=text))


def _is_line_over(draft: Draft, said: str) -> bool:
    """Whether the one line that is wanted has ended, though a step removed its end because it repeats the rest of the cursor's line."""
    return draft.wanted == "line" and draft.text.startswith(said) and "\n" in draft.text[len(said) :]


def _is_whole(draft: Draft) -> bool:
    """Whether the splice has no error. In a file with errors it may be the rest of the answer that mends them.

    A header without a body counts as an error where more than its line is wanted, and so does a `try` without a clause where more than one of its statements is.
    """
    spliced = replace(draft, after=draft.after[covered(draft) :])
    if spliced.errors() or draft.language is None:
        return not spliced.errors()
    if draft.wanted != "line" and stop.lacks_body(spliced):
        return False
    return (draft.language.layout and draft.wanted != "block") or not lacks_clause(spliced)


# The places in an answer where what is wanted may have ended, found by the text alone.
#
# Each place costs parses, and most lines of a long block do not end it. So a place counts only where the brackets are back at the
# depth of the cursor, or the line is back at its column. Whether a place counts does not depend on the text behind it, so a stream has the
# same places as the whole answer. Where a place is missed, the server reads a little more of the answer than it needs.

_BEGUN = re.compile(r"\s*(?:\w+\W|[^\w\s])")
_NEW = re.compile(r"[;\n]")
_BRACKET = re.compile(r"[()\[\]{}]")
_OPENERS = frozenset("([{")
_CLOSERS = frozenset(")]}")
_NO_CODE = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|//.*|/\*.*?(?:\*/|$)")
"""Strings and comments within one line; of what goes on over several, the brackets count."""


def places(draft: Draft, since: int = 0) -> Iterator[int]:
    """The places, as lengths (characters) of the answer up to them; only those behind `since`."""
    if not _has_new(draft.text, since):
        return
    if draft.wanted == "line":
        yield from (end for _, ends in _by_line(draft.text, since) for end in ends)
    elif draft.language is not None and not draft.is_in_open_text:
        reentry = _ReentryPoints(draft)
        for span, ends in _by_line(draft.text, since):
            yield from reentry.places_back(span, ends)


def _has_new(text: str, since: int) -> bool:
    """Whether there can be a place behind `since`. Most pieces of a stream have none, and this check costs less than a scan."""
    if not since or _NEW.search(text, since):
        return True
    begun = _BEGUN.match(text, text.rfind("\n") + 1)
    return begun is not None and begun.end() > since


def _by_line(text: str, since: int) -> Iterator[tuple[tuple[int, int], Sequence[int]]]:
    """The span of each line that is not blank, and its places behind `since`."""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if line and not line.isspace():
            yield (start, end), _of_line(line, start, end < len(text), since) if end >= since else ()
        start = end + 1


def _of_line(line: str, start: int, ended: bool, since: int) -> Sequence[int]:
    """The places of a line: behind a semicolon, behind the first word if it is a further line, and behind its line end."""
    begun = _BEGUN.match(line) if start else None
    ends = {at + 1 for at, char in enumerate(line) if char == ";"} if ";" in line else set()
    if begun:
        ends.add(begun.end())
    if ended:
        ends.add(len(line) + 1)
    return sorted(start + end for end in ends if start + end > since)


class _ReentryPoints:
    """Whether the lines of an answer are back where the cursor is: by their column, or by the brackets open in them.

    Brackets are counted twice, with and without those in strings and comments, for either count may be wrong. They are counted
    from behind the lines that an answer begins with and that stand above the cursor: it may be about to say those again.
    """

    def __init__(self, draft: Draft) -> None:
        assert draft.language is not None
        self.text, self.before, self.line_before = draft.text, draft.before, draft.line_before
        self.indented = draft.language.layout or draft.language.id == "ruby"
        block, left = draft.wanted == "block", draft.before
        self.inside = block and (is_after_header(draft.language, left) or left.count("{") > left.count("}"))
        self._begin()

    def _begin(self) -> None:
        self.depths = (0, 0)
        self.is_first = self.says_again = True
        self.least = self.floor = -1

    def places_back(self, span: tuple[int, int], ends: Sequence[int]) -> Iterator[int]:
        """Those of a line's places at which it is back; each line is asked about once, in order."""
        start, end = span
        line = self.text[start:end]
        by_column = self._is_back(line, start)
        yield from (at for at in ends if by_column or self._has_closed(line[: at - start]))
        self.depths = self._after(line)
        self.says_again = self.says_again and self._stands_above(line.strip())
        if self.says_again:
            self.depths = (0, 0)
        if line.lstrip().startswith("```"):
            self._begin()  # what stood before it was talk

    def _stands_above(self, line: str) -> bool:
        """Whether a line of the document, or the cursor's line up to the cursor, ends so."""
        return self.before.endswith(line) or f"{line}\n" in self.before

    def _is_back(self, line: str, start: int) -> bool:
        """Whether a line stands further left than all before it, or as far left as one that did; among braces, a closer."""
        if self.is_first:
            self._take_first(line, start)
            return False
        column = width(indent_of(line))
        if column < self.least:
            self.least = column
            if self.indented or line.lstrip()[0] in _CLOSERS:
                self.floor = column
        return column <= self.floor and (self.indented or self.inside)

    def _take_first(self, line: str, start: int) -> None:
        own = self.line_before if self.line_before.strip() else ("" if start else self.line_before) + indent_of(line)
        self.is_first, self.least = False, width(indent_of(own))
        self.floor = self.least if self.line_before.strip() or not self.inside else -1

    def _has_closed(self, line: str) -> bool:
        """Whether the brackets are back at the depth that ends something; among braces alone."""
        return not self.indented and min(self._after(line)) <= (-1 if self.inside else 0)

    def _after(self, line: str) -> tuple[int, int]:
        """The two counts of open brackets behind a line."""
        every, code = _opened(line)
        return self.depths[0] + every, self.depths[1] + code


@lru_cache(maxsize=4096)
def _opened(line: str) -> tuple[int, int]:
    """How many brackets a line opens, less those it closes: of all, and of those outside strings and comments."""
    every, code = (_BRACKET.findall(text) for text in (line, _NO_CODE.sub("", line)))
    return (_balance(every), _balance(code)) if every else (0, 0)


def _balance(brackets: Sequence[str]) -> int:
    return sum(1 if bracket in _OPENERS else -1 for bracket in brackets)
