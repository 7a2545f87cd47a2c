"""What a repair decides by the text alone, set against what it would have done with the tree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from msgspec.structs import replace

from server.repair.draft import Draft
from server.repair.steps import brackets, indent, prose, stop
from tools.repair_tables import MODELS, golden_answers, published_answers


def taken(draft: Draft) -> set[str]:
    """The steps that take their short cut for a draft; an assertion fails where one would have changed something."""
    assert draft.language is not None
    found = set()
    if not prose.may_talk(draft.text):
        found.add("prose")
        code = prose._from_fences(draft, prose._unwrapped(draft, draft.text))
        bare = prose._without_closing(draft, prose._without_opening(draft, code))
        assert prose._without_placeholders(draft, prose._without_path(draft, bare)) == draft.text
    if draft.language.layout and indent.is_within_a_line(draft):
        found.add("indent")
        assert not indent._faults(draft)
    if not brackets.may_act(draft):
        found.add("brackets")
        assert not [*brackets._with_fewer(draft), *brackets._with_more(draft)]
    if draft.text and not stop.may_end(draft, draft.language):
        found.add("stop")
        ends = stop._layout_end if stop._is_indented(draft.language) else stop._brace_end
        assert ends(draft, "block") is None
        assert ends(draft, "statement") is None
    return found


def taken_on_devbench(data: Path) -> Counter[str]:
    """How often each step takes its short cut for the answers of both models and the right ones, and for the first line and half of it."""
    seen = Counter[str]()
    for answer in [*golden_answers(data), *(answer for model in MODELS for answer in published_answers(data, model))]:
        for draft in (answer.draft("auto"), *lines_of(answer.draft("auto"))):
            seen.update(taken(draft))
    return seen


def lines_of(draft: Draft) -> list[Draft]:
    """The same with only the first line of the suggestion that says something, and with only the end of that."""
    line = next((line for line in draft.text.split("\n") if line.strip()), "")
    half = len(line) // 2
    later = replace(draft, before=draft.before + line[:half], text=line[half:])
    return [each for each in (replace(draft, text=line), later) if each.text.strip()]
