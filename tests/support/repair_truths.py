"""What came to stand at the moments of tapes, and which of it the repairs change: each with its reason."""

from collections import defaultdict

from replay.judge.grafts import hole_of
from replay.play.policies.block_places import ALL_AT, MomentPlace, block_places
from replay.records import Moment
from replay.tapes.tape import Edit, walk
from server.repair.draft import Draft
from server.repair.offer import offered
from syntax.languages import language_of
from syntax.text import cut, length, position_at
from tools.repair_tables import golden_answers

MOST = 0.005
"""The share of truths that may be changed: each of them is listed here with its reason."""
SPACED = "begins with spaces that the line above gives no reason for: the person's own slips of layout"
CHANGED_GOLDEN = {
    ("javascript", "api_usage", "27"): "repeats: says the six lines above again",
    ("typescript", "code2NL_NL2code", "19"): "repeats: says the comment above the cursor again",
    ("typescript", "code_purpose_understanding", "42"): "repeats: ends with the comments that stand below",
    ("typescript", "syntax_completion", "32"): "repeats: says the statement below",
    ("cpp", "low_context", "19"): "stop: its comment would take in the assertion right of the cursor",
}


def texts(timeline):
    """Each moment's place with the text before and after the cursor: all places of blocks, and every edit."""
    wanted = defaultdict(list)
    for place in block_places(timeline, at=ALL_AT):
        wanted[place.event].append(place)
    for index, event, documents in walk(timeline.tape):
        paths = {path: doc for doc, path in documents.paths.items()}
        if isinstance(event, Edit) and event.changes:
            wanted[index].append(MomentPlace(index, documents.paths[event.doc], event.changes[0][0], "auto", "", ""))
        for place in wanted[index]:
            text = documents.texts[paths[place.path]]
            yield place, cut(text, 0, place.offset), cut(text, place.offset, length(text))


def truths(timeline):
    """A draft of what came to stand there, for every moment that has it."""
    for place, before, after in texts(timeline):
        line, character = position_at(before + after, length(before))
        where = {"offset": place.offset, "line": line, "character": character, "before": before, "after": after}
        language = timeline.languages[place.path]
        moment = Moment(
            tape="t", event=place.event, path=place.path, language=language, t=0.0, stop=place.stop, **where
        )
        hole = hole_of(timeline, moment, before, after)
        if not isinstance(hole, str):
            yield Draft(language_of(language) or language_of(place.path), before, after, hole.truth, place.stop)


def changed_by_repairs(drafts):
    """How many drafts there are, and those that the repairs change, each with what they did."""
    seen, changed = 0, []
    for draft in drafts:
        seen += 1
        made = offered(draft)
        changed += [(draft, made.trail)] if made.text != draft.text else []
    return seen, changed


def changed_golden(data):
    """How many golden completions DevBench has, and those that the repairs change: language, category and instance."""
    seen, changed = 0, set()
    for answer in golden_answers(data):
        seen += 1
        if offered(answer.draft("any")).text != (answer.text if answer.text.strip() else ""):
            changed.add((answer.language, answer.category, answer.instance))
    return seen, changed


def reason_of(draft):
    if draft.text.endswith("*/"):
        return "closes a comment that was opened only later (`*/`)"
    if draft.line_after.strip() == "}":
        return "ends with a comment that takes in the brace right of the cursor"
    return SPACED if draft.text.startswith(" ") else "another"
