"""Keys: where they come from, where they go, and that they are found nowhere else, whatever goes wrong."""

from __future__ import annotations

import asyncio
import logging
import os
from io import BytesIO
from urllib.parse import quote

import pytest
from lsprotocol import types
from pygls.exceptions import FeatureNotificationError, JsonRpcException, JsonRpcInternalError
from pytest_lsp import LanguageClient

from server import api_keys
from server.errors import ProviderMissing, SettingsError
from server.lsp import completion
from server.lsp.language_server import create
from server.lsp.params import CompletionParams
from server.lsp.protocol import RequestFailed
from server.providers.fixed import Fixed
from server.providers.http.refusals import error_message
from server.settings import CacheSettings, Settings, parse
from tests.support import language_server
from tests.support.fakes.dialects import DIALECTS
from tests.support.fakes.model_server import FakeModelServer, FakeScript, FakeStatus
from tests.support.preloaded import preloaded_script
from tests.support.waiting import PATIENCE_S
from tui.commands.options.configuration import settings_of
from tui.errors import ConfigurationError

MARK = "sk-MARKED-0123456789"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for names in api_keys.NAMES.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("ollama", "OLLAMA_API_KEY"),
        ("llamacpp", "LLAMA_API_KEY"),
    ],
)
def test_each_provider_has_its_own_key_and_ours_goes_before_it(provider, name, monkeypatch):
    monkeypatch.setenv(name, "theirs")
    assert [api_keys.key_of(other) for other in api_keys.NAMES].count("theirs") == 1
    assert api_keys.key_of(provider) == "theirs"
    monkeypatch.setenv("GHOSTTAPE_API_KEY", "ours")
    assert api_keys.key_of(provider) == "ours"


def test_white_space_around_a_key_is_no_part_of_it(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", " abc\n")
    assert api_keys.key_of() == "abc"
    assert api_keys.masked("no key abc here") == "no key … here"


@pytest.mark.parametrize("key", ["a\nb", "ключ", "a\x00b".replace("\x00", "\x01")])
def test_a_key_that_no_header_can_carry_is_refused_without_being_said(key, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ProviderMissing, match="the key in OPENAI_API_KEY has characters") as refused:
        api_keys.key_of()
    assert key not in str(refused.value)


def test_a_key_that_holds_another_is_masked_as_a_whole(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "abc")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "abcdef")
    assert api_keys.masked("abcdef abc") == "… …"


@pytest.mark.parametrize("size", [5, 12, len(MARK) - 1])
def test_a_key_that_is_cut_off_at_the_end_is_masked(size, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", MARK)
    assert api_keys.masked(f"no key {MARK[:size]}") == "no key …"


def test_a_key_is_masked_as_messages_and_urls_quote_it(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a\\b'c/d\"e")
    for text in (str(ValueError(api_keys.key_of())), repr(api_keys.key_of()), quote(api_keys.key_of(), safe="")):
        assert api_keys.masked(text).strip("'") == "…"


@pytest.mark.parametrize("name", list(DIALECTS))
@pytest.mark.parametrize("before", [*range(300 - len(MARK) - 2, 302, 3), *range(2000 - len(MARK) - 2, 2002, 3)])
def test_a_key_is_masked_wherever_the_message_is_cut(name, before, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", MARK)
    bodies = [DIALECTS[name].refusal("x" * before + MARK), f"{'x' * before}{MARK}".encode()]
    bodies += [f"{' ' * before}{MARK}".encode()]
    parts = {MARK[at : at + 5] for at in range(len(MARK) - 4)}
    for body in bodies:
        assert not any(part in error_message(body[:2000]) for part in parts)


async def test_a_fault_reaches_the_editor_as_a_failure_with_its_reason_and_is_what_is_explained(monkeypatch, caplog):
    monkeypatch.setenv("OPENAI_API_KEY", MARK)
    server = create(Settings(cache=CacheSettings(entries=0)), Fixed("return 1"))
    server.documents.open("file:///a.py", "python", 1, "def f():\n    ")
    asked = CompletionParams(
        types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic),
        types.TextDocumentIdentifier("file:///a.py"),
        types.Position(1, 4),
    )
    asked.document = server.documents.get("file:///a.py")
    where = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 1, "character": 4}}
    assert await completion.complete(server, asked)
    assert (await completion.explain(server, where))["outcome"] == "shown"

    def broken(context):
        raise ValueError(f"Bearer {MARK}")

    monkeypatch.setattr(Fixed, "prompt", lambda self, context: broken(context))
    with pytest.raises(RequestFailed, match="ValueError: Bearer …") as failed:
        await completion.complete(server, asked)
    assert failed.value.code == -32803
    explained = await completion.explain(server, where)
    assert (explained["outcome"], explained["reason"]) == ("failed", "ValueError: Bearer …")
    assert "Traceback" in caplog.text
    assert MARK not in str(explained) + caplog.text


def test_an_error_goes_to_the_editor_without_the_key_and_without_where_in_our_files_it_was(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", MARK)
    server, said = create(provider=Fixed("")), BytesIO()
    server.protocol.set_writer(said)
    traceback = {"traceback": ["File /home/me/server.py"]}
    server.protocol._send_response(1, error=types.ResponseError(-32603, f"ValueError: {MARK}", traceback))
    server.protocol._refuse(2, JsonRpcInternalError(MARK))
    server.report_server_error(JsonRpcInternalError(MARK, data=traceback), FeatureNotificationError)
    assert said.getvalue().count("…".encode()) + said.getvalue().count(b"\\u2026") == 3
    assert MARK.encode() not in said.getvalue()
    assert b"server.py" not in said.getvalue()


def test_the_log_holds_no_key_not_even_in_a_traceback(monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", MARK)
    root = logging.getLogger()
    before, root.handlers = root.handlers, []
    try:
        api_keys.log_to_standard_error(logging.WARNING)
        try:
            int(MARK)
        except ValueError:
            root.exception("it failed")
    finally:
        root.handlers = before
    told = capsys.readouterr().err
    assert "ValueError: invalid literal for int() with base 10: '…'" in told
    assert MARK not in told


def test_a_url_with_a_password_in_it_is_refused_without_being_said():
    with pytest.raises(SettingsError, match="base_url holds a password") as refused:
        parse('{"provider": {"base_url": "https://me:hunter2@host/v1"}}')
    assert "hunter2" not in str(refused.value)


def test_a_folder_cannot_name_a_file_to_record_into(tmp_path):
    (tmp_path / "ghosttape.toml").write_text('[server.provider.record]\npath = "/etc/profile"\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"ghosttape\.toml: provider\.record"):
        settings_of("{}", {}, tmp_path)


def test_a_folder_that_names_a_server_does_not_get_it_the_key(tmp_path):
    (tmp_path / "ghosttape.toml").write_text('[server.provider]\nbase_url = "http://127.0.0.1:9"\n', encoding="utf-8")
    assert settings_of("{}", {"name": "anthropic"}, tmp_path).provider.use_key is False
    assert settings_of("{}", {"base_url": "http://mine"}, tmp_path).provider.use_key is True


FAILURES = [
    FakeStatus(401, message=f"Incorrect API key provided: {MARK}"),
    FakeStatus(400, {"X-Echo": MARK}, f"header Authorization: Bearer {MARK}"),
    FakeStatus(200, {"Content-Type": "application/json"}, body=f'{{"error": "{MARK}"}}'.encode()),
    FakeStatus(200, {"Content-Type": "text/html"}, body=f"<html>{MARK}</html>".encode()),
    FakeStatus(302, {"Location": f"http://127.0.0.1:9/{MARK}"}),
    None,
]


@pytest.fixture
async def editor(tmp_path, monkeypatch):
    """The real server as an editor starts it, in a folder, with a recording of the session."""
    for names in api_keys.NAMES.values():
        monkeypatch.setenv(names[1], MARK)
    folder = tmp_path / "project"
    folder.mkdir()
    client = LanguageClient(converter_factory=language_server._converter)
    await client.start_io(preloaded_script(), "serve", "--stdio", "--record", str(tmp_path / "tapes"))

    async def greeted(provider):
        workspace = [types.WorkspaceFolder(folder.as_uri(), "project")]
        options = {"provider": provider}
        params = types.InitializeParams(types.ClientCapabilities(), workspace_folders=workspace)
        params.initialization_options = options
        await client.initialize_session(params)
        return language_server.Editor(client)

    yield greeted
    await client.stop()


@pytest.mark.parametrize("name", list(DIALECTS))
async def test_a_marked_key_is_found_nowhere_in_a_session(editor, tmp_path, capfd, name):
    """What the server says, writes on standard error, records of the session, and keeps of each answer."""
    seen, record = [], {"path": str(tmp_path / "answers.jsonl"), "mode": "write"}
    async with FakeModelServer(DIALECTS[name], FakeScript(["return 1"], first=list(FAILURES))) as fake:
        url = fake.url + ("/v1" if name == "openai" else "")
        settings = {"name": name, "model": "m", "base_url": url, "tries": 1, "record": record, "api": "chat"}
        client = await editor(settings)
        for number in range(len(FAILURES) + 1):
            file = tmp_path / "project" / f"a{number}.py"
            file.write_text("def f():\n    ", encoding="utf-8")
            client.open("def f():\n    ", file.as_uri())
            client.change(2, (1, 4, 1, 4, "x = "), uri=file.as_uri())
            seen.append(await _asked(client, file.as_uri()))
        assert any("return 1" in each for each in seen)
        sent = [value for asked in fake.asked for value in asked.headers.values() if MARK in value]
        assert len(sent) == len(fake.asked) == len(FAILURES) + 1
        await client.client.shutdown_session()
    errors = capfd.readouterr().err
    assert "…" in errors
    assert (tmp_path / "answers.jsonl").is_file()
    assert list((tmp_path / "tapes").rglob("*.tape.jsonl"))
    _nowhere(tmp_path, "\n".join([*seen, errors]))


async def _asked(client, uri):
    """All that one question brings: the item or the error, and the explanation."""
    try:
        told = str(await client.ask(1, 8, uri=uri))
    except JsonRpcException as error:
        told = f"{error}\n{error.message}\n{error.data}"
    return f"{told}\n{await client.explain(1, 8, uri)}"


async def test_a_marked_key_is_found_nowhere_in_a_run(tmp_path):
    """A replay: its store, its report, its error output, what it records; half of its requests fail."""
    failing = [status for _ in range(2) for status in FAILURES[:2]]
    async with FakeModelServer(DIALECTS["openai"], FakeScript(["pass\n"], first=failing)) as fake:
        words = ["replay", "demo", "--provider", "openai", "--base-url", f"{fake.url}/v1", "--limit", "4", "--no-tests"]
        words += [
            "--keep-going",
            "--json",
            "--out",
            "run",
            "--record-answers",
            "answers.jsonl",
            "--settings",
            '{"provider": {"tries": 1}}',
        ]
        environment = {**os.environ, "OPENAI_API_KEY": MARK, "GHOSTTAPE_CACHE": str(tmp_path / "cache")}
        process = await asyncio.create_subprocess_exec(
            preloaded_script(),
            *words,
            cwd=tmp_path,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode == 1, err
    assert MARK in str([asked.headers for asked in fake.asked])
    assert b'"failed": 4' in out
    _nowhere(tmp_path, (out + err).decode())


def _nowhere(folder, said):
    assert MARK not in said
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert MARK.encode() not in path.read_bytes(), path
