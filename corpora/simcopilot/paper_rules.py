"""The rules of the SimCopilot paper's post-processor where they differ from ours, behind the switch `paper_rules`.

Comments and blank lines are dropped, also those that a person would want; and one line is enough: the suggestion begins
behind a line that one of the last two lines of code above says, and ends before one that one of the first two below says (white space left
out, similarity above 0.98). The paper's bracket counting is not followed: `brackets` does its work on the syntax tree.
"""

from __future__ import annotations

from collections.abc import Sequence

import Levenshtein

from server.repair.draft import Draft
from server.repair.rules import AnswerRules
from syntax.tokens import tokens

_ALIKE = 0.98
_COMPARED = 2
_BARE = frozenset("{}()[]") | {""}


def without_comments(draft: Draft) -> str:
    """The suggestion without comments, and without the lines that held nothing else."""
    if draft.language is None or draft.is_in_open_text:
        return draft.text
    at = len(draft.before)
    text = draft.text
    for token in reversed(tokens(draft.tree(), at, draft.end)):
        if token.comment and at <= token.start and token.end <= draft.end:
            text = text[: token.start - at] + text[token.end - at :]
    if text == draft.text:
        return text
    first, *rest = text.split("\n")
    kept = "\n".join([first.rstrip(), *(line.rstrip() for line in rest if line.strip())])
    return kept if first.strip() else kept.lstrip("\n").removeprefix(draft.line_before)


def without_repeats(draft: Draft) -> str:
    """The suggestion between what stands above the cursor and what stands below it."""
    lines = draft.text.split("\n")
    above = [line for line in draft.before.split("\n")[:-1] if line.strip() not in _BARE][-_COMPARED:]
    below = [line for line in draft.after.split("\n")[1:] if line.strip() not in _BARE][:_COMPARED]
    start = next((at + 1 for at in reversed(range(len(lines))) if _is_said(lines[at], above)), 0)
    end = next((at for at, line in enumerate(lines) if at >= start and _is_said(line, below)), len(lines))
    if (start, end) == (0, len(lines)):
        return draft.text
    text = "\n".join(lines[start:end]).rstrip()
    return text.removeprefix(draft.line_before) if start and not draft.line_before.strip() else text


def _is_said(line: str, others: Sequence[str]) -> bool:
    said = "".join(line.split())
    return said not in _BARE and any(Levenshtein.ratio(said, "".join(other.split())) > _ALIKE for other in others)


RULES = AnswerRules(behind={"prose": without_comments, "repeats": without_repeats})
"""The entry point `simcopilot` of `ghosttape.rules`."""
