"""Records of answers: written whole, given again piece by piece, required without a model."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from contextlib import aclosing

import pytest
from msgspec.structs import replace

from server.context import Context
from server.errors import ProviderError, ProviderMissing
from server.prompt import ChatMessage, Prompt
from server.providers import registry
from server.providers.fixed import Fixed
from server.providers.protocol import AnswerMetadata, AnswerText, OfflineProvider, Request, feedback_provider
from server.providers.wrappers.answer_file import AnswerFile
from server.providers.wrappers.recording import RecordingProvider
from server.settings import AnswerRecord, ProviderSettings

CONTEXT = Context("a.py", "python", "x = ", "\n")


class Model(OfflineProvider):
    """Words its prompt, and answers with pieces of every kind; fails after them if it is told to."""

    name = "model"

    def __init__(self, pieces=(), fails="") -> None:
        self.pieces, self.fails, self.asked = list(pieces), fails, 0

    async def complete(self, request):
        self.asked += 1
        for piece in self.pieces:
            yield AnswerText(piece) if isinstance(piece, str) else piece
        if self.fails:
            raise ProviderError(self.fails)


PIECES = [
    AnswerMetadata(prompt="as sent"),
    AnswerText("a", -0.1, 1),
    AnswerText("b"),
    AnswerText("\u2028😀\n", None, 3),
    AnswerMetadata(tokens=5, prompt_tokens=2),
]


def _recording(model, path, mode, **settings) -> RecordingProvider:
    chosen = ProviderSettings(record=AnswerRecord(path=str(path), mode=mode), **settings)
    file = AnswerFile(path)
    if path.exists():
        file.read()
    return RecordingProvider(model, model.prompt, file, chosen, "m")


def _request(**changes) -> Request:
    return replace(Request("x = ", "\n", "auto", CONTEXT, Fixed().prompt(CONTEXT)), **changes)


async def _pieces(provider, **changes):
    """The pieces of an answer, without the metadata that marks its end."""
    taken = [piece async for piece in provider.complete(_request(**changes))]
    return [piece for piece in taken if not _is_end(piece)]


def _is_end(piece):
    facts = ("prompt", "prompt_tokens", "tokens", "covers", "ticket")
    return isinstance(piece, AnswerMetadata) and all(getattr(piece, name) is None for name in facts)


def _seen(pieces):
    """Pieces without their times."""
    return [replace(piece, at=None) for piece in pieces]


async def _texts(provider, **changes):
    return [piece.text for piece in await _pieces(provider, **changes)]


async def test_an_answer_comes_again_piece_by_piece_as_it_came(tmp_path):
    written = await _pieces(_recording(Model(PIECES), tmp_path / "r.jsonl", "write"))
    silent = Model()
    again = await _pieces(_recording(silent, tmp_path / "r.jsonl", "require"))
    assert _seen(again) == _seen(written) == _seen(PIECES)
    assert silent.asked == 0


async def test_replay_asks_for_what_the_record_lacks_and_writes_it(tmp_path):
    path, model = tmp_path / "r.jsonl", Model(["new"])
    assert await _texts(_recording(model, path, "replay")) == ["new"]
    assert await _texts(_recording(model, path, "replay")) == ["new"]
    assert model.asked == 1


async def test_write_asks_again_and_the_later_answer_holds(tmp_path):
    path = tmp_path / "r.jsonl"
    await _pieces(_recording(Model(["old"]), path, "write"))
    assert await _texts(_recording(Model(["new"]), path, "write")) == ["new"]
    assert await _texts(_recording(Model(), path, "require")) == ["new"]


async def test_a_required_answer_that_is_missing_is_a_failure_that_names_the_file(tmp_path):
    await _pieces(_recording(Model(["a"]), tmp_path / "r.jsonl", "write"))
    with pytest.raises(ProviderMissing, match=r"r\.jsonl holds no answer under [0-9a-f]{12}…: record the run again"):
        await _pieces(_recording(Model(["a"]), tmp_path / "r.jsonl", "require"), before="y = ")


@pytest.mark.parametrize(
    "changes",
    [{"seed": 1}, {"temperature": 0.1}, {"max_tokens": 3}, {"api": "chat"}, {"base_url": "http://h"}, {"heal": True}],
)
def test_each_parameter_has_answers_of_its_own(tmp_path, changes):
    keys = {_recording(Model(), tmp_path / "r", "replay", **each).key(_request()) for each in ({}, changes)}
    assert len(keys) == 2


def test_each_place_sample_and_model_has_answers_of_its_own(tmp_path):
    plain = _recording(Model(), tmp_path / "r", "replay")
    other = _recording(Model(), tmp_path / "r", "replay")
    other.model = "n"
    requests = [_request(), _request(sample=1), _request(before="y"), _request(after="y"), _request(stop="line")]
    keys = [*(plain.key(request) for request in requests), other.key(_request())]
    assert len(set(keys)) == len(keys)
    assert plain.key(_request(before="\ud83d")) != plain.key(_request(before="\ud83e"))


def test_each_chat_has_answers_of_its_own_whatever_its_context(tmp_path):
    plain = _recording(Model(), tmp_path / "r", "replay")
    chats = [_request(is_chat=True, prompt=Prompt(messages=(ChatMessage("user", text),))) for text in ("a", "b")]
    assert len({plain.key(request) for request in (*chats, _request())}) == 3


def test_time_limits_and_keys_have_no_part_in_it(tmp_path):
    changed = {"timeout_s": 1.0, "tries": 9, "use_key": False, "threads": 2, "connect_s": 9.0}
    keys = {_recording(Model(), tmp_path / "r", "replay", **each).key(_request()) for each in ({}, changed)}
    assert len(keys) == 1


def _key_of_lsp(tmp_path, folders=(), **settings) -> str:
    record = AnswerRecord(path=str(tmp_path / "r.jsonl"), mode="require")
    (tmp_path / "r.jsonl").touch()
    made = registry.make(ProviderSettings(name="lsp", record=record, **settings))
    feedback_provider(made).set_folders(folders)
    return made.key(_request())


def test_what_tells_a_language_server_the_same_has_the_same_answers(tmp_path):
    keys = {
        _key_of_lsp(tmp_path, command=command, options=options)
        for command in ("serve -x 'a b'", ("serve", "-x", "a b"))
        for options in ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1})
    }
    assert len(keys) == 1


def test_what_tells_a_language_server_something_else_has_answers_of_its_own(tmp_path):
    told = [
        {"command": "serve"},
        {"command": "serve -x"},
        {"command": "serve", "options": {"a": 1}},
        {"command": "serve", "folders": ["file:///p"]},
        {"command": "serve", "folders": ["file:///q"]},
    ]
    assert len({_key_of_lsp(tmp_path, **each) for each in told}) == len(told)


async def test_required_answers_of_a_language_server_need_no_server(tmp_path):
    record = AnswerRecord(path=str(tmp_path / "r.jsonl"), mode="require")
    (tmp_path / "r.jsonl").touch()
    required = registry.make(ProviderSettings(name="lsp", command="no-such-server --stdio", record=record))
    await required.start()
    with pytest.raises(ProviderMissing, match="holds no answer"):
        await _pieces(required)
    await required.close()
    with pytest.raises(ProviderMissing, match="not on PATH"):
        registry.make(ProviderSettings(name="lsp", command="no-such-server --stdio"))


async def test_a_failure_is_repeated_where_all_is_required_and_asked_again_elsewhere(tmp_path):
    path = tmp_path / "r.jsonl"
    with pytest.raises(ProviderError, match="no more"):
        await _pieces(_recording(Model(["a"], fails="no more"), path, "write"))
    with pytest.raises(ProviderError, match="no more"):
        await _pieces(_recording(Model(), path, "require"))
    assert await _texts(_recording(Model(["b"]), path, "replay")) == ["b"]
    assert await _texts(_recording(Model(), path, "require")) == ["b"]


async def _first(provider):
    async with aclosing(provider.complete(_request())) as stream:
        return (await anext(stream)).text


async def test_an_answer_that_was_left_half_way_serves_as_far_as_it_goes(tmp_path):
    path = tmp_path / "r.jsonl"
    assert await _first(_recording(Model(["a", "b", "c"]), path, "write")) == "a"
    assert await _first(_recording(Model(), path, "require")) == "a"
    with pytest.raises(ProviderMissing, match="holds only the start"):
        await _pieces(_recording(Model(), path, "require"))
    assert "".join(await _texts(_recording(Model(["ab", "c"]), path, "replay"))) == "abc"
    assert "".join(await _texts(_recording(Model(), path, "require"))) == "abc"


async def test_a_model_that_answers_otherwise_than_its_record_is_found_out(tmp_path):
    path = tmp_path / "r.jsonl"
    await _first(_recording(Model(["a", "b"]), path, "write"))
    with pytest.raises(ProviderError, match="does not repeat the answer"):
        await _pieces(_recording(Model(["x", "y"]), path, "replay"))


async def test_of_a_cancelled_answer_the_time_it_was_waited_for_is_written(tmp_path):
    path = tmp_path / "r.jsonl"
    asked = asyncio.ensure_future(_pieces(_recording(Fixed("abc", delay_s=9, piece=1), path, "write")))
    await asyncio.sleep(0.05)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    row = json.loads(path.read_bytes())
    assert (row["pieces"], row["ended"], row["prompt"]) == ([], False, "")
    assert row["took"] >= 40


async def test_a_line_that_was_cut_off_costs_only_itself(tmp_path):
    path = tmp_path / "r.jsonl"
    await _pieces(_recording(Model(["a"]), path, "write"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    assert await _texts(_recording(Model(), path, "require")) == ["a"]
    await _pieces(_recording(Model(["b"]), path, "write"), before="y")
    assert await _texts(_recording(Model(), path, "require")) == ["a"]
    assert await _texts(_recording(Model(), path, "require"), before="y") == ["b"]


def test_a_line_of_another_kind_is_refused_with_its_number(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text('\n{"key": "a", "text": "b"}\n', encoding="utf-8")
    with pytest.raises(ProviderMissing, match=r"r\.jsonl:2: not a recorded answer"):
        AnswerFile(path).read()


def test_a_record_that_is_not_there_is_said_before_anything_runs(tmp_path):
    record = AnswerRecord(path=str(tmp_path / "none.jsonl"), mode="require")
    with pytest.raises(ProviderMissing, match=r"none\.jsonl cannot be read"):
        registry.make(ProviderSettings(name="fixed", record=record))


WRITER = """
import asyncio, sys
from pathlib import Path
from server.context import Context
from server.prompt import Prompt
from server.providers import registry
from server.prompt import ChatMessage, Prompt
from server.providers.protocol import Request
from server.settings import AnswerRecord, ProviderSettings
made = registry.make(ProviderSettings(name="fixed", text="a" * 2000, record=AnswerRecord(path=sys.argv[1], mode="write")))
async def main():
    for number in range(10**6):
        request = Request(str(number), "", "auto", Context("a", "python", str(number), ""), Prompt())
        async for piece in made.complete(request):
            pass
        print(number, flush=True)
asyncio.run(main())
"""


def test_a_killed_process_leaves_every_answer_that_it_had_finished(tmp_path):
    path = tmp_path / "r.jsonl"
    argv = [sys.executable, "-c", textwrap.dedent(WRITER), str(path)]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    told = 0
    while told < 200:
        told = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    lines = path.read_bytes().split(b"\n")
    assert len(lines) - 1 > told
    assert {len(json.loads(line)["pieces"][0]) for line in lines[:-1]} == {2000}
    process.stdout.close()


async def test_required_answers_of_the_embedded_model_need_no_model(tmp_path, monkeypatch):
    record = AnswerRecord(path=str(tmp_path / "r.jsonl"), mode="write")
    (tmp_path / "r.jsonl").touch()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    required = registry.make(ProviderSettings(record=AnswerRecord(path=record.path, mode="require")))
    await required.start()
    request = _request(prompt=required.prompt(CONTEXT))
    with pytest.raises(ProviderMissing, match="holds no answer"):
        _ = [piece async for piece in required.complete(request)]
    await required.close()
    with pytest.raises(ProviderMissing, match="not installed"):
        registry.make(ProviderSettings(record=record))
