"""The repairs one after the other, with what each of them did."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, cast

from msgspec.structs import replace

from server.context import unix
from server.errors import SettingsError
from server.repair.draft import Draft
from server.repair.rules import rules_named
from server.repair.steps import brackets, indent, overlap, prose, repeats, stop
from server.settings import OWN_RULES, REPAIRS, RepairName, known_repairs
from syntax.entry_points import extensions

STEPS: Mapping[RepairName, Callable[[Draft], str]] = MappingProxyType(
    {
        "prose": prose.repair,
        "repeats": repeats.repair,
        "indent": indent.repair,
        "brackets": brackets.repair,
        "stop": stop.repair,
    }
)
_ROUNDS = 4
"""The most rounds of all steps. A step can make work for one before it, so the steps run until nothing changes."""
_LINE_END = re.compile(r"\r\n|\r|\n")


TOO_LARGE: Final = "file too large"


@dataclass(frozen=True, slots=True)
class RepairStep:
    """One repair that changed the text. It was `undone` when its result had more syntax errors than what it was given.

    `TOO_LARGE` is no repair and changes nothing: it says that those behind it did not know the syntax (`offer.py`).
    """

    step: RepairName
    before: str
    after: str
    undone: bool = False


def repair(
    draft: Draft, steps: Sequence[RepairName] = REPAIRS, rules: str = OWN_RULES
) -> tuple[str, tuple[RepairStep, ...]]:
    """Run the steps in the order of `REPAIRS`, then those of other packages, and give the text and the trail of what changed it.

    With the `rules` of a benchmark (`rules.py`) the steps follow these as well. A step is undone if the splice has more syntax errors with its result. A result of
    white space counts as empty. Line ends of the result are the document's; those in the trail are line feeds.
    """
    if not steps or not draft.text.strip():
        return draft.text, ()
    current = normalised(draft)
    trail: list[RepairStep] = []
    for _ in range(_ROUNDS):
        text, taken = _round(current, steps, rules)
        trail += taken
        if text == current.text or not text:
            break
        current = replace(current, text=text)
    return _restored(draft, text), tuple(trail)


def _round(draft: Draft, steps: Sequence[RepairName], rules: str) -> tuple[str, list[RepairStep]]:
    """One round of all steps. Talk and fences do not count for what the answer covers of the text right of the cursor."""
    trail: list[RepairStep] = []
    whole = True
    for name in (name for name in known_repairs(steps) if name in steps):
        if whole and name != "prose":
            draft, whole = replace(draft, after=draft.after[overlap.covered(draft) :]), False
        step = _run_step(name, draft, rules)
        if step is None:
            continue
        trail.append(step)
        draft = draft if step.undone else replace(draft, text=step.after)
        if not draft.text:
            break
    return draft.text, trail


def emptied_by(trail: Sequence[RepairStep]) -> RepairName | None:
    """The step that left nothing of the suggestion; None when something is left."""
    last = next((step for step in reversed(trail) if not step.undone), None)
    return None if last is None or last.after or last.step == TOO_LARGE else last.step


def _run_step(name: RepairName, draft: Draft, rules: str) -> RepairStep | None:
    text = _step(name)(draft)
    if behind := rules_named(rules).behind.get(name):
        text = behind(replace(draft, text=text))
    text = text if text.strip() else ""
    if text == draft.text:
        return None
    return RepairStep(name, draft.text, text, bool(text) and _is_worse(name, draft, text))


def _step(name: RepairName) -> Callable[[Draft], str]:
    if name in STEPS:
        return STEPS[name]
    return cast("Callable[[Draft], str]", extensions("repairs")[name].load_or(SettingsError))


def _is_worse(name: RepairName, draft: Draft, text: str) -> bool:
    """Whether the splice has more errors with a step's result; a decorator that is to end with its line needs no fewer than there were without it."""
    if name == "prose":  # in a file that ends at the cursor, back-ticks can hide what is open from the count
        given = brackets.errors_when_closed(draft, prose.without_leaks(draft))
        return brackets.errors_when_closed(draft, text) > given
    errors = draft.errors(text)
    return errors > draft.errors() and not (stop.is_decorator(draft) and errors <= draft.errors(""))


def normalised(draft: Draft) -> Draft:
    """The draft with a line feed for every line end."""
    if "\r" not in draft.before and "\r" not in draft.after and "\r" not in draft.text:
        return draft
    return replace(draft, before=unix(draft.before), after=unix(draft.after), text=unix(draft.text))


def _restored(draft: Draft, text: str) -> str:
    """The text with the document's line ends; in a document of one line, with its own."""
    if "\n" not in text or not any("\r" in part for part in (draft.before, draft.after, draft.text)):
        return text
    return text.replace("\n", _usual_end(draft.before, draft.after) or _usual_end(draft.text) or "\n")


def _usual_end(*parts: str) -> str | None:
    """The line end that texts have most often; of equals the one that comes first; None where they have none."""
    counts = Counter(match[0] for part in parts for match in _LINE_END.finditer(part))
    return max(counts, key=counts.__getitem__, default=None)


def prefix(text: str, size: int) -> str:
    """As much of `text` as makes `size` characters when every line end counts as one."""
    pairs = 0
    for match in re.finditer(r"\r\n", text):
        if match.start() - pairs >= size:
            break
        pairs += 1
    return text[: size + pairs]
