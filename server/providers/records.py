"""Records of a model's answers: write all, replay those that there are, or require each one.

One JSON line an answer, appended whole, so that a process that is killed leaves what it had. An answer stands under the
SHA-256 of all that determines it: provider, model, parameters, prompt, sample. Its pieces come again as they came, one by
one, with their log-probabilities; so do failures, where every answer is required.
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
from server.providers.protocol import Provider, Request, Token, Told, heeding
from server.settings import ProviderSettings

_DETERMINES = ("base_url", "api", "template", "seed", "max_tokens", "temperature", "heal", "prefill", "answers", "text")
_log = logging.getLogger("ghosttape.server")

Piece: TypeAlias = str | tuple[str, float | None, int] | dict[str, Any]
"""A plain piece; a token with its log-probability and how many it holds; or what was told (`Told`)."""


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the file. `ended` is false for an answer whose reader had enough before its end."""

    key: str
    provider: str
    model: str
    prompt: str
    pieces: tuple[Piece, ...]
    sample: int = 0
    ended: bool = True
    error: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether everything that this question can give is here."""
        return self.ended and not self.error


class AnswerFile:
    """The answers of a file, by key: whole ones before others, later ones before earlier ones."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rows: dict[str, Row] = {}

    def read(self) -> None:
        """Take in what the file holds; a line that was being written when its process died is left out.

        Raises:
            ProviderMissing: the file cannot be read, or a line of it is JSON of another kind (the message names it).

        """
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError as error:
            raise ProviderMissing(f"the record {self.path} cannot be read: {error.strerror}") from error
        decoder = msgspec.json.Decoder(Row)
        for number, line in enumerate(lines, 1):
            try:
                if line:
                    self._keep(decoder.decode(line))
            except msgspec.ValidationError as error:
                raise ProviderMissing(f"{self.path}:{number}: no recorded answer: {error}") from error
            except (msgspec.DecodeError, UnicodeDecodeError):
                _log.warning("%s:%d: left out, for it was not written to its end", self.path, number)

    def get(self, key: str) -> Row | None:
        """The answer under a key."""
        return self._rows.get(key)

    def append(self, row: Row) -> None:
        """Write one answer, in one piece.

        Raises:
            ProviderError: the file cannot be written.

        """
        self._keep(row)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, _mended(file) + msgspec.json.encode(row) + b"\n")
            finally:
                os.close(file)
        except OSError as error:
            raise ProviderError(f"the record {self.path} cannot be written: {error.strerror}") from error

    def _keep(self, row: Row) -> None:
        known = self._rows.get(row.key)
        if known is None or row.is_whole or not known.is_whole:
            self._rows[row.key] = row


def _mended(file: int) -> bytes:
    """What ends a line that an earlier process left unfinished."""
    size = os.fstat(file).st_size
    return b"\n" if size and os.pread(file, 1, size - 1) != b"\n" else b""


@dataclass(slots=True)
class Recording:
    """A provider whose answers are written to a file, or come from it.

    `worded` words a context as the provider does that was never asked: what a server said must not change a key.
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
        """As the provider itself."""
        return self.inner.continues

    def prompt(self, context: Context) -> Prompt:
        """The provider's own wording."""
        return self.inner.prompt(context)

    async def complete(self, request: Request) -> AsyncGenerator[str, None]:
        """Stream the answer from the record, or from the provider and write it down."""
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
                f"holds only the beginning of the answer under {key[:12]}…: less was wanted then; record again"
            )
            rest = self._beyond(row, self._asked(request, key))
        async with aclosing(rest) as pieces:
            async for piece in pieces:
                yield piece

    def key(self, request: Request) -> str:
        """What the answer to a request stands under: SHA-256, hex."""
        prompt = self.worded(request.context)
        asked: list[Any] = [self.name, self.model, request.sample, astuple(prompt)]
        asked += [getattr(self.settings, name) for name in _DETERMINES]
        if prompt == Prompt():  # a source that reads the documents themselves
            asked += [request.before, request.after, request.stop, request.others]
        if self.name == "lsp":  # a server that is shown the documents under their names
            named = [(document.uri, document.language) for document in request.opened]
            folders = getattr(heeding(self.inner), "folders", ())
            asked += [self.settings.words, self.settings.options, folders, request.uri, request.language, named]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    async def start(self) -> None:
        """Load the model, where it can be needed."""
        if self.settings.record.mode != "require":
            await self.inner.start()

    async def close(self) -> None:
        """As the provider itself."""
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
        self.file.append(Row(key, self.name, self.model, shown, kept, request.sample, ended, error))

    async def _beyond(self, row: Row, answer: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
        """What follows the beginning that is on record."""
        known = "".join(map(_piece, row.pieces))
        async with aclosing(answer) as pieces:
            async for piece in pieces:
                if not (piece.startswith(known) or known.startswith(piece)):
                    raise ProviderError(f"{self.name} answers otherwise than its record {self.file.path}: record again")
                rest, known = piece[len(known) :], known[len(piece) :]
                if rest or not piece:
                    yield piece if len(rest) == len(piece) else rest


def _kept(piece: str) -> Piece:
    if isinstance(piece, Told):
        told = {name: getattr(piece, name) for name in ("prompt", "prompt_tokens", "tokens", "covers")}
        return {name: value for name, value in told.items() if value is not None}
    return (str(piece), piece.logprob, piece.tokens) if isinstance(piece, Token) else str(piece)


def _piece(kept: Piece) -> str:
    if isinstance(kept, str):
        return kept
    return Told(**kept) if isinstance(kept, Mapping) else Token(*kept)
