"""Reads EFCB's questions from a copy of its repository, or from a folder in its form: `FOLDER/REPOSITORY/*_TASK.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import msgspec

from corpora.efcb.questions import ALL_TASKS, CHOICE_TASKS, LETTERS, MASK, MaskedFile, PullRequestQuestion, TaskName
from corpora.errors import DataError
from server.prompt import ChatMessage

IN_REPOSITORY = Path("data/v0.3/tasks")
"""Where the tasks of version 0.3 are in the published repository."""
_FILES: Mapping[TaskName, str] = MappingProxyType(
    {
        "gmcq-easy": "mcq_easy",
        "gmcq-hard": "mcq_hard",
        "mpr-gen": "mpr_gen",
        "reverse-qa": "reverse_qa",
        "reverse-qa-hallu": "reverse_qa",
        "gmcq-hard-2": "mcq_hard_2",
    }
)
"""How the files of a task end. The two reverse tasks ask the same, and are judged by other rubrics."""


class _Message(msgspec.Struct, frozen=True):
    role: str
    content: str


class _Row(msgspec.Struct, frozen=True):
    input: list[_Message]
    ideal: str
    file: MaskedFile | None = None


_ROWS = msgspec.json.Decoder(_Row)


def read(
    data: Path, tasks: Sequence[TaskName] = ALL_TASKS, repositories: Sequence[str] = ()
) -> list[PullRequestQuestion]:
    """The questions of some tasks (default: all) and repositories (default: all), in the order of the repositories' names.

    `data` is a copy of the published repository, or the folder of its tasks. The published one has 5,512 questions.

    Raises:
        DataError: there are none, a named repository is not there, or a line is malformed.

    """
    folder = data / IN_REPOSITORY if (data / IN_REPOSITORY).is_dir() else data
    found = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    found = [name for name in found if any((folder / name).glob("*.jsonl"))]
    if not found:
        raise DataError(data, 0, f"no questions of EFCB are here (expected {IN_REPOSITORY}/REPOSITORY/*.jsonl)")
    if unknown := sorted(set(repositories) - set(found)):
        raise DataError(data, 0, f"there is no repository {unknown[0]!r}: choose of {', '.join(found)}")
    chosen = [name for name in found if name in repositories or not repositories]
    return [question for name in chosen for task in tasks for question in _of_task(folder / name, task)]


def _of_task(folder: Path, task: TaskName) -> Iterator[PullRequestQuestion]:
    ending = f"_{_FILES[task]}.jsonl"
    files = [path for path in sorted(folder.iterdir()) if path.name.endswith(ending)]
    if len(files) > 1:
        raise DataError(folder, 0, f"there are several files of {task}: {', '.join(path.name for path in files)}")
    for file in files:
        try:
            lines = file.read_text("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(file, 0, f"cannot be read: {error}") from error
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _question(file, number, line, task)


def _question(file: Path, number: int, line: str, task: TaskName) -> PullRequestQuestion:
    try:
        row = _ROWS.decode(line)
    except msgspec.DecodeError as error:
        raise DataError(file, number, f"no question: {error}") from error
    messages = tuple(ChatMessage(message.role, message.content) for message in row.input)
    if not messages:
        raise DataError(file, number, "no question: `input` is empty")
    question = PullRequestQuestion(task, file.parent.name, number, messages, row.ideal, row.file)
    if reason := _fault(question):
        raise DataError(file, number, reason)
    return question


def _fault(question: PullRequestQuestion) -> str:
    """Why a question cannot be asked or scored; empty if it can."""
    if question.task in CHOICE_TASKS:
        if question.ideal not in tuple(LETTERS):
            return f"the right answer is {question.ideal!r}, and none of A, B, C, D"
        if len(question.choices) != len(LETTERS):
            return f"there are {len(question.choices)} choices, and not four"
    if question.task == "mpr-gen" and question.shown_diff.count(MASK) != 1:
        return f"the code diff has {question.shown_diff.count(MASK)} masks, and not one"
    return ""
