"""What an editor is offered of an answer: as much of it as is enough, repaired.

An answer that is streamed in pieces and one that comes at once are cut at the same place, so the same answer gives the same
suggestion. The repairs do not see the text behind the cut: a further function there would make closers look surplus.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from msgspec.structs import replace

from server.context import unix
from server.repair.chain import TOO_LARGE, RepairStep, emptied_by, normalised, prefix, repair
from server.repair.draft import Draft
from server.repair.places import places
from server.repair.rules import rules_named
from server.repair.steps import prose, stop
from server.repair.steps.overlap import covered
from server.repair.steps.special import begins_a_thought
from server.repair.steps.tries import lacks_clause
from server.settings import OWN_RULES, REPAIRS, RepairName

MOST_PLACES = 64
"""The most places (`places.py`) at which the end of an answer is looked for; an answer without an end there is taken whole. This limits the
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
