"""Records a model's answers in a file: writes all of them, replays those that exist, or requires each one.

An answer is one JSON line, written at once, so that a killed process leaves complete lines. Its key is the SHA-256 of everything that
determines it: provider, model, parameters, prompt, sample. A replayed answer has the same pieces with the same log-probabilities. Where
every answer is required, failures are replayed too.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from server.context import Budget, Context
from server.errors import ProviderError, ProviderMissing
from server.keys import masked
from server.prompt import Prompt
from server.providers.protocol import AnswerMetadata, AnswerPiece, Provider, Request, feedback_provider
from server.settings import ProviderSettings

_DETERMINES = ("base_url", "api", "template", "seed", "max_tokens", "temperature", "heal", "prefill", "answers", "text")
_log = logging.getLogger("ghosttape.server")

StoredPiece: TypeAlias = str | tuple[str, float | None, int] | dict[str, Any]
"""A string; (text, log-probability, number of tokens); or the fields of an `AnswerMetadata`."""


class AnswerRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the file. `ended` is false if the reader stopped before the end of the answer."""

    key: str
    provider: str
    model: str
    prompt: str
    pieces: tuple[StoredPiece, ...]
    sample: int = 0
    ended: bool = True
    error: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether this is the complete answer."""
        return self.ended and not self.error


class AnswerFile:
    """The answers of a file, by key. A complete answer replaces others, and a later one an earlier one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows: dict[str, AnswerRow] = {}

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

    def get(self, key: str) -> AnswerRow | None:
        """The answer that is stored under a key."""
        return self._rows.get(key)

    def append(self, row: AnswerRow) -> None:
        """Write one answer at once.

        Raises:
            ProviderError: the file cannot be written.

        """
        self._keep(row)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, _line_end(file) + msgspec.json.encode(row) + b"\n")
            finally:
                os.close(file)
        except OSError as error:
            raise ProviderError(f"the record {self.path} cannot be written: {error.strerror}") from error

    def _keep(self, row: AnswerRow) -> None:
        known = self._rows.get(row.key)
        if known is None or row.is_whole or not known.is_whole:
            self._rows[row.key] = row


def _line_end(file: int) -> bytes:
    """A line feed if the last line of the file is incomplete."""
    size = os.fstat(file).st_size
    return b"\n" if size and os.pread(file, 1, size - 1) != b"\n" else b""


@dataclass(slots=True)
class RecordingProvider:
    """A provider whose answers are written to a file or read from it.

    `worded` makes the prompt that a fresh provider makes. A provider's own prompt may depend on what its server refused; a key may not.
    """

    inner: Provider
    worded: Callable[[Context], Prompt]
    file: AnswerFile
    settings: ProviderSettings
    model: str

    @property
    def name(self) -> str:
        """The provider's own name."""
        return self.inner.name

    @property
    def budget(self) -> Budget:
        """The provider's own budget."""
        return self.inner.budget

    @property
    def continues(self) -> bool:
        """The provider's own."""
        return self.inner.continues

    def prompt(self, context: Context) -> Prompt:
        """The provider's own prompt."""
        return self.inner.prompt(context)

    async def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Stream the answer from the file, or from the provider and record it."""
        key, mode = self.key(request), self.settings.record.mode
        row = None if mode == "write" else self.file.get(key)
        if row is None or (row.error and mode == "replay"):
            self._may_ask(f"holds no answer under {key[:12]}…: record the run again")
            row, rest = None, self._asked(request, key)
        else:
            for piece in map(_piece, row.pieces):
                yield piece
            if row.error:
                raise ProviderError(row.error)
            if row.ended:
                return
            self._may_ask(
                f"holds only the start of the answer under {key[:12]}…: an earlier run needed less of it; record it again"
            )
            rest = self._beyond(row, self._asked(request, key))
        async with aclosing(rest) as pieces:
            async for piece in pieces:
                yield piece

    def key(self, request: Request) -> str:
        """The key of the answer to a request: SHA-256, hex."""
        prompt = self.worded(request.context)
        asked: list[Any] = [self.name, self.model, request.sample, astuple(prompt)]
        asked += [getattr(self.settings, name) for name in _DETERMINES]
        if prompt == Prompt():  # a provider that reads the documents themselves
            asked += [request.before, request.after, request.stop, request.others]
        if self.name == "lsp":  # a server that gets the documents with their names
            named = [(document.uri, document.language) for document in request.opened]
            folders = getattr(feedback_provider(self.inner), "folders", ())
            asked += [self.settings.words, self.settings.options, folders, request.uri, request.language, named]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    async def start(self) -> None:
        """Load the model, unless every answer must come from the file."""
        if self.settings.record.mode != "require":
            await self.inner.start()

    async def close(self) -> None:
        """The provider's own."""
        await self.inner.close()

    def _may_ask(self, otherwise: str) -> None:
        if self.settings.record.mode == "require":
            raise ProviderMissing(f"the record {self.file.path} {otherwise}")

    async def _asked(self, request: Request, key: str) -> AsyncGenerator[str, None]:
        pieces: list[str] = []
        try:
            async with aclosing(self.inner.complete(request)) as stream:
                async for piece in stream:
                    pieces.append(piece)
                    yield piece
        except GeneratorExit:
            if pieces:
                self._write(request, key, pieces, ended=False)
            raise
        except ProviderError as error:
            self._write(request, key, pieces, error=masked(str(error)))
            raise
        self._write(request, key, pieces)

    def _write(self, request: Request, key: str, pieces: Sequence[str], *, ended: bool = True, error: str = "") -> None:
        shown = request.prompt.shown().encode("utf-8", "replace").decode()
        kept = tuple(map(_kept, pieces))
        self.file.append(AnswerRow(key, self.name, self.model, shown, kept, request.sample, ended, error))

    async def _beyond(self, row: AnswerRow, answer: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
        """The answer after the start that is recorded."""
        known = "".join(map(_piece, row.pieces))
        async with aclosing(answer) as pieces:
            async for piece in pieces:
                if not (piece.startswith(known) or known.startswith(piece)):
                    raise ProviderError(f"{self.name} does not repeat the answer in {self.file.path}: record it again")
                rest, known = piece[len(known) :], known[len(piece) :]
                if rest or not piece:
                    yield piece if len(rest) == len(piece) else rest


def _kept(piece: str) -> StoredPiece:
    if isinstance(piece, AnswerMetadata):
        told = {name: getattr(piece, name) for name in ("prompt", "prompt_tokens", "tokens", "covers")}
        return {name: value for name, value in told.items() if value is not None}
    return (str(piece), piece.logprob, piece.tokens) if isinstance(piece, AnswerPiece) else str(piece)


def _piece(kept: StoredPiece) -> str:
    if isinstance(kept, str):
        return kept
    return AnswerMetadata(**kept) if isinstance(kept, Mapping) else AnswerPiece(*kept)
