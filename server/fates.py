"""What an editor tells of the items that it was given, handed on to a provider that wants to hear it (`Heeds`).

LSP has words for one fate only: an item that is accepted has its command run. That it was shown, and that its beginning was accepted,
is told as editors tell GitHub Copilot's language server.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import Any

import msgspec
from pygls.exceptions import JsonRpcInvalidParams

from server.errors import ProviderError
from server.keys import masked
from server.messages import read
from server.providers.protocol import Heeds

_log = logging.getLogger("ghosttape.server")


class _Command(msgspec.Struct, frozen=True):
    arguments: tuple[Any, ...] = ()


class _Item(msgspec.Struct, frozen=True, rename="camel"):
    insert_text: str = ""
    command: _Command = _Command()


class _Told(msgspec.Struct, frozen=True, rename="camel"):
    item: _Item
    accepted_length: int = 0

    @property
    def ticket(self) -> str:
        """What names the provider's answer; empty of an item that says nothing of it."""
        arguments = self.item.command.arguments
        return arguments[1] if len(arguments) > 1 and isinstance(arguments[1], str) else ""


async def shown(heeds: Heeds, params: Any) -> None:
    """An item came on the screen."""
    if (told := _read(params)) is not None and told.ticket:
        await _tried(heeds.shown(told.ticket))


async def accepted_in_part(heeds: Heeds, params: Any) -> None:
    """The beginning of an item was accepted."""
    if (told := _read(params)) is not None and told.ticket:
        await _tried(heeds.accepted_in_part(told.ticket, told.item.insert_text, told.accepted_length))


async def accepted(heeds: Heeds, ticket: Any) -> None:
    """An item was accepted."""
    if isinstance(ticket, str):
        await _tried(heeds.accepted(ticket))


def _read(params: Any) -> _Told | None:
    try:
        return read(params, _Told)
    except JsonRpcInvalidParams:
        return None  # it says nothing


async def _tried(telling: Awaitable[None]) -> None:
    """That a provider cannot be told makes nothing worse for the person."""
    try:
        await telling
    except ProviderError as error:
        _log.warning("%s", masked(str(error)))
