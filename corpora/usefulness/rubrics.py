"""What a judge of suggestions is told: two rubrics in our own words, each of a score from 0 to 5."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from replay.records import Moment, Suggestion
from server.judging import Rubric
from syntax.text import cut, length

GAP = "[[GAP]]"
_TITLES = ("Code with a gap", "Completion")
_BEGIN = f"You judge a completion of code. The code has a gap, marked {GAP}, and the completion is what a tool puts in its place."
_END = "Judge nothing but the completion. Answer with one number from 0 to 5, and nothing else."
DIMENSIONS: Mapping[str, Rubric] = MappingProxyType(
    {
        "relevance": Rubric(
            "relevance, in our words",
            f"{_BEGIN} How well does it belong there: does it go on from what stands before the gap and lead to what stands behind it, in meaning as well as in form? "
            f"0: it has nothing to do with either. 5: it fits both. {_END}",
            high=5,
            titles=_TITLES,
        ),
        "helpfulness": Rubric(
            "helpfulness, in our words",
            f"{_BEGIN} How much work does it take off the developer: does it add something that is wanted there and is not trivial? "
            f"0: nothing of use. 5: all that is wanted there. {_END}",
            high=5,
            titles=_TITLES,
        ),
    }
)
"""Dimension → its rubric. DevBench has both in one question and reads their sum; here each is asked for alone, so that each can be calibrated."""
HIGHEST = 10.0
"""The highest sum of both."""


def code_with_gap(moment: Moment, suggestion: Suggestion | None) -> str:
    """The code around a suggestion, with the mark of the gap in the place of what the suggestion replaces.

    Of a long document there is what the record of a moment holds: 4,000 UTF-16 units before the cursor and 2,000 behind it (`replay.play.stage.WINDOW`).
    """
    before, after = moment.before, moment.after
    if suggestion is not None:
        before = cut(before, 0, length(before) - max(0, moment.offset - suggestion.start))
        after = cut(after, max(0, suggestion.end - moment.offset), length(after))
    return f"{before}{GAP}{after}"
