"""Whether a model server can answer is found out with one question, and what to do is said."""

import asyncio
import socket
import threading
from contextlib import asynccontextmanager

import pytest

from server.errors import ProviderError
from server.providers import probing
from server.providers.probing import SERVERS, probe, remedy
from server.settings import AnswerRecord, ProviderSettings
from tests.support.fakes.dialects import DIALECTS
from tests.support.fakes.model_server import FakeModelServer, FakeScript, FakeStatus
from tests.support.waiting import PATIENCE_S


def settings_of(url, name="openai", **more):
    path = "/v1" if name == "openai" else ""
    return ProviderSettings(name=name, base_url=f"{url}{path}", model="m", tries=1, **more)


@pytest.mark.parametrize("name", sorted(SERVERS))
async def test_a_server_that_answers_is_asked_once_for_the_beginning_of_an_answer(name, monkeypatch, tmp_path):
    monkeypatch.setenv("GHOSTTAPE_API_KEY", "sk-test")
    record = AnswerRecord(path=str(tmp_path / "answers.jsonl"), mode="write")
    async with FakeModelServer(DIALECTS[name], FakeScript(pieces=["a", "b"], delay_s=0.01)) as server:
        assert await probe(settings_of(server.url, name, record=record)) == ""
    assert len(server.asked) == 1
    assert not (tmp_path / "answers.jsonl").exists(), "a record holds what the run asked"


@pytest.mark.parametrize(
    ("status", "message", "what"),
    [
        (401, "Incorrect API key", "set it in GHOSTTAPE_API_KEY or OPENAI_API_KEY"),
        (403, "forbidden", "the key is wrong or missing"),
        (402, "insufficient balance", "no credit"),
        (404, "The model `m` does not exist", "with --model"),
        (404, "Not Found", "the right URL with --base-url"),
        (405, "Method Not Allowed", "the right URL with --base-url"),
    ],
)
async def test_what_every_question_would_be_refused_for_is_refused_with_what_to_do(status, message, what):
    refusals = FakeScript(first=[FakeStatus(status, message=message)] * 2)  # openai's two routes
    async with FakeModelServer(DIALECTS["openai"], refusals) as server:
        with pytest.raises(ProviderError, match=rf"answered {status}: {message}.*{what}"):
            await probe(settings_of(server.url))


@pytest.mark.parametrize("status", [400, 413, 422, 429, 500, 502, 503])
async def test_what_another_question_may_not_meet_is_a_warning(status):
    async with FakeModelServer(DIALECTS["openai"], FakeScript(first=[FakeStatus(status)])) as server:
        assert f"answered {status}" in await probe(settings_of(server.url))


async def test_a_web_page_means_another_url():
    page = FakeStatus(200, headers={"Content-Type": "text/html"}, body=b"<html>Welcome</html>")
    async with FakeModelServer(DIALECTS["openai"], FakeScript(first=[page])) as server:
        with pytest.raises(ProviderError, match=r"web page.*--base-url"):
            await probe(settings_of(server.url))


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
async def test_a_server_that_is_not_there_is_refused(host):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ProviderError, match=rf"{host}:{port}: no connection.*start the model server.*--base-url"):
        await probe(settings_of(f"http://{host}:{port}"))


async def test_a_look_up_that_hangs_is_given_up_and_holds_up_nothing(monkeypatch):
    monkeypatch.setattr(probing, "_LOOK_UP_S", 0.2)
    ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: ended.wait())
    with pytest.raises(
        ProviderError, match=r"somewhere\.invalid: no name server answers within 0\.2 s: look at the network"
    ):
        await probe(settings_of("http://somewhere.invalid"))
    ended.set()  # not before: the look-up outlives the probe


@asynccontextmanager
async def silent(*, lists_models):
    """A server that takes every request and answers none, or only those for its models."""

    async def met(reader, writer):
        asked = await reader.readuntil(b"\r\n\r\n")
        if lists_models and asked.startswith(b"GET"):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        await reader.read()
        writer.close()

    server = await asyncio.start_server(met, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


async def test_a_server_that_hangs_is_refused():
    async with silent(lists_models=False) as url:
        with pytest.raises(ProviderError, match=r"no answer to anything within 0\.5 s.*--base-url"):
            await probe(settings_of(url), within_s=0.3, alive_s=0.2)


async def test_a_server_that_is_slow_but_alive_is_waited_for():
    async with silent(lists_models=True) as url:
        assert "may be loading its model" in await probe(settings_of(url), within_s=0.3, alive_s=PATIENCE_S)


def test_a_key_that_is_not_sent_is_not_called_wrong():
    said = remedy("h:80 answered 401: no", settings_of("http://h", use_key=False))
    assert said == "a server that only ghosttape.toml names gets no key: name it with --base-url"
