"""Our own server in the process of its client: it answers, ends and dies as one in a process of its own does."""

import pytest

from replay.editor.client import Editor
from replay.editor.in_process import InProcess
from replay.errors import ServerError
from replay.play.instructions import DidChange, DidOpen
from tests.support.editor_session import ask_at
from tests.support.replays import FIXED, HEAD


@pytest.fixture
async def editor(tmp_path):
    editor = Editor(channel=InProcess())
    await editor.launch(["no such program"], folder=tmp_path)
    yield editor
    await editor.close()


async def test_it_is_asked_about_the_text_that_it_was_sent(editor):
    await editor.initialize({"provider": FIXED["provider"]})
    editor.open(DidOpen("a.py", "python", "def f(x):\n"))
    editor.change(DidChange("a.py", 2, "def f(x):\n", ((10, 10, "    "),)))
    answer = await editor.ask(ask_at(HEAD))
    assert (answer.text, answer.failed) == ("return x + 1", "")
    assert answer.raw == "return x + 1"


async def test_it_ends_as_a_process_does(tmp_path):
    channel = InProcess()
    editor = Editor(channel=channel)
    assert channel.dead
    await editor.start([""], folder=tmp_path, options={})
    assert (channel.dead, channel.status) == (False, None)
    await editor.close()
    assert (channel.dead, channel.status) == (True, 0)


async def test_one_that_is_killed_answers_no_more(tmp_path):
    channel = InProcess()
    editor = Editor(channel=channel)
    await editor.start([""], folder=tmp_path, options={})
    channel.kill()
    with pytest.raises(ServerError, match="ended with status -9"):
        await editor.ask(ask_at("x = "))
    await editor.close()


async def test_it_refuses_what_a_process_refuses(editor):
    with pytest.raises(ServerError, match=r"refuses to start: .*unknown field `provder`"):
        await editor.initialize({"provder": {}})
