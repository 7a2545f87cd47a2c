"""What an editor is offered of an answer: as much of it as is enough, repaired.

How much is enough is told alike of an answer that comes in pieces and of one that comes at once, so the same answer gives the
same suggestion however it was cut into pieces. What lies behind is seen by no repair: the function after the wanted one
would make closers look surplus, and nobody waits for the rest of a stream anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from msgspec.structs import replace

from server.repair import prose, stop
from server.repair.chain import Step, covered, emptied_by, normalised, prefix, repair
from server.repair.draft import Draft
from server.repair.places import places
from server.settings import REPAIRS, PaperRules, RepairName

MOST_PLACES = 64
"""Places (`places.py`) at which an answer is looked at; one that has not ended by then is taken whole. It bounds the parses in a broken file."""


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
    whole = normalised(draft)
    ends = enough(whole, steps, rules) if length is None else length
    cut = draft if ends is None else replace(draft, text=prefix(draft.text, ends))
    text, trail = repair(cut, steps, rules)
    if ends is not None and whole.text[ends:].strip():
        trail = (Step("stop", whole.text, whole.text[:ends]), *trail)
    if not text:
        return Repaired(trail=trail, step=emptied_by(trail))
    return Repaired(text, covered(replace(draft, text=text)), trail)


def enough(
    draft: Draft, steps: Sequence[RepairName] = REPAIRS, rules: PaperRules = "none", since: int = 0
) -> int | None:
    """The length (characters) at which an answer has gone past the end of what is wanted; None while it has not.

    The answer has line feeds only. Its first `since` characters were looked at before. Without the step `stop`, or where nothing
    tells an end (`any`), it is never enough.
    """
    if "stop" not in steps or draft.stop == "any":
        return None
    ends = (end for end in islice(places(draft), MOST_PLACES) if end > since)
    return next((end for end in ends if _is_enough(replace(draft, text=draft.text[:end]), steps, rules)), None)


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
    if not said.text or not stop.is_finished(said):
        return False
    text = repair(draft, steps, rules)[0]
    return bool(text) and said.text.startswith(text.rstrip()) and _is_whole(replace(draft, text=text))


def _is_whole(draft: Draft) -> bool:
    """Whether the splice has no error. In a broken file nobody knows but that the rest of the answer mends it."""
    return replace(draft, after=draft.after[covered(draft) :]).errors() == 0
