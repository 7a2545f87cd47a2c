"""The questions of EFCB: five tasks about the pull requests of a repository (Liang 2025, section 3.2)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from server.prompt import ChatMessage

TaskName: TypeAlias = Literal["gmcq-easy", "gmcq-hard", "mpr-gen", "reverse-qa", "reverse-qa-hallu", "gmcq-hard-2"]
ALL_TASKS: tuple[TaskName, ...] = get_args(TaskName)
"""EFCB's, and the Hard that is made by `corpora.efcb.making`."""
TASKS: tuple[TaskName, ...] = ALL_TASKS[:5]
"""Those that make the EFCB score."""
CHOICE_TASKS: tuple[TaskName, ...] = ("gmcq-easy", "gmcq-hard", "gmcq-hard-2")
"""The tasks whose answer is a letter. The answers of the others are judged by a model."""
MASK = "[[MASK]]"
MASKED_LINES = 5
LETTERS = "ABCD"
_CHOICE = re.compile(r"^Choice [ABCD]:\n", re.MULTILINE)
_DIFF = "\nCode Diff:\n"
_RULE = "---"


@dataclass(frozen=True, slots=True)
class MaskedFile:
    """The file that the masked lines are of, as it was before the pull request ("" where it is new). It parses before and after."""

    path: str
    before: str


@dataclass(frozen=True, slots=True)
class PullRequestQuestion:
    """One question: what the model is asked, and what is right (a letter, or the text of the pull request)."""

    task: TaskName
    repository: str
    number: int
    """Its line in its file, from 1."""
    messages: tuple[ChatMessage, ...]
    ideal: str
    file: MaskedFile | None = None
    """Of MPR-Gen, where the question was made of a repository; the published ones have none."""

    @property
    def name(self) -> str:
        """Its name in the benchmark, as `gmcq-hard/duckdb/12`."""
        return f"{self.task}/{self.repository}/{self.number}"

    @property
    def asked(self) -> str:
        """What the user says in it: the part that differs between the questions of a task."""
        return self.messages[-1].content

    @property
    def description(self) -> str:
        """What stands before the choices, of a multiple choice question: the description of the pull request."""
        return _CHOICE.split(self.asked, maxsplit=1)[0]

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts of the four choices; none where the task has none."""
        return tuple(map(patch, _CHOICE.split(self.asked)[1:]))

    @property
    def right(self) -> int:
        """The index of the right choice."""
        return LETTERS.index(self.ideal)

    @property
    def shown_diff(self) -> str:
        """The code diff with its mask, of a question that has one."""
        return self.asked.partition(_DIFF)[2]

    @property
    def pull_request(self) -> str:
        """A digest of the repository and the patch that the question is about: the same in all tasks. Such questions are not independent."""
        if self.task in CHOICE_TASKS:
            text = self.choices[self.right]
        else:
            text = patch(self.ideal if self.task == "mpr-gen" else self.asked)
        return hashlib.sha256(f"{self.repository}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def repeated(self) -> bool:
        """Whether a wrong choice is the right one to the letter: then no reader can tell them apart."""
        choices = self.choices
        return choices.count(choices[self.right]) > 1 if choices else False


def patch(text: str) -> str:
    """A patch without the white space and the rules (`---`) at its ends."""
    text = text.strip()
    while text.endswith(_RULE):
        text = text.removesuffix(_RULE).rstrip()
    return text
