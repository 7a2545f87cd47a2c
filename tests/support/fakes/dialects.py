"""The protocols of model servers, for the public fake: how each reads a request and streams an answer.

They follow the servers' published API descriptions; llama.cpp's also follows what a real server sends.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """The parts of a request that the model sees."""

    prompt: str
    limit: int
    seed: int | None
    temperature: float | None
    stops: Sequence[str]


class Dialect(Protocol):
    """The protocol of one kind of server. Bytes are whole events. `kind` is the content type."""

    kind: str

    def parse(self, route: str, body: Mapping[str, Any]) -> ModelRequest:
        """Read a request."""
        ...

    def begin(self, route: str, prompt_tokens: int) -> bytes:
        """The events before the first piece."""
        ...

    def piece(self, route: str, text: str, logprob: float | None) -> bytes:
        """One token."""
        ...

    def end(self, route: str, reason: str, tokens: int, prompt_tokens: int) -> bytes:
        """The events after the last piece; `reason` is stop or length."""
        ...

    def error(self, message: str) -> bytes:
        """An error in the middle of the stream."""
        ...

    def refusal(self, message: str) -> bytes:
        """The body of an error status."""
        ...


class OpenAIDialect:
    """`/v1/completions` and `/v1/chat/completions`."""

    kind = "text/event-stream"

    def parse(self, route: str, body: Mapping[str, Any]) -> ModelRequest:
        """Read a request."""
        prompt = body.get("prompt") or "\n".join(each["content"] for each in body.get("messages", ()))
        return ModelRequest(prompt, body["max_tokens"], body.get("seed"), body.get("temperature"), body.get("stop", ()))

    def begin(self, route: str, prompt_tokens: int) -> bytes:
        """In a chat, the role; else nothing."""
        if not route.endswith("chat/completions"):
            return b""
        delta = {"role": "assistant", "content": ""}
        return sse({"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]})

    def piece(self, route: str, text: str, logprob: float | None) -> bytes:
        """One token, with the log-probabilities of the route."""
        chats = route.endswith("chat/completions")
        choice: dict[str, Any] = {"index": 0, "finish_reason": None}
        choice |= {"delta": {"content": text}} if chats else {"text": text}
        if logprob is not None:
            new, old = {"content": [{"token": text, "logprob": logprob}]}, {"token_logprobs": [logprob]}
            choice["logprobs"] = new if chats else old
        return sse({"choices": [choice]})

    def end(self, route: str, reason: str, tokens: int, prompt_tokens: int) -> bytes:
        """The reason, the usage, and the end mark."""
        empty: dict[str, Any] = {"delta": {}} if route.endswith("chat/completions") else {"text": ""}
        usage = {"prompt_tokens": prompt_tokens, "completion_tokens": tokens}
        last = sse({"choices": [{"index": 0, "finish_reason": reason, **empty}]})
        return last + sse({"choices": [], "usage": usage}) + b"data: [DONE]\n\n"

    def error(self, message: str) -> bytes:
        """An error in the middle of the stream."""
        return sse({"error": {"message": message, "type": "server_error"}})

    def refusal(self, message: str) -> bytes:
        """The body of an error status."""
        return json.dumps({"error": {"message": message, "type": "invalid_request_error"}}).encode()


class LlamaCppDialect:
    """`/infill` of the llama.cpp server."""

    kind = "text/event-stream"

    def parse(self, route: str, body: Mapping[str, Any]) -> ModelRequest:
        """Read a request."""
        prompt = body["input_prefix"] + body["input_suffix"]
        return ModelRequest(prompt, body["n_predict"], body["seed"], body["temperature"], body["stop"])

    def begin(self, route: str, prompt_tokens: int) -> bytes:
        """The progress of reading the prompt."""
        progress = {"total": prompt_tokens, "cache": 0, "processed": prompt_tokens, "time_ms": 1}
        return sse({"index": 0, "content": "", "tokens": [], "stop": False, "prompt_progress": progress})

    def piece(self, route: str, text: str, logprob: float | None) -> bytes:
        """One token."""
        rows = {"completion_probabilities": [{"token": text, "logprob": logprob}]} if logprob is not None else {}
        return sse({"content": text, "stop": False, **rows})

    def end(self, route: str, reason: str, tokens: int, prompt_tokens: int) -> bytes:
        """The last event, with the counts."""
        return sse({"content": "", "stop": True, "tokens_predicted": tokens, "tokens_evaluated": prompt_tokens})

    def error(self, message: str) -> bytes:
        """An error in the middle of the stream."""
        return sse({"error": {"code": 500, "message": message, "type": "server_error"}})

    def refusal(self, message: str) -> bytes:
        """The body of an error status."""
        return json.dumps({"error": {"message": message, "type": "unavailable_error"}}).encode()


class OllamaDialect:
    """`/api/generate` and `/api/chat`."""

    kind = "application/x-ndjson"

    def parse(self, route: str, body: Mapping[str, Any]) -> ModelRequest:
        """Read a request."""
        options = body["options"]
        prompt = body.get("prompt") or "\n".join(each["content"] for each in body.get("messages", ()))
        return ModelRequest(prompt, options["num_predict"], options["seed"], options["temperature"], options["stop"])

    def begin(self, route: str, prompt_tokens: int) -> bytes:
        """Nothing."""
        return b""

    def piece(self, route: str, text: str, logprob: float | None) -> bytes:
        """One token."""
        rows = {"logprobs": [{"token": text, "logprob": logprob}]} if logprob is not None else {}
        return line({**_ollama(route, text), "done": False, **rows})

    def end(self, route: str, reason: str, tokens: int, prompt_tokens: int) -> bytes:
        """The last line, with the counts."""
        counts = {"eval_count": tokens, "prompt_eval_count": prompt_tokens}
        return line({**_ollama(route, ""), "done": True, "done_reason": reason, **counts})

    def error(self, message: str) -> bytes:
        """An error in the middle of the stream."""
        return line({"error": message})

    def refusal(self, message: str) -> bytes:
        """The body of an error status."""
        return json.dumps({"error": message}).encode()


class AnthropicDialect:
    """`/v1/messages`."""

    kind = "text/event-stream; charset=utf-8"

    def parse(self, route: str, body: Mapping[str, Any]) -> ModelRequest:
        """Read a request; there are no seeds."""
        prompt = "\n".join([body["system"], *(each["content"] for each in body["messages"])])
        return ModelRequest(prompt, body["max_tokens"], None, body.get("temperature"), body["stop_sequences"])

    def begin(self, route: str, prompt_tokens: int) -> bytes:
        """The start of the message and of its only block, and a ping."""
        message = {"type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": prompt_tokens}}
        block = {"index": 0, "content_block": {"type": "text", "text": ""}}
        return _named("message_start", message=message) + _named("content_block_start", **block) + _named("ping")

    def piece(self, route: str, text: str, logprob: float | None) -> bytes:
        """One piece, without a probability."""
        return _named("content_block_delta", index=0, delta={"type": "text_delta", "text": text})

    def end(self, route: str, reason: str, tokens: int, prompt_tokens: int) -> bytes:
        """The end of the block, the usage, the end of the message."""
        why = {"stop": "stop_sequence", "length": "max_tokens"}[reason]
        counted = _named("message_delta", delta={"stop_reason": why}, usage={"output_tokens": tokens})
        return _named("content_block_stop", index=0) + counted + _named("message_stop")

    def error(self, message: str) -> bytes:
        """An error in the middle of the stream."""
        return _named("error", error={"type": "overloaded_error", "message": message})

    def refusal(self, message: str) -> bytes:
        """The body of an error status."""
        return json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": message}}).encode()


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        "openai": OpenAIDialect(),
        "llamacpp": LlamaCppDialect(),
        "ollama": OllamaDialect(),
        "anthropic": AnthropicDialect(),
    }
)


def sse(value: Mapping[str, Any], name: str = "") -> bytes:
    """One server-sent event with JSON. Characters are not escaped, so that a fake can cut the bytes of one."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def line(value: Mapping[str, Any]) -> bytes:
    """One JSON line."""
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def _named(name: str, **values: Any) -> bytes:
    return sse({"type": name, **values}, name)


def _ollama(route: str, text: str) -> dict[str, Any]:
    text_member: dict[str, Any] = (
        {"message": {"role": "assistant", "content": text}} if "chat" in route else {"response": text}
    )
    return {"model": "fake", "created_at": "2026-01-01T00:00:00Z", **text_member}
