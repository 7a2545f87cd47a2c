"""Has the suggestions of a run judged, one by one, by a judge that knows neither model nor verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from replay.numbers.clusters import cluster_of
from replay.records import ANSWERED, Moment, Record, Suggestion
from server.chat import ask_each
from server.errors import ProviderError, ProviderMissing
from server.judging import Judgement, Rubric, TextJudge
from syntax.text import cut, length


@dataclass(frozen=True, slots=True)
class JudgedSuggestion:
    """A suggestion and what the judge said of it. `failure` is why the judge gave no answer: then nothing of it counts."""

    record: Record
    judged: Mapping[str, Judgement] = field(default_factory=dict)
    """Dimension → the judgement; none where there is no text, for nobody is asked then."""
    failure: str = ""

    @property
    def text(self) -> str:
        """What is offered; empty where the answer has no text, or the repairs left none."""
        return self.record.suggestion.text if self.record.suggestion is not None else ""

    @property
    def task(self) -> str:
        """What it is an answer to: the task, or on a tape the hole. All answers to one count as one."""
        return cluster_of(self.record.moment)

    def score(self, dimension: str) -> float | None:
        """The score in a dimension: 0 of an answer without text; None where the judge gave none."""
        if self.failure:
            return None
        return self.judged[dimension].score if self.text.strip() else 0.0

    @property
    def total(self) -> float | None:
        """The sum of all scores; None where one is missing."""
        scores = [self.score(dimension) for dimension in DIMENSIONS]
        return sum(score for score in scores if score is not None) if None not in scores else None


def suggestions_of(records: Iterable[Record]) -> tuple[list[Record], int]:
    """The records with an answer of the provider, whether or not it has text; and how many questions it failed to answer."""
    found, failed = [], 0
    for record in records:
        if record.ending.name in ANSWERED:
            found.append(record)
        failed += record.ending.name == "failed"
    return found, failed


@dataclass(frozen=True, slots=True)
class SuggestionJudges:
    """A judge for each dimension."""

    judges: Mapping[str, TextJudge]
    places: int = 1
    """How many suggestions are judged at once."""

    async def judged(
        self, records: Sequence[Record], notify: Callable[[JudgedSuggestion], None]
    ) -> list[JudgedSuggestion]:
        """Judge all; `notify` gets each as it comes. The result is in the order of the records.

        Raises:
            ProviderMissing: what the judge needs is not there.

        """
        return await ask_each(records, self._judged, self.places, notify)

    async def _judged(self, record: Record) -> JudgedSuggestion:
        blank = JudgedSuggestion(record)
        if not blank.text.strip():
            return blank
        code = code_with_gap(record.moment, record.suggestion)
        try:
            said = {
                dimension: await judge.judge(dict(zip(judge.rubric.titles, (code, blank.text), strict=True)))
                for dimension, judge in self.judges.items()
            }
        except ProviderMissing:
            raise
        except ProviderError as error:
            return JudgedSuggestion(record, failure=str(error))
        return JudgedSuggestion(record, said)


# What a judge of suggestions is told: two rubrics in our own words, each of a score from 0 to 5.

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
