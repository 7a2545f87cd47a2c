"""A file of recorded answers: one JSON line an answer, with the time at which each of its pieces came."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from server.errors import ProviderError, ProviderMissing
from server.providers.protocol import AnswerMetadata, AnswerPiece, AnswerText, refuse_overdue
from server.providers.wrappers.append_log import append_line

_log = logging.getLogger("ghosttape.server")

StoredPiece: TypeAlias = str | tuple[str, float | None, int] | dict[str, Any]
"""A text of one token whose log-probability is unknown; (text, log-probability, number of tokens); or the fields of an `AnswerMetadata`."""


class AnswerRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the file. Its times are in ms from the question to the provider."""

    key: str
    provider: str
    model: str
    prompt: str
    pieces: tuple[StoredPiece, ...]
    sample: int = 0
    ended: bool = True
    """False if the reader stopped before the end of the answer: it had enough, or it gave the question up."""
    error: str = ""
    session: str = ""
    """Whose question it was (`AnswerRecord.session`)."""
    turn: int = 0
    """How many questions with this key the session had asked before."""
    times: tuple[float, ...] = ()
    """When each piece came; empty in files of versions that kept no times."""
    took: float | None = None
    """When the answer ended, failed, or was given up; None if the reader had enough, or no times were kept."""

    @property
    def is_whole(self) -> bool:
        """Whether this is the complete answer."""
        return self.ended and not self.error

    @property
    def has_times(self) -> bool:
        """Whether the file says how long the answer took."""
        return bool(self.times) or self.took is not None

    @property
    def token_counts(self) -> tuple[int | None, int | None]:
        """The tokens of the prompt and of the answer, as the provider told them; None where it did not."""
        told = [piece for piece in self.pieces if isinstance(piece, dict)]
        asked, answered = (
            next((piece[name] for piece in reversed(told) if name in piece), None)
            for name in ("prompt_tokens", "tokens")
        )
        return asked, answered

    @property
    def text(self) -> str:
        """All pieces in one."""
        return "".join(map(stored_text, self.pieces))

    def replayed(self, patience: float) -> Iterator[AnswerPiece]:
        """The pieces as they came, each with its time; the end, if its time is known, is metadata without a fact.

        Raises:
            ProviderOverdue: the next piece, the end or the failure came after `patience` ms or later.
            ProviderError: the answer failed.

        """
        for number, piece in enumerate(self.pieces):
            at = self.times[number] if number < len(self.times) else None
            refuse_overdue(at, patience)
            yield restored(piece, at)
        refuse_overdue(self.took, patience)
        if self.error:
            raise ProviderError(self.error)
        if self.ended and self.took is not None:
            yield AnswerMetadata(at=self.took)


class AnswerFile:
    """The answers of a file. Of two answers to one question of one session the later one counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows: dict[tuple[str, str, int], AnswerRow] = {}
        self._best: dict[str, AnswerRow] = {}

    def read(self) -> None:
        """Read the file. An incomplete line, whose process was killed, is left out.

        Raises:
            ProviderMissing: the file cannot be read, or a line is other JSON (the message names the line).

        """
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError as error:
            raise ProviderMissing(f"the record {self.path} cannot be read: {error.strerror}") from error
        decoder = msgspec.json.Decoder(AnswerRow)
        for number, line in enumerate(lines, 1):
            try:
                if line:
                    self._keep(decoder.decode(line))
            except msgspec.ValidationError as error:
                raise ProviderMissing(f"{self.path}:{number}: not a recorded answer: {error}") from error
            except (msgspec.DecodeError, UnicodeDecodeError):
                _log.warning("%s:%d: left out, because it is incomplete", self.path, number)

    def rows(self) -> Iterator[AnswerRow]:
        """All answers, one for each question of each session."""
        yield from self._rows.values()

    @property
    def has_times(self) -> bool:
        """Whether the file says of each answer how long it took."""
        return all(row.has_times for row in self._rows.values())

    def tokens_of(self, session: str, key: str, turn: int) -> tuple[int | None, int | None]:
        """The tokens of prompt and answer that were told for a question; None where they were not, or it has no answer."""
        row = self._rows.get((session, key, turn))
        return (None, None) if row is None else row.token_counts

    def get(self, key: str, session: str = "", turn: int = 0, *, whole: bool = False) -> tuple[AnswerRow, ...]:
        """The answers that serve a question, the first one first: its own, and the one that goes on where that one stops.

        A question without an answer of its own takes the most complete answer with its key; with `whole` only a complete one.
        """
        own, best = self._rows.get((session, key, turn)), self._best.get(key)
        if whole and best is not None and not best.is_whole:
            best = None
        if own is None or best is None:
            return tuple(filter(None, (own or best,)))
        goes_on = not own.ended and best is not own and best.text.startswith(own.text) and not best.error
        return (own, best) if goes_on else (own,)

    def append(self, row: AnswerRow) -> None:
        """Write one answer at once.

        Raises:
            ProviderError: the file cannot be written.

        """
        self._keep(row)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            append_line(self.path, msgspec.json.encode(row))
        except OSError as error:
            raise ProviderError(f"the record {self.path} cannot be written: {error.strerror}") from error

    def _keep(self, row: AnswerRow) -> None:
        self._rows[row.session, row.key, row.turn] = row
        known = self._best.get(row.key)
        if known is None or _completeness(row) >= _completeness(known):
            self._best[row.key] = row


def keeps_times(path: Path) -> bool:
    """Whether a file of answers says of each one how long it took; so does a file that holds none.

    Raises:
        ProviderMissing: the file cannot be read, or a line is no answer.

    """
    file = AnswerFile(path)
    file.read()
    return file.has_times


def stored(piece: AnswerPiece) -> StoredPiece:
    """A piece in the form in which the file keeps it, without its time."""
    if isinstance(piece, AnswerMetadata):
        values = {name: getattr(piece, name) for name in ("prompt", "prompt_tokens", "tokens", "covers", "finish")}
        return {name: value for name, value in values.items() if value is not None}
    is_plain = piece.logprob is None and piece.tokens == 1
    return piece.text if is_plain else (piece.text, piece.logprob, piece.tokens)


def restored(kept: StoredPiece, at: float | None) -> AnswerPiece:
    """A piece of the file as the provider gave it, with its time."""
    if isinstance(kept, Mapping):
        return AnswerMetadata(**kept, at=at)
    return AnswerText(kept, at=at) if isinstance(kept, str) else AnswerText(*kept, at=at)


def stored_text(kept: StoredPiece) -> str:
    """The text of a piece of the file."""
    if isinstance(kept, Mapping):
        return ""
    return kept if isinstance(kept, str) else kept[0]


def _completeness(row: AnswerRow) -> tuple[bool, bool, int]:
    return row.is_whole, not row.error, 0 if row.is_whole else len(row.text)
