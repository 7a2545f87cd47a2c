"""What an editor is offered of an answer: as much of it as is enough, repaired.

How much is enough is told alike of an answer that comes in pieces and of one that comes at once, so the same answer gives the
same suggestion however it was cut into pieces. What lies behind is seen by no repair: the function after the wanted one
would make closers look surplus, and nobody waits for the rest of a stream anyway.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from msgspec.structs import replace

from server.repair import prose, stop
from server.repair.chain import TOO_LARGE, Step, covered, emptied_by, normalised, prefix, repair
from server.repair.draft import Draft
from server.repair.places import places
from server.repair.tries import lacks_clause
from server.settings import REPAIRS, PaperRules, RepairName

MOST_PLACES = 64
"""Places (`places.py`) at which an answer is looked at; one that has not ended by then is taken whole. It bounds the parses in a broken file."""
_FEWEST_PLACES = 3
_READ = 640_000
"""Characters of the document that are gone through for these looks: of a file of 10 kB all of them are taken, of one of 100 kB six."""
LARGEST = 100_000
"""Characters around the cursor up to which a file is parsed. What is answered in a larger one is repaired by its text alone."""
_NEAR = 16_384
"""Characters on each side of the cursor that are looked at in a file that is too large."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What is offered of an answer: `text` in place of the `covered` characters right of the cursor, and how it came about.

    Where the steps left nothing, `step` is the one that did; it is None too where there was nothing from the start.
    """

    text: str = ""
    covered: int = 0
    trail: tuple[Step, ...] = ()
    step: RepairName | None = None


def offered(
    draft: Draft, steps: Sequence[RepairName] = REPAIRS, rules: PaperRules = "none", *, length: int | None = None
) -> Repaired:
    """What an editor is offered of an answer; nothing where the answer is white space alone.

    `length` is how much of it counts, for one who knows (`enough`): in characters, each line end as one.
    """
    if not draft.text.strip():
        return Repaired()
    if _is_too_large(draft):
        made = offered(_near(draft), steps, rules, length=length)
        return dataclasses.replace(made, trail=(Step(TOO_LARGE, draft.text, draft.text), *made.trail))
    whole = normalised(draft)
    ends = enough(whole, steps, rules) if length is None else length
    cut = draft if ends is None else replace(draft, text=prefix(draft.text, ends))
    text, trail = repair(cut, steps, rules)
    if ends is not None and whole.text[ends:].strip():
        trail = (Step("stop", whole.text, whole.text[:ends]), *trail)
    if not text:
        return Repaired(trail=trail, step=emptied_by(trail))
    return Repaired(text, covered(normalised(replace(draft, text=text))), trail)


def enough(
    draft: Draft, steps: Sequence[RepairName] = REPAIRS, rules: PaperRules = "none", since: int = 0
) -> int | None:
    """The length (characters) at which an answer has gone past the end of what is wanted; None while it has not.

    The answer has line feeds only. Its first `since` characters were looked at before. Without the step `stop`, or where nothing
    tells an end (`any`), it is never enough.
    """
    if "stop" not in steps or draft.stop == "any":
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
    """The draft without its syntax and with the text near the cursor only: a parse of all of it would keep every other file waiting."""
    return replace(draft, language=None, before=draft.before[-_NEAR:], after=draft.after[:_NEAR])


def _is_enough(draft: Draft, steps: Sequence[RepairName], rules: PaperRules) -> bool:
    """Whether the beginning of an answer goes past what is wanted, and what would be offered of it is whole by itself.

    Talk, repeats and wrong indentation are no end of anything: so the steps that know them come first. `brackets` would take
    away the closer that shows the end, and what it had to close was not over. Who begins with the file's first lines is about to say all of it again.
    """
    if draft.before.lstrip().startswith(draft.text.strip()):
        return False
    if "prose" in steps and (prose.is_at_fence(draft.text) or prose.is_all_talk(draft)):
        return False
    before = [step for step in steps if step not in {"brackets", "stop"}]
    said = replace(draft, text=repair(draft, before, rules)[0])
    if not said.text or not (stop.is_finished(said) or _is_line_over(draft, said.text)):
        return False
    text = repair(draft, steps, rules)[0]
    return bool(text) and said.text.startswith(text.rstrip()) and _is_whole(replace(draft, text=text))


def _is_line_over(draft: Draft, said: str) -> bool:
    """Whether the one line that is wanted has ended, though its end went as it said the rest of the cursor's line again."""
    return stop.resolve(draft) == "line" and draft.text.startswith(said) and "\n" in draft.text[len(said) :]


def _is_whole(draft: Draft) -> bool:
    """Whether the splice has no error. In a broken file nobody knows but that the rest of the answer mends it.

    Nor has a `try` that ends with the answer and still waits for its clause, where more than one of its statements is wanted.
    """
    spliced = replace(draft, after=draft.after[covered(draft) :])
    if spliced.errors() or draft.language is None:
        return not spliced.errors()
    return (draft.language.layout and stop.resolve(draft) != "block") or not lacks_clause(spliced)
