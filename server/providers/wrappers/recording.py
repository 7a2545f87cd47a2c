"""Records a model's answers in a file: writes all of them, replays those that exist, or requires each one.

An answer is one JSON line, written at once, so that a killed process leaves complete lines. Its key is the SHA-256 of everything that
determines it: provider, model, parameters, prompt, sample. A replayed answer has the same pieces with the same log-probabilities and
the same times, and is overdue where it was overdue. Where every answer is required, failures are replayed too.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from server.api_keys import masked
from server.context import Context
from server.errors import ProviderError, ProviderMissing, ProviderOverdue
from server.prompt import Prompt
from server.providers.protocol import (
    AnswerMetadata,
    AnswerPiece,
    AnswerText,
    Request,
    feedback_provider,
    refuse_overdue,
)
from server.providers.wrappers.answer_file import (
    AnswerFile,
    AnswerRow,
    StoredPiece,
    stored,
)
from server.providers.wrappers.question_log import QuestionLine, QuestionLog
from server.providers.wrappers.rate_limits import AdmittedTries, RateLimits
from server.providers.wrappers.spending import SharedAnswers, Spending
from server.providers.wrappers.wrapper import ProviderWrapper
from server.settings import ProviderSettings

# Reads answers to their end, also when their reader has enough before: others may need more of them.

_END_S = 4.0
"""How long the end of an answer is waited for when the provider is closed."""


@dataclass(slots=True)
class WholeAnswers:
    """Answers under way, at most `places` at once. One whose reader gives it up, by a cancellation, is given up here too."""

    places: asyncio.Semaphore
    _under_way: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    async def landed(self, key: str) -> None:
        """Wait until no answer to the same question is under way."""
        while (task := self._under_way.get(key)) is not None:
            await asyncio.wait({task})

    async def read(
        self, key: str, answer: AsyncGenerator[AnswerPiece, None], ended: Callable[[], None]
    ) -> AsyncGenerator[AnswerPiece, None]:
        """Yield the pieces of an answer, and read the rest of it after its reader has gone. There must be a place (`places`), which is freed; `ended` is called then."""
        pieces: asyncio.Queue[AnswerPiece | Exception | None] = asyncio.Queue()
        task = self._under_way[key] = asyncio.create_task(self._pump(answer, pieces))
        task.add_done_callback(lambda _: ended())
        task.add_done_callback(lambda _: self._freed(key, task))
        try:
            while (piece := await pieces.get()) is not None:
                if isinstance(piece, Exception):
                    raise piece
                yield piece
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise

    async def close(self) -> None:
        """Wait a little for what is under way, and give up the rest."""
        tasks = set(self._under_way.values())
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=_END_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @staticmethod
    async def _pump(
        answer: AsyncGenerator[AnswerPiece, None], pieces: asyncio.Queue[AnswerPiece | Exception | None]
    ) -> None:
        try:
            async with aclosing(answer):
                async for piece in answer:
                    pieces.put_nowait(piece)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the answer is read
            pieces.put_nowait(error)
        else:
            pieces.put_nowait(None)

    def _freed(self, key: str, task: asyncio.Task[None]) -> None:
        self.places.release()
        if self._under_way.get(key) is task:
            del self._under_way[key]


_DETERMINES = ("base_url", "api", "template", "seed", "max_tokens", "temperature", "heal", "prefill", "answers", "text")

_SAMPLED_BYTES = 8 << 20


@dataclass(slots=True)
class RecordingProvider(ProviderWrapper):
    """A provider whose answers are written to a file or read from it.

    `worded` makes the prompt that a fresh provider makes. A provider's own prompt may depend on what its server refused; a key may not.
    A chat is its own prompt.
    """

    worded: Callable[[Context], Prompt]
    file: AnswerFile
    settings: ProviderSettings
    model: str
    clock: Callable[[], float] = time.perf_counter
    limits: RateLimits | None = None
    shared: SharedAnswers | None = None
    """How other runs use the same file; None: this one has it alone."""
    _turns: Counter[str] = field(default_factory=Counter)
    _whole: WholeAnswers = field(init=False)
    _log: QuestionLog = field(init=False)
    _spending: Spending = field(init=False)
    _model_digest: str = field(init=False)

    def __post_init__(self) -> None:
        """Make what only a record needs that several runs share."""
        self._whole = WholeAnswers(asyncio.Semaphore(self.shared.places if self.shared else 1))
        self._log = QuestionLog(self.file.path)
        self._spending = Spending(self.shared or SharedAnswers())
        self._model_digest = _digest_of(self.settings) if self.shared else ""

    async def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the answer from the file, or from the provider and record it.

        Raises:
            ProviderOverdue: it comes later than the request's patience lasts, now or when it was recorded.

        """
        key = self.key(request)
        turn = self._turns[key]
        self._turns[key] += 1
        if self.shared is not None:
            await self._whole.landed(key)
        rows, said = self._known(key, turn), ""
        for row in rows:
            for piece in _beyond(said, row.replayed(request.patience)):
                yield piece
            if row.ended:
                self._note_use(row, key, turn)
                return
            said = row.text
        self._may_ask(request, key, started=bool(rows))
        shown = AnswerRow(key, self.name, self.model, "", (), request.sample, session=self._session, turn=turn)
        async with (
            aclosing(await self._from_provider(request, shown)) as answer,
            aclosing(self._rest(said, answer)) as pieces,
        ):
            async for piece in pieces:
                yield piece

    def key(self, request: Request) -> str:
        """The key of the answer to a request: SHA-256, hex."""
        prompt = request.prompt if request.is_chat else self.worded(request.context)
        asked: list[Any] = [self.name, self.model, request.sample, astuple(prompt)]
        asked += [getattr(self.settings, name) for name in _DETERMINES]
        if prompt == Prompt():  # a provider that reads the documents themselves
            asked += [request.before, request.after, request.stop, request.others]
        if request.asks == "edit":
            asked += [request.asks, *map(asdict, request.edited)]
        if self.shared is not None:  # other runs have other models and options, which a record of one run cannot have
            asked += [self.settings.options, self._model_digest]
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
        """The provider's own, after answers that are read to their end."""
        await self._whole.close()
        await self.inner.close()

    @property
    def _session(self) -> str:
        return self.settings.record.session

    async def _from_provider(self, request: Request, row: AnswerRow) -> AsyncGenerator[AnswerPiece, None]:
        """The provider's answer, which is written; where others share the file, all of it, and the question is noted before."""
        if self.shared is None:
            return self._asked(request, row)
        await self._whole.places.acquire()
        try:
            question = self._question(request, row)
            await self._spending.allow(question)
            self._log.write(question)
        except BaseException:
            self._whole.places.release()
            raise
        settle = lambda: self._spending.settle(question, self.file.tokens_of(row.session, row.key, row.turn))  # noqa: E731
        return self._whole.read(row.key, self._asked(request, row), settle)

    def _question(self, request: Request, row: AnswerRow) -> QuestionLine:
        """What is noted before a question is sent. No token is less than a byte, so a prompt has at most as many as it has bytes."""
        return QuestionLine(
            "asked",
            row.session,
            row.key,
            row.turn,
            most_input=len(request.prompt.shown().encode("utf-8", "replace")),
            most_output=self.settings.max_tokens,
            model=self.model,
        )

    def _note_use(self, row: AnswerRow, key: str, turn: int) -> None:
        """Note that an answer serves a question which it was not given to."""
        if self.shared is not None and (row.session, row.turn) != (self._session, turn):
            self._log.write(QuestionLine("used", self._session, key, turn, model=self.model))

    def _known(self, key: str, turn: int) -> tuple[AnswerRow, ...]:
        """The recorded answers that serve a question, one where the other stops. Failures are recorded for `require` alone."""
        mode = self.settings.record.mode
        rows = () if mode == "write" else self.file.get(key, self._session, turn, whole=self.shared is not None)
        return tuple(row for row in rows if not row.error or mode == "require")

    def _may_ask(self, request: Request, key: str, *, started: bool) -> None:
        """Refuse to ask the model where all must come from the record, or nobody waits for what goes beyond it."""
        required = self.settings.record.mode == "require"
        if not request.patience and (started or required):
            raise ProviderOverdue("nobody waits for the answer")
        if required:
            lacks = f"no answer under {key[:12]}…: record the run again"
            if started:
                less = "an earlier run needed less of it, or gave it up sooner"
                lacks = f"only the start of the answer under {key[:12]}…: {less}; record it again"
            raise ProviderMissing(f"the record {self.file.path} holds {lacks}")

    async def _asked(self, request: Request, row: AnswerRow) -> AsyncGenerator[AnswerPiece, None]:
        """Ask the provider, no longer than the request's patience, and write what came of it."""
        admission = None if self.limits is None else await self.limits.admission(request)
        request = replace(request, admit=admission)
        taken = _Taken(request, self.clock, admission)
        try:
            async with aclosing(self.inner.complete(request)) as stream:
                while (piece := await _next(stream, taken.deadline)) is not None:
                    yield taken.timed(piece)
        except GeneratorExit:
            self.file.append(taken.row(row, ended=False, took=None))
            raise
        except (asyncio.CancelledError, ProviderOverdue):
            self.file.append(taken.row(row, ended=False, took=max(taken.ms, taken.patience)))
            raise
        except ProviderError as error:
            failed = taken.row(row, error=masked(str(error)), took=taken.ms)
            self.file.append(failed)
            refuse_overdue(failed.took, taken.patience)
            raise
        whole = taken.row(row, took=taken.ms)
        self.file.append(whole)
        refuse_overdue(whole.took, taken.patience)
        yield AnswerMetadata(at=whole.took)

    async def _rest(self, said: str, answer: AsyncGenerator[AnswerPiece, None]) -> AsyncGenerator[AnswerPiece, None]:
        """The answer after the start that is recorded."""
        async for piece in answer:
            if isinstance(piece, AnswerMetadata):
                yield piece
                continue
            if not (piece.text.startswith(said) or said.startswith(piece.text)):
                raise ProviderError(f"{self.name} does not repeat the answer in {self.file.path}: record it again")
            rest, said = _split(piece, said)
            if rest.text or not piece.text:
                yield rest


def _digest_of(settings: ProviderSettings) -> str:
    """What tells a model's file from another of its name: its size, beginning (with all metadata) and end, in a hash; empty where the model is no file that is named."""
    path = Path(settings.model)
    if settings.name != "gguf" or not settings.model or not path.is_file():
        return ""
    found, size = hashlib.sha256(), path.stat().st_size
    with path.open("rb") as file:
        for begin in (0, max(0, size - _SAMPLED_BYTES)):
            file.seek(begin)
            found.update(file.read(_SAMPLED_BYTES))
    return f"{size}-{found.hexdigest()}"


class _Taken:
    """What was taken of an answer so far, and when. `patience` is in ms; where it is 0 the asker cancels, and no time is too long."""

    def __init__(self, request: Request, clock: Callable[[], float], admission: AdmittedTries | None = None) -> None:
        self.request, self.clock, self._admission = request, clock, admission
        self.patience = request.patience or math.inf
        self.pieces: list[StoredPiece] = []
        self.times: list[float] = []
        self._began = clock()
        now = asyncio.get_running_loop().time()
        self.deadline = None if math.isinf(self.patience) else now + self.patience / 1000

    @property
    def ms(self) -> float:
        """The ms since the question, without those for which a further try waited for the limits a minute."""
        waited = self._admission.waited_ms if self._admission else 0.0
        return round((self.clock() - self._began) * 1000 - waited, 3)

    def timed(self, piece: AnswerPiece) -> AnswerPiece:
        """Note a piece that comes now, and give it with its time; refuse it if it is overdue."""
        self.pieces.append(stored(piece))
        self.times.append(self.ms)
        refuse_overdue(self.times[-1], self.patience)
        return replace(piece, at=self.times[-1])

    def row(self, row: AnswerRow, **ends: Any) -> AnswerRow:
        """The line of the file. The prompt of what was given up before its first piece is left out."""
        prompt = self.request.prompt.shown().encode("utf-8", "replace").decode() if self.pieces else ""
        if math.isinf(ends["took"] or 0.0):
            ends["took"] = self.ms
        return replace(row, prompt=prompt, pieces=tuple(self.pieces), times=tuple(self.times), **ends)


async def _next(stream: AsyncGenerator[AnswerPiece, None], deadline: float | None) -> AnswerPiece | None:
    """The next piece; None at the end.

    Raises:
        ProviderOverdue: there is none before the deadline (time of the event loop).

    """
    limit = asyncio.timeout_at(deadline)
    try:
        async with limit:
            return await anext(stream, None)
    except TimeoutError:
        if limit.expired():
            raise ProviderOverdue("the answer takes longer than anybody waits for it") from None
        raise


def _beyond(said: str, pieces: Iterator[AnswerPiece]) -> Iterator[AnswerPiece]:
    """The pieces of an answer after a start that was given already."""
    for piece in pieces:
        if isinstance(piece, AnswerMetadata):
            if not said:
                yield piece
            continue
        rest, said = _split(piece, said)
        if rest.text or not (piece.text or said):
            yield rest


def _split(piece: AnswerText, said: str) -> tuple[AnswerText, str]:
    """What of a piece goes beyond `said`, with the piece's time, and what of `said` goes beyond the piece. The log-probability is that of a whole piece."""
    rest = piece.text[len(said) :]
    return piece if rest == piece.text else AnswerText(rest, at=piece.at), said[len(piece.text) :]
