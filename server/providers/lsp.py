"""Any language server with inline completion (LSP 3.18) as a provider: the system under test is asked as an editor asks it."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import shutil
from collections import OrderedDict
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from server import api_keys
from server.context import Budget, Context
from server.errors import ProviderError, ProviderMissing
from server.prompt import Prompt
from server.providers.language_server.server_session import (
    Continuation,
    LanguageServerSession,
    LaunchOptions,
    start_session,
)
from server.providers.protocol import AnswerMetadata, AnswerPiece, AnswerText, Request
from server.settings import ProviderSettings
from server.wire.server_process import RequestRejected

_MOST_STARTS = 2
"""How often a server is started that ends without an answer."""
_TICKETS = 500
_NOTHING = Budget(before=0, after=0)
_log = logging.getLogger("ghosttape.server")


@dataclass(slots=True)
class LanguageServer:
    """A language server as a child process. It is started with the first request at the latest, and again after it has ended.

    `folders` are the URIs of the workspace folders. A server that ends twice without an answer is not started again.
    """

    settings: ProviderSettings
    command: Sequence[str]
    name: str = "lsp"
    budget: Budget = _NOTHING
    continues: bool = False
    folders: tuple[str, ...] = ()
    _starting: asyncio.Task[LanguageServerSession] | None = None
    _in_vain: int = 0
    _why: str = ""
    _tickets: OrderedDict[str, tuple[LanguageServerSession, Continuation]] = field(default_factory=OrderedDict)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def prompt(self, context: Context) -> Prompt:
        """An empty prompt: the server makes its own from the documents."""
        return Prompt()

    async def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Send the request, and yield the text of the first item in one piece. Closing the stream cancels the request."""
        session = await self._ready()
        question = session.ask(request)
        try:
            yield AnswerMetadata(prompt=question.shown)
            found = await question.answer(self.settings.timeout_s)
        except RequestRejected:
            self._in_vain = 0
            raise
        except ProviderError as error:
            self._why = str(error)
            raise
        finally:
            question.pending.cancel()
        self._in_vain = 0
        if found is not None:
            yield AnswerMetadata(covers=found.covers, ticket=self._ticket(session, found))
            yield AnswerText(found.text)

    async def start(self) -> None:
        """Start and initialize the server."""
        await self._ready()

    async def close(self) -> None:
        """Shut the server down."""
        starting, self._starting = self._starting, None
        if starting is None:
            return
        if not starting.done():
            starting.cancel()
        await asyncio.wait({starting})
        if not starting.cancelled() and starting.exception() is None:
            await starting.result().connection.close()

    def set_folders(self, folders: Sequence[str]) -> None:
        """Take the URIs of the workspace folders. A server that already runs does not get them."""
        self.folders = tuple(folders)

    async def shown(self, ticket: str) -> None:
        """Report to the server that its item was shown."""
        if (given := self._given(ticket)) is not None:
            given[0].shown(given[1].item)

    async def accepted(self, ticket: str) -> None:
        """Run the item's command, as an editor does.

        Raises:
            ProviderError: the server fails.

        """
        if (given := self._given(ticket)) is not None:
            await given[0].accepted(given[1].item, self.settings.timeout_s)

    async def accepted_in_part(self, ticket: str, text: str, length: int) -> None:
        """Report to the server how much of its item was accepted."""
        if (given := self._given(ticket)) is not None:
            given[0].accepted_in_part(given[1].item, given[1].reached(text, length))

    def _ticket(self, session: LanguageServerSession, found: Continuation) -> str:
        ticket = str(next(self._numbers))
        self._tickets[ticket] = session, found
        if len(self._tickets) > _TICKETS:
            self._tickets.popitem(last=False)
        return ticket

    def _given(self, ticket: str) -> tuple[LanguageServerSession, Continuation] | None:
        """The item of a ticket, if its server still runs."""
        given = self._tickets.get(ticket)
        return None if given is None or given[0].is_dead else given

    async def _ready(self) -> LanguageServerSession:
        """The running server, or a new one."""
        if self._starting is None or self._is_over(self._starting):
            if self._in_vain >= _MOST_STARTS:
                raise ProviderError(
                    f"ended {_MOST_STARTS} times without an answer, and is not started again: {self._why}"
                )
            self._in_vain += 1
            self._starting = asyncio.create_task(start_session(self._launch()))
            self._starting.add_done_callback(self._began)
        return await asyncio.shield(self._starting)

    def _is_over(self, starting: asyncio.Task[LanguageServerSession]) -> bool:
        if not starting.done():
            return False
        if starting.cancelled() or starting.exception() is not None:
            return True
        session = starting.result()
        if session.is_dead:
            self._why = str(session.connection.exit_error())
        return session.is_dead

    def _began(self, starting: asyncio.Task[LanguageServerSession]) -> None:
        error = None if starting.cancelled() else starting.exception()
        if error is not None:
            self._why = str(error)

    def _launch(self) -> LaunchOptions:
        settings = self.settings
        env = _without_keys(os.environ, settings.pass_keys if settings.use_key else ())
        folder = Path(settings.folder) if settings.folder else None
        return LaunchOptions(
            self.command, folder, env, settings.options, self.folders, settings.start_s, settings.connect_s
        )


def _without_keys(env: Mapping[str, str], but: Collection[str]) -> dict[str, str]:
    """An environment without the keys of model servers, which are no affair of another program, `but` those that it is to have."""
    return {name: value for name, value in env.items() if name in but or name not in api_keys.VARIABLES}


def make(settings: ProviderSettings) -> LanguageServer:
    """The language server that the settings name, not started yet.

    Raises:
        ProviderMissing: no command is given, or its program is missing and not every answer comes from a record.

    """
    words = settings.words
    if not words:
        raise ProviderMissing(
            "provider 'lsp' needs provider.command (--server): the words that start a language server on standard input and "
            'output, as in --server "copilot-language-server --stdio"'
        )
    if settings.record.path and settings.record.mode == "require":
        return LanguageServer(settings, words)
    named = str(Path(settings.folder, words[0])) if os.path.dirname(words[0]) else words[0]  # noqa: PTH120 - ./x keeps its dot
    program = shutil.which(named)
    if program is None:
        raise ProviderMissing(
            f"the language server {words[0]!r} is not on PATH, or cannot be run: install it, or give its whole path in --server"
        )
    return LanguageServer(settings, (str(Path(program).absolute()), *words[1:]))
