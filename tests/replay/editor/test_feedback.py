"""The notifications that a server gets about its items: as from an editor, and only about items that it can recognise."""

import json
import sys

import pytest

from replay.editor.client import Editor
from replay.play.player_instructions import Answer, Ask, DidChange, MomentEnded, SendFeedback
from tests.support.places import ROOT
from tests.support.policy_timing import Replay, inside, offering, type_inside
from tests.support.tapes import moment_of

SERVER = str(ROOT / "tests/support/stdio_server.py")
ITEM = {"insertText": "arg", "command": {"title": "", "command": "took", "arguments": [7]}}


def _told(user, text="arg, 2", item=ITEM, **options):
    typist = type_inside(inside(), "arg")
    replay = Replay(typist, "every", offering(text, item=item), user=user, **options)
    return [step for _, step in replay.steps if isinstance(step, SendFeedback | MomentEnded | DidChange)]


def _fates(steps):
    return [step.fate for step in steps if isinstance(step, SendFeedback)]


def test_each_item_that_comes_on_the_screen_is_told_of_and_before_it_is_settled():
    steps = _told("exact")
    shown = [number for number, step in enumerate(steps) if isinstance(step, SendFeedback)]
    assert shown
    assert all(isinstance(steps[number + 1], MomentEnded) for number in shown)
    assert set(_fates(steps)) == {"shown"}


def test_an_item_that_the_server_could_not_know_again_is_not_told_of():
    assert _fates(_told("always", item=None)) == []


@pytest.mark.parametrize("drive", [False, True])
def test_an_accepted_item_is_told_of_after_its_text_is_in(drive):
    steps = _told("always", drive=drive)
    at = next(number for number, step in enumerate(steps) if isinstance(step, SendFeedback) and step.fate == "accepted")
    assert steps[at].item is ITEM
    assert isinstance(steps[at - 1], DidChange if drive else MomentEnded)
    assert not drive or steps[at - 1].cause == "accept"


def test_a_part_counts_from_the_start_of_the_items_text():
    def repeating(ask):
        """The whole line again, from its start."""
        return Answer(0.0, text="value = call(arg other", start=0, end=ask.moment.offset, item=ITEM)

    typist = type_inside(inside(), "arg more")
    steps = [step for _, step in Replay(typist, "every", repeating, user="words").steps]
    parts = [step for step in steps if isinstance(step, SendFeedback) and step.fate == "part"]
    assert {step.reached for step in parts} == {len("value = call(arg ")}


@pytest.fixture
async def editor(tmp_path):
    """An editor before a server that logs what it hears and gives items with and without a command."""
    plan = {"textDocument/inlineCompletion": {"result": [ITEM]}}
    editor = Editor()
    argv = [sys.executable, SERVER, json.dumps(plan), str(tmp_path / "log")]
    await editor.start(argv, folder=tmp_path, options={})
    yield editor
    await editor.close()


async def test_the_server_hears_it_as_copilots_server_does_from_an_editor(editor, tmp_path):
    answer = await editor.ask(Ask(moment_of(0, "x = ", "\n"), "x = ", "\n"))
    assert answer.item == ITEM
    for step in (
        SendFeedback(answer.item, "shown"),
        SendFeedback(answer.item, "part", 2),
        SendFeedback(answer.item, "accepted"),
    ):
        await editor.send_feedback(step)  # it does not know the command: that makes nothing worse
    messages = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [(message["method"], message["params"]) for message in messages[-3:]] == [
        ("textDocument/didShowCompletion", {"item": ITEM}),
        ("textDocument/didPartiallyAcceptCompletion", {"item": ITEM, "acceptedLength": 2}),
        ("workspace/executeCommand", {"command": "took", "arguments": [7]}),
    ]
