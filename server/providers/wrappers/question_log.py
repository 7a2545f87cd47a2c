"""What was asked of a provider, and which answers were used again: one JSON line each, beside a record that several runs share.

A line is written before the question is sent, so that a process that is killed leaves none uncounted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from server.errors import ProviderError
from server.providers.wrappers.append_log import append_line

NAME = "questions.jsonl"


class QuestionLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line. `session`, `key` and `turn` are those of `AnswerRow`."""

    what: Literal["asked", "used"]
    session: str
    key: str
    turn: int = 0
    most_input: int = 0
    """Of what is asked: the most tokens that its prompt can be."""
    most_output: int = 0
    """The most tokens that its answer can be."""
    model: str = ""


class QuestionLog:
    """The questions beside a file of answers."""

    def __init__(self, answers: Path) -> None:
        self.path = answers.with_name(NAME)

    def write(self, line: QuestionLine) -> None:
        """Write a line at once.

        Raises:
            ProviderError: the file cannot be written.

        """
        try:
            append_line(self.path, msgspec.json.encode(line))
        except OSError as error:
            raise ProviderError(f"{self.path} cannot be written: {error.strerror}") from error

    def read(self) -> Iterator[QuestionLine]:
        """All lines that are complete; one that was cut off by a kill is left out."""
        if not self.path.exists():
            return
        for line in self.path.read_bytes().split(b"\n"):
            try:
                if line:
                    yield msgspec.json.decode(line, type=QuestionLine)
            except msgspec.DecodeError:
                continue
