from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from server.errors import ProviderMissing
from server.providers.protocol import AnswerMetadata, AnswerPiece, AnswerText, OfflineProvider, Request, refuse_overdue
from server.settings import ProviderSettings


class RecordedAnswer(msgspec.Struct, frozen=True):
    """One line of a file of answers; other members are ignored. `latency` is the ms that the answer took, where that is known."""

    key: str
    text: str
    latency: float | None = None

    @property
    def piece(self) -> AnswerText:
        """The whole answer as one piece, with its time if that is known."""
        return AnswerText(self.text, at=self.latency)


@dataclass(slots=True)
class Recorded(OfflineProvider):
    """Answers from a file. The oracle is one too: its answers are the ground truth.

    A question without an answer gets an empty one, or fails when every answer is `required`.
    """

    answers: Mapping[str, AnswerText]
    required: bool = False
    name: str = "recorded"
    source: str = "<memory>"
    proposes_edits: bool = True

    async def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Yield the answer with the request's key.

        Raises:
            ProviderMissing: there is none, and every answer is required.
            ProviderOverdue: its latency is not below the request's patience.

        """
        key = answer_key(request.before, request.after, request.stop if request.asks == "completion" else request.asks)
        answer = self.answers.get(key)
        if answer is None:
            if self.required:
                raise ProviderMissing(f"{self.source} holds no answer under {key[:12]}…: record the run again")
            return
        refuse_overdue(answer.at, request.patience)
        if answer.text:
            yield answer
        elif answer.at is not None:
            yield AnswerMetadata(at=answer.at)


class GrowingAnswers(Mapping[str, AnswerText]):
    """The answers of a file that is still being written.

    New lines are read before each answer, and a later answer to one question counts.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._read = path, 0
        self._known: dict[str, AnswerText] = {}
        self._grow()

    def _grow(self) -> None:
        try:
            with self.path.open("rb") as file:
                file.seek(self._read)
                new = file.read()
        except OSError as error:
            raise ProviderMissing(f"answers file {self.path} cannot be read: {error.strerror}") from error
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        self._known |= {answer.key: answer.piece for answer in _lines(self.path, whole.splitlines())}

    def __getitem__(self, key: str) -> AnswerText:
        self._grow()
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def answer_key(before: str, after: str, stop: str) -> str:
    """The key of a recorded answer: SHA-256, hex, of the whole text before and after the cursor and the stop hint, or `edit` for a next edit."""
    return hashlib.sha256(f"{before}\0{after}\0{stop}".encode("utf-8", "surrogatepass")).hexdigest()


def read_answers(path: Path) -> dict[str, AnswerText]:
    """Read a file of answers; of two answers with one key the later one counts.

    Raises:
        ProviderMissing: the file cannot be read, or a line is not an answer (the message names the line).

    """
    try:
        with path.open("rb") as file:
            return {answer.key: answer.piece for answer in _lines(path, file)}
    except OSError as error:
        raise ProviderMissing(f"answers file {path} cannot be read: {error.strerror}") from error


def _lines(path: Path, lines: Iterable[bytes]) -> Iterator[RecordedAnswer]:
    decoder = msgspec.json.Decoder(RecordedAnswer)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ProviderMissing(f'{path}:{number}: not an answer of the form {{"key", "text"}}: {error}') from error


def make(settings: ProviderSettings) -> Recorded:
    """The answers of the settings' file.

    Raises:
        ProviderMissing: no file is named, or it cannot be read.

    """
    if not settings.answers:
        raise ProviderMissing(f"provider {settings.name!r} needs provider.answers: the JSONL file of its answers")
    path = Path(settings.answers)
    answers = GrowingAnswers(path) if settings.name == "oracle" or settings.follow else read_answers(path)
    return Recorded(answers, settings.required, settings.name, str(path))
