"""The parameters of a request for completions, with the members that only this server reads; and errors in parameters."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, get_args

import attrs
import cattrs
from cattrs.v import format_exception
from lsprotocol import types
from pygls.protocol import default_converter
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage

from server.documents import Document
from server.nearest import did_you_mean
from server.wire import wire_messages
from syntax.wanted import Stop

_PLACE = re.compile(r"@ \$\S*")
_UNDERSCORE = re.compile(r"_([a-z0-9])")


class InvalidMember(ValueError):  # noqa: N818 - named for what it says
    """A member that only this server reads holds a value that is not allowed; the message names the member."""


@attrs.define
class CompletionParams(types.InlineCompletionParams):
    """The parameters of `textDocument/inlineCompletion`, and what the server adds to them when the request arrives."""

    stop: Stop = attrs.field(default="auto")
    """Where the answer ends. Other servers ignore this member and the next five."""
    will_cancel: str = attrs.field(default="")
    """A token, when the client already knows that it will cancel the request; else empty.

    The server sends the token back in `ghosttape/underway` when the provider has been asked, and the client cancels then. A replay does
    not wait in real time; this way it cancels the same requests that a person would have cancelled, in each run.
    """
    sample: int = attrs.field(default=0)
    """Index of the sample, from 0. Each sample is a question of its own, with a seed of its own."""
    patience: float = attrs.field(default=0.0)
    """With `will_cancel`: after how many ms the client cancels. A server whose provider reads or writes a record with times goes by them:
    it sends the token back as soon as the answer is known to be later than that, and answers however long it takes otherwise.
    """
    streams: str = attrs.field(default="")
    """A token, when the client wants to see an answer that takes long while it comes: what there is of it, unrepaired, is sent with the token in
    `ghosttape/streamed`, ten times a second at the most; else empty.
    """
    evidence: tuple[str, ...] = attrs.field(default=())
    """URIs of open documents that the prompt shows, in this order of importance, in the place of everything else that is open or on disk."""
    document: Document | None = attrs.field(default=None)
    """The document as it was when the request arrived; None when it is not open. Not on the wire."""
    shown: tuple[Document, ...] = attrs.field(default=())
    """The documents of `evidence` that are open, likewise. Not on the wire."""
    request: int = attrs.field(default=0)
    """Number of the request among all requests for completions, from 1. Not on the wire."""

    @classmethod
    def of(cls, wire: wire_messages.WireCompletionParams) -> CompletionParams:
        """The same parameters, decoded straight from the wire."""
        kind = types.InlineCompletionTriggerKind(wire.context.trigger_kind)
        return cls(
            types.InlineCompletionContext(kind),
            types.TextDocumentIdentifier(wire.text_document.uri),
            wire_messages.position(wire.position),
            wire.work_done_token,
            wire.stop,
            wire.will_cancel,
            wire.sample,
            wire.patience,
            wire.streams,
            wire.evidence,
        )


@functools.cache
def converter() -> cattrs.Converter:
    """Pygls' converter, made once for all servers of a process, which also keeps the members of a request for completions that only this server reads."""
    made: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    plain = made.get_structure_hook(types.InlineCompletionParams)

    def structure(data: Mapping[str, Any], _: type) -> CompletionParams:
        params = plain(data, types.InlineCompletionParams)
        stop: Any = data.get("stop") or "auto"
        if stop not in get_args(Stop):
            known = f"{', '.join(get_args(Stop))}{did_you_mean(str(stop), get_args(Stop))}"
            raise InvalidMember(f"stop is {stop!r}, which is none of {known}")
        will_cancel, sample = str(data.get("willCancel") or ""), data.get("sample") or 0
        if type(sample) is not int or not 0 <= sample < 2**31:
            raise InvalidMember(f"sample is {sample!r}: samples are counted from 0")
        patience = data.get("patience") or 0.0
        if type(patience) not in {int, float} or not patience >= 0:
            raise InvalidMember(f"patience is {patience!r}: it is a number of ms")
        return CompletionParams(
            params.context,
            params.text_document,
            params.position,
            params.work_done_token,
            stop,
            will_cancel,
            sample,
            patience,
            str(data.get("streams") or ""),
            _evidence(data.get("evidence") or ()),
        )

    made.register_structure_hook(types.InlineCompletionParams, structure)
    for message in (JsonRPCRequestMessage, JsonRPCNotification):  # methods of our own: their parameters stay JSON
        made.register_structure_hook(message, lambda data, kind: kind(**data))
    return made


def _evidence(said: Any) -> tuple[str, ...]:
    if not isinstance(said, (list, tuple)) or not all(isinstance(uri, str) for uri in said):
        raise InvalidMember(f"evidence is {said!r}: it is a list of URIs of open documents")
    return tuple(said)


def describe(error: BaseException) -> str:
    """What a converter's error says, each problem with its place in wire names.

    `required field missing @ $.params.textDocument`, where pygls calls the member `text_document`.
    """
    problems = cattrs.transform_error(error, format_exception=_text)
    return "; ".join(_PLACE.sub(_in_wire_names, problem) for problem in problems)


def _text(error: BaseException, kind: type | None) -> str:
    return str(error) if isinstance(error, InvalidMember) else format_exception(error, kind)


def _in_wire_names(place: re.Match[str]) -> str:
    return _UNDERSCORE.sub(lambda letter: letter[1].upper(), place[0])
