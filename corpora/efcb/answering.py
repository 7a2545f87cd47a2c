"""Asks a model the questions of EFCB, and a judge what its texts are worth."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import yaml

from corpora.efcb.efcb_files import IN_REPOSITORY
from corpora.efcb.efcb_scores import SCALES, QuestionScore
from corpora.efcb.questions import CHOICE_TASKS, PullRequestQuestion, TaskName
from corpora.errors import DataError
from server.chat import Chat, ask_each
from server.errors import ProviderError, ProviderMissing
from server.judging import Rubric, TextJudge

PROMPTS = Path("judging_prompts/judging_prompts.yaml")
"""Where the published prompts of the judge are, beside the folder of the tasks."""
_KEYS: Mapping[TaskName, tuple[str, ...]] = MappingProxyType(
    {
        "mpr-gen": ("mpr_gen",),
        "reverse-qa": ("reverse_qa", "revesre_qa"),
        "reverse-qa-hallu": ("reverse_qa_hallu",),
    }
)
"""Their keys in that file; the published one misspells one."""
_OURS: Mapping[TaskName, str] = MappingProxyType(
    {
        "mpr-gen": "Compare the predicted code with the ground truth. Answer with one number from 0 (nothing in common) to 10 (the same), and nothing else.",
        "reverse-qa": "Compare the predicted text with the ground truth. Answer with one number from 0 (nothing in common) to 10 (the same), and nothing else.",
        "reverse-qa-hallu": "Does the predicted text say anything that the ground truth does not say? Answer with 1 if it does and with 0 if it does not, and nothing else.",
    }
)
"""What a judge is told where the data brings no prompts."""


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """What became of a question. `failure` is why the model or its judge gave no answer: then there is no score, and nobody is blamed."""

    question: PullRequestQuestion
    answer: str | None = None
    judged: tuple[str, ...] = ()
    """What the judge said."""
    score: float | None = None
    """Of a choice 0 or 1; of a text the judge's, None where it is unparsable or there is no judge."""
    failure: str = ""

    @property
    def letter(self) -> str | None:
        """The letter that was read from the answer to a multiple choice question."""
        return letter_of(self.answer) if self.answer is not None and self.question.task in CHOICE_TASKS else None

    @property
    def is_unparsable(self) -> bool:
        """Whether there is an answer to a multiple choice question that is no letter."""
        return self.question.task in CHOICE_TASKS and self.answer is not None and self.letter is None

    @property
    def scored(self) -> QuestionScore:
        """Its score, for the figures."""
        return QuestionScore(self.question.task, self.question.repository, self.question.pull_request, self.score)


def rubrics(data: Path) -> dict[TaskName, Rubric]:
    """The rubrics of the judged tasks: the published ones where the data has them, else ours, which have the order of the two texts drawn.

    Raises:
        DataError: the file of the published prompts is malformed.

    """
    folder = (data / IN_REPOSITORY if (data / IN_REPOSITORY).is_dir() else data).parent
    file = folder / PROMPTS
    texts = _published(file) if file.is_file() else {}
    found: dict[TaskName, Rubric] = {}
    for task, keys in _KEYS.items():
        published = next((texts[key] for key in keys if key in texts), "")
        whole = task == "reverse-qa-hallu"
        name = f"{task}, {'as published' if published else 'in our words'}"
        told = published or _OURS[task]
        found[task] = Rubric(name, told, high=SCALES[task], whole=whole, draws_order=not published)
    return found


def _published(file: Path) -> Mapping[str, str]:
    try:
        texts = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(file, 0, f"the prompts of the judge cannot be read: {error}") from error
    if not isinstance(texts, dict):
        raise DataError(file, 0, "the prompts of the judge are no table")
    return {str(key): str(text) for key, text in texts.items()}


@dataclass(frozen=True, slots=True)
class Examination:
    """Who answers, and who judges texts (None: nobody, and texts have no score)."""

    chat: Chat
    judges: Mapping[TaskName, TextJudge]
    places: int = 1
    """How many questions are asked at once."""

    async def outcomes(
        self, questions: Sequence[PullRequestQuestion], notify: Callable[[QuestionOutcome], None]
    ) -> list[QuestionOutcome]:
        """Ask all questions; `notify` gets each outcome as it comes. The result is in the order of the questions.

        Raises:
            ProviderMissing: what a provider needs is not there.

        """
        return await ask_each(questions, self._outcome, self.places, notify)

    async def _outcome(self, question: PullRequestQuestion) -> QuestionOutcome:
        try:
            answer = await self.chat.answer(question.messages)
        except ProviderMissing:
            raise
        except ProviderError as error:
            return QuestionOutcome(question, failure=str(error))
        if question.task in CHOICE_TASKS:
            return QuestionOutcome(question, answer, score=float(letter_of(answer) == question.ideal))
        return await self._judged(question, answer)

    async def _judged(self, question: PullRequestQuestion, answer: str) -> QuestionOutcome:
        judge = self.judges.get(question.task)
        if judge is None:
            return QuestionOutcome(question, answer)
        try:
            judgement = await judge.judge(dict(zip(judge.rubric.titles, (question.ideal, answer), strict=True)))
        except ProviderMissing:
            raise
        except ProviderError as error:
            return QuestionOutcome(question, answer, failure=f"judge: {error}")
        return QuestionOutcome(question, answer, judgement.answers, judgement.score)


# Reads a letter from a model's answer, or says that there is none: nothing is guessed.

_ANSWER = re.compile(
    r"""[\s*_`"'(\[]*                                  # marks of emphasis, quotes, brackets
    (?:(?:the\s+)?(?:correct\s+|right\s+|best\s+)?(?:answer|choice|option|solution)(?:\s+is)?\s*[:=]?)?
    [\s*_`"'(\[]*(?:choice|option)?\s*
    (?P<letter>[A-D])
    [\s*_`"')\].:,]*\Z""",
    re.VERBOSE | re.IGNORECASE,
)


def letter_of(answer: str) -> str | None:
    """The letter that an answer consists of, in upper case; None where it says anything else, or several letters.

    The benchmark asks for one upper-case letter and publishes no parser. `B`, `b`, `(B)`, `**B.**`, `Choice B` and `The answer is: B` are read; `A or B`, a
    sentence with a reason, and an empty answer are not.
    """
    found = _ANSWER.match(answer)
    return found["letter"].upper() if found else None
