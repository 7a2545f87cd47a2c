"""A session recorded by the program as an editor starts it: a real client over standard input and output."""

import asyncio

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from replay.importers.tape_check import check
from replay.run.store import Store
from replay.tapes.tape import Edit, Ghost, Run, Select, State
from syntax.text import encode, offset_at, splice
from tests.support.recorded_editor import ANSWER, finals, tapes, until

AWS = "AKIAIOSFODNN7EXAMPLE"
ODD = "Zx9Yw8Vu7Ts6Rq5Po4"
GITHUB = "ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"


async def work(editor):
    """A session with all that makes recording hard."""
    editor.open("a.py", "def f(total):\r\n    \r\n# 😀 end\r\n")
    editor.open("notes.md", "")
    item = await editor.ask("a.py", 19)
    editor.change("a.py", (19, 19, ANSWER))
    await editor.accept(item)
    end = len(encode(editor.texts["a.py"])) // 2
    editor.change("a.py", (0, 0, "# ä😀\r\n"), (2, 3, "x"), (end, end, "y"), (0, 4, ""))
    editor.change("a.py", editor.texts["a.py"].replace("total", "sum_"))
    editor.change("a.py", (9, 9, "😀"), (9, 11, "é"), (8, 10, ""))
    at = len(encode(editor.texts["a.py"])) // 2
    editor.change("a.py", (at, at, "\r\ndef g(total):\r\n    "))
    at = len(encode(editor.texts["a.py"])) // 2
    await editor.ask("a.py", at)
    editor.change("a.py", (at, at, "return total"))
    editor.type("notes.md", "héllo 😀 wörld\n", 0)
    editor.change("notes.md", (0, 0, "x"), (0, 1, ""))
    editor.save("notes.md")


async def test_a_recorded_session_replays_to_the_same_documents(start, into):
    editor = await start("--record", into)
    await work(editor)
    await editor.leave()
    (tape,) = tapes(into)
    assert finals(tape) == editor.texts
    assert (tape.header.origin, tape.header.editor) == ("recorded", "test editor 1.2")
    assert sum(isinstance(event, State) for event in tape.events) == 2
    told = [(event.request, event.phase, event.text) for event in tape.events if isinstance(event, Ghost)]
    assert told == [
        (1, "asked", ""),
        (1, "shown", ANSWER),
        (1, "accepted", ANSWER),
        (2, "asked", ""),
        (2, "shown", ANSWER),
        (2, "part", "return total"),
    ]
    assert [event.reason for event in tape.events if isinstance(event, Edit)].count("accept") == 2
    assert [event.t for event in tape.events] == sorted(event.t for event in tape.events)


def said(tape):
    return [(event.request, event.phase, event.offset) for event in tape.events if isinstance(event, Ghost)]


async def test_a_request_that_was_answered_with_nothing_is_on_the_tape(start, into):
    editor = await start("--record", into, answer="")
    editor.open("a.py", "x = ")
    assert await editor.ask("a.py", 4) is None
    await editor.leave()
    assert said(tapes(into)[0]) == [(1, "asked", 4), (1, "empty", 4)]


async def test_a_replay_asks_as_the_editor_did_with_an_item_selected_in_its_list(start, into, model_server, ghosttape):
    model_server.pieces = ["(x)"]
    options = {"provider": {"name": "openai", "base_url": model_server.base_url, "model": "m"}}
    editor = await start("--record", into, options=options)
    editor.open("a.py", "é = 1\n")
    end = editor.type("a.py", "console.\n", 6) - 1
    item = await editor.ask("a.py", end, selected=(end - 1, end, ".log"))
    assert (item.insert_text, item.range.start.character, item.range.end.character) == (".log(x)", 7, 8)
    await editor.leave()
    (path,) = into.glob("*.tape.jsonl")
    asked = [event for event in tapes(into)[0].events if isinstance(event, Ghost) and event.phase == "asked"]
    assert [(event.offset, event.selected) for event in asked] == [(end, (end - 1, end, ".log"))]
    live = [body["prompt"] for _, body, _ in model_server.asked]
    assert live[0].endswith("console.log")

    model_server.asked.clear()
    words = ["--provider", "openai", "--base-url", model_server.base_url, "--model", "m", "--policy", "recorded"]
    await asyncio.to_thread(ghosttape, "replay", path, *words, "--no-tests", "--latency", "fixed:0", "--out", "run")
    assert [body["prompt"] for _, body, _ in model_server.asked][-1:] == live, "the first question tries the server out"
    with Store.open(path.parents[1] / "run") as store:
        (record,) = store.records()
    assert (record.suggestion.text, record.suggestion.start, record.suggestion.end) == (".log(x)", end - 1, end)


async def test_a_request_that_the_editor_cancelled_is_on_the_tape_with_the_time_until_then(start, into):
    asked = asyncio.Event()

    async def never_answer(reader, writer):
        asked.set()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(never_answer, "127.0.0.1", 0) as silent:
        port = silent.sockets[0].getsockname()[1]
        provider = {"name": "openai", "base_url": f"http://127.0.0.1:{port}/v1", "model": "m"}
        editor = await start("--record", into, options={"provider": provider})
        editor.open("a.py", "x = ")
        waiting = asyncio.ensure_future(editor.ask("a.py", 4, msg_id="slow"))
        await asyncio.wait_for(asked.wait(), 10)
        await asyncio.sleep(0.1)
        editor.client.cancel_request(types.CancelParams("slow"))
        with pytest.raises((JsonRpcException, asyncio.CancelledError)):
            await waiting
        await editor.leave()
    (tape,) = tapes(into)
    assert said(tape) == [(1, "asked", 4), (1, "cancelled", 4)]
    assert 100 < next(event.latency for event in tape.events if isinstance(event, Ghost) and event.latency) < 10_000


async def test_a_killed_server_leaves_all_but_the_last_second(start, into):
    editor = await start("--record", into)
    await work(editor)
    await editor.synchronise()
    await asyncio.sleep(1.0)
    editor.type("notes.md", "never" * 20, 0)
    editor.kill()
    (tape,) = tapes(into)
    final = finals(tape)
    assert final["a.py"] == editor.texts["a.py"]
    assert final["notes.md"].removesuffix("héllo 😀 wörld\n") in ("never" * 20)[: len(final["notes.md"])]


async def test_what_is_typed_is_on_disk_within_a_second_and_at_once_when_saved(start, into):
    editor = await start("--record", into)
    editor.open("a.py", "\n")
    await until(lambda: into.is_dir() and tapes(into))
    editor.type("a.py", "x = 1", 0)
    assert await until(lambda: finals(tapes(into)[0])["a.py"] == "x = 1\n") < 1.0
    editor.type("a.py", "y", 0)
    editor.save("a.py")
    assert await until(lambda: isinstance(tapes(into)[0].events[-1], State)) < 0.4


async def test_credentials_and_files_on_a_list_leave_no_trace(start, into):
    editor = await start("--record", into)
    root = editor.root
    (root / ".gitignore").write_text("ignored_*.py\n")
    (root / ".ghosttapeignore").write_text("private/\n")
    hidden = [".env", "id_rsa", "ignored_1.py", "private/x.py", "../outside.py", "untitled:Untitled-1"]
    for number, name in enumerate(hidden):
        editor.open(name, f"hidden{number}\n")
        editor.type(name, f"typed{number}", 0)
        await editor.ask(name, 0)
        editor.save(name)
    editor.open("a.py", f"gh = '{GITHUB}'\r\n\r\n")
    at = len(editor.texts["a.py"])
    for character in f'aws = "{AWS}"':  # slowly: some of it is written before it can be known
        at = editor.type("a.py", character, at)
        await asyncio.sleep(0.06)
    editor.change("a.py", (at - 10, at, ""))
    editor.change("a.py", (at - 10, at - 10, f'{AWS[-9:]}"'))
    await editor.synchronise()
    await asyncio.sleep(0.8)
    editor.kill()
    (file,) = into.iterdir()
    (tape,) = tapes(into)
    stars = finals(tape)
    assert stars == {"a.py": f"gh = '{'*' * len(GITHUB)}'\r\n\r\naws = \"{'*' * len(AWS)}\""}
    written = file.read_text()
    for word in [
        *(f"hidden{number}" for number in range(6)),
        "typed",
        ".env",
        "id_rsa",
        "ignored_",
        "private",
        "outside",
        "ntitled",
    ]:
        assert word not in written
    for state in states(tape):
        for secret in (AWS, GITHUB):
            assert not [secret[at : at + 8] for at in range(len(secret) - 7) if secret[at : at + 8] in state + written]


async def test_a_key_that_was_pasted_into_a_file_on_a_list_is_on_no_tape_when_the_server_is_killed(start, into):
    editor = await start("--record", into)
    editor.open(".env", "")
    editor.open("main.py", "\n")
    editor.change(".env", (0, 0, f"SERVICE={ODD}"))
    editor.change("main.py", (0, 0, f"connect({ODD})"))
    editor.client.protocol.notify(
        "ghosttape/selection",
        {
            "textDocument": {"uri": editor.uri("main.py")},
            "selections": [{"start": {"line": 0, "character": -5}, "end": {"line": 0, "character": 1}}],
        },
    )
    await editor.synchronise()
    await asyncio.sleep(0.8)
    editor.kill()
    (tape,) = tapes(into)
    assert finals(tape) == {"main.py": f"connect({'*' * len(ODD)})\n"}
    assert ODD[:8] not in next(into.iterdir()).read_text()


def states(tape):
    text = ""
    for event in tape.events:
        text = getattr(event, "text", None) if event.__class__.__name__ == "Open" else text
        if isinstance(event, Edit):
            text = splice(text, event.changes)
        yield text


@pytest.mark.parametrize("words", [(), ("--provider", "fixed")])
async def test_nothing_is_recorded_unless_asked_for(start, into, words):
    (into.parent / "work").joinpath("ghosttape.toml").write_text("")
    editor = await start(*words)
    editor.open("a.py", "def f(total):\n    ")
    item = await editor.ask("a.py", 18)
    assert item.command is None
    await editor.leave()
    assert not into.exists()
    assert sorted(path.name for path in editor.root.rglob("*")) == ["ghosttape.toml"]


def test_the_file_of_a_workspace_cannot_ask_for_a_recording(ghosttape, tmp_path):
    (tmp_path / "ghosttape.toml").write_text(f'[server.record]\nfolder = "{tmp_path}/x"\n')
    assert "unknown field `record`" in ghosttape("serve", status=2).err


async def test_the_editor_asks_for_it_in_its_options(start, into):
    editor = await start(options={"record": {"folder": str(into)}})
    editor.open("a.py", "x")
    await editor.leave()
    assert finals(tapes(into)[0]) == {"a.py": "x"}


@pytest.mark.parametrize(
    ("wish", "reason"),
    [({"folder": "tapes"}, "absolute path"), ({}, "missing required field `folder`"), ("yes", "Expected `object`")],
)
async def test_a_wish_that_cannot_be_met_is_refused(start, wish, reason):
    with pytest.raises(JsonRpcException, match=reason):
        await start(options={"record": wish})


async def test_two_servers_record_into_one_folder(start, into):
    editors = [await start("--record", into) for _ in range(2)]
    for number, editor in enumerate(editors):
        editor.open(f"{number}.py", "")
        editor.type(f"{number}.py", "abc", 0)
    for editor in editors:
        await editor.leave()
    assert sorted(map(str, map(finals, tapes(into)))) == ["{'0.py': 'abc'}", "{'1.py': 'abc'}"]


async def test_a_folder_that_cannot_be_written_costs_a_message_and_no_completion(start, tmp_path):
    (tmp_path / "file").write_text("")
    editor = await start("--record", tmp_path / "file" / "folder")
    editor.open("a.py", "def f(total):\n    ")
    await until(lambda: editor.messages)
    for at in range(3):
        editor.type("a.py", " ", 18 + at)
        assert (await editor.ask("a.py", 19 + at)).insert_text == ANSWER
    await asyncio.sleep(0.7)
    (message,) = editor.messages
    assert message.type == types.MessageType.Warning
    assert "stopped recording" in message.message
    assert "folder" in message.message
    await editor.leave()


def test_such_a_folder_is_named_at_once_also_where_no_editor_comes(ghosttape, tmp_path):
    (tmp_path / "file").write_text("")
    done = ghosttape("serve", "--stdio", "--record", tmp_path / "file" / "folder")
    assert f"{tmp_path / 'file'} is no folder" in done.err
    assert done.out == ""


async def test_without_a_folder_open_the_person_is_told_that_nothing_is_recorded(start, into):
    editor = await start("--record", into, root=False)
    editor.open("a.py", "x")
    await until(lambda: editor.messages)
    assert "No folder is open" in editor.messages[0].message
    assert not into.exists()


async def test_the_editor_can_tell_selections_and_undo(start, into):
    editor = await start("--record", into)
    editor.open("a.py", "😀 one\n")
    where = {"textDocument": {"uri": editor.uri("a.py")}}
    selection = {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 6}}
    editor.client.protocol.notify("ghosttape/selection", where | {"selections": [selection]})
    editor.client.protocol.notify("ghosttape/hint", where | {"reason": "undo"})
    editor.change("a.py", (3, 6, ""))
    await editor.leave()
    (tape,) = tapes(into)
    assert [event.ranges for event in tape.events if isinstance(event, Select)] == [((3, 6),)]
    assert [event.reason for event in tape.events if isinstance(event, Edit)] == ["undo"]
    assert offset_at("😀 one\n", 0, 3) == 3


async def test_escape_typing_along_words_and_deletions_are_told_apart_on_the_tape(start, into):
    editor = await start("--record", into, answer="return a + b")
    tell = editor.client.protocol.notify
    texts = {"dismissed.py": "", "typed.py": "return a +", "words.py": "", "other.py": "", "deleted.py": ""}
    where = {name: {"textDocument": {"uri": editor.uri(name)}} for name in texts}
    for name, text in texts.items():
        editor.open(name, text)
        item = await editor.ask(name, len(text))
        if name == "dismissed.py":
            tell("ghosttape/dismissed", where[name])
            editor.type(name, "return a + b", 0)
        elif name == "typed.py":
            editor.type(name, " b", len(text))
        elif name == "words.py":
            at = 0
            for word in ("return", " ", "a", " + b"):
                tell("ghosttape/hint", where[name] | {"reason": "accept"})
                editor.change(name, (at, at, word))
                at += len(word)
        elif name == "other.py":
            editor.type(name, "rx", 0)
        else:
            editor.change(name, (0, 0, "return a + b"))
            await editor.accept(item)
            tell("ghosttape/hint", where[name] | {"reason": "delete"})
            editor.change(name, (8, 12, ""))
    tell(
        "ghosttape/terminal",
        {"command": "DB_PASSWORD=hunter2hunter2 pytest", "output": "2 passed in 0.1s\n", "exitCode": 0},
    )
    tell("ghosttape/terminal", {"command": "cat .env", "output": "2 passed in 0.1s\n", "exitCode": 0})
    await editor.leave()
    (path,) = into.glob("*.tape.jsonl")
    told = check(path).suggestions
    assert (told.shown, told.accepted, told.pieces) == (5, 2, 3)
    assert (told.dismissed, told.typed, told.rejected, told.deleted) == (1, 1, 1, 4)
    (tape,) = tapes(into)
    assert [event.reason for event in tape.events if isinstance(event, Edit)].count("accept") == 5
    assert [event for event in tape.events if isinstance(event, Edit)][-1].reason == "delete"
    (run,) = [event for event in tape.events if isinstance(event, Run)]
    assert (run.command, run.passed, run.failed, run.exit) == (f"DB_PASSWORD={'*' * 14} pytest", 2, 0, 0)


async def test_a_client_that_counts_bytes_is_recorded_in_utf_16(start, into):
    editor = await start("--record", into, encodings=("utf-8",))
    editor.open("a.py", "ä😀 = 1\n")
    place = types.Range(types.Position(0, 6), types.Position(0, 9))  # bytes: 2 of ä, 4 of 😀, then ` = `
    change = types.TextDocumentContentChangePartial(place, "é")
    identifier = types.VersionedTextDocumentIdentifier(2, editor.uri("a.py"))
    editor.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    where = {"textDocument": {"uri": editor.uri("a.py")}}
    selection = {"start": {"line": 0, "character": 6}, "end": {"line": 0, "character": 8}}
    editor.client.protocol.notify("ghosttape/selection", where | {"selections": [selection]})
    await editor.leave()
    (tape,) = tapes(into)
    assert finals(tape) == {"a.py": "ä😀é1\n"}
    assert [event.changes for event in tape.events if isinstance(event, Edit)] == [((3, 6, "é"),)]
    assert [event.ranges for event in tape.events if isinstance(event, Select)] == [((3, 4),)]
