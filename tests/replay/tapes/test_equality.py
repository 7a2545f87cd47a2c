"""Whoever holds a document holds the same after every event: against lists of UTF-16 code units (odd_sessions)."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings

from replay.editor import client
from replay.editor.client import Editor
from replay.editor.command import server_command
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, DidChange, DidClose, DidOpen, VerifyCheckpoint
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.tapes.tape import Edit, Open, played, read, stream, walk, write
from replay.tapes.timeline import Timeline
from server.documents import OpenDocuments as ServersDocuments
from syntax.buffer import Buffer
from syntax.text import splice
from tests.support.odd_text_sessions import PATHS, sessions, sha256_of, text_of, units_of
from tests.support.scale import examples


def texts(held):
    return {path: text_of(units) for path, units in held.items()}


def steps(tape):
    """What the player tells its shell, each question answered with nothing."""
    playing = Player(Timeline(tape), policy_of("pause:50"), user_of("exact"), latency_of("fixed:0", 0)).play()
    step = next(playing, None)
    while step is not None:
        yield step
        try:
            step = playing.send(Answer(0.0) if isinstance(step, Ask) else None)
        except StopIteration:
            return


def changing(tape, after):
    """The events that open or change a document, each with what documents hold after it."""
    return [held for event, held in zip(tape.events, after, strict=True) if isinstance(event, Open | Edit)]


# Property: buffer, documents of a tape, player, server


@given(sessions())
def test_a_buffer_holds_what_the_reference_holds_after_every_event(session):
    tape, after = session
    buffers = {}
    for event, held in zip(tape.events, after, strict=True):
        if isinstance(event, Open):
            buffers[event.path] = Buffer(event.text)
        elif isinstance(event, Edit):
            buffers[PATHS[event.doc]].splice(event.changes)
        assert {path: str(buffer) for path, buffer in buffers.items()} == texts(held)
        assert {path: len(buffer) for path, buffer in buffers.items()} == {path: len(held[path]) for path in held}


@given(sessions())
def test_the_documents_of_a_tape_hold_what_the_reference_holds_after_every_event(session):
    tape, after = session
    found = [documents.finished() for _, _, documents in played("odd", enumerate(tape.events, 2))]
    assert found == [texts(held) for held in after]
    before = [documents.finished() for _, _, documents in walk(tape)]
    assert before == [{}, *found[:-1]]
    assert Timeline(tape).final == found[-1]


@given(sessions())
def test_the_player_starts_each_change_and_each_question_from_what_the_reference_holds(session):
    tape, after = session
    held, due = {}, iter(changing(tape, after))
    for step in steps(tape):
        if isinstance(step, Ask):
            assert units_of(step.before) + units_of(step.after) == held[step.moment.path]
            assert len(units_of(step.before)) == step.moment.offset
        elif isinstance(step, DidChange):
            assert step.before == text_of(held[step.path])
        if isinstance(step, DidOpen | DidChange):
            held = next(due)
            text = step.text if isinstance(step, DidOpen) else splice(step.before, step.changes)
            assert text == text_of(held[step.path])
    assert next(due, None) is None


@given(sessions())
def test_the_servers_document_is_the_reference_after_every_change_that_the_client_sends(session):
    tape, after = session
    documents, due = ServersDocuments(), iter(changing(tape, after))
    for step in steps(tape):
        if isinstance(step, DidOpen):
            documents.open(step.path, step.language, 1, step.text)
        elif isinstance(step, DidChange):
            documents.change(step.path, step.version, edits_of(step))
        if isinstance(step, DidOpen | DidChange):
            assert documents.get(step.path).text == text_of(next(due)[step.path])


def edits_of(step):
    """What the client sends for a change, as the server reads it."""
    sent = client._content_changes(step)
    if not sent:
        return [splice(step.before, step.changes)]
    return [(place(one["range"]["start"]), place(one["range"]["end"]), one["text"]) for one in sent]


def place(position):
    return position["line"], position["character"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # each example writes the file anew
@pytest.mark.parametrize("ending", ["tape.jsonl", "tape.jsonl.gz"])
@given(session=sessions(4))
def test_a_tape_on_disk_holds_what_the_reference_holds(session, tmp_path, ending):
    tape, after = session
    path = tmp_path / f"odd.{ending}"
    write(tape, path)
    assert read(path).events == tape.events
    with stream(path) as again:
        assert [documents.finished() for _, _, documents in played("odd", again.events)] == list(map(texts, after))


# The real server, in its own process


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A loop, and an editor that is connected to `ghosttape serve`."""
    editor = Editor()
    with asyncio.Runner() as runner:
        runner.run(editor.start(server_command(), folder=tmp_path_factory.mktemp("served"), options={}))
        yield runner, editor
        runner.run(editor.close())


async def play(editor, tape, after):
    """Play a tape to a server, and have it tell what it holds after every change."""
    due = iter(changing(tape, after))
    for step in steps(tape):
        if isinstance(step, DidOpen):
            editor.open(step)
        elif isinstance(step, DidChange):
            editor.change(step)
        if isinstance(step, DidOpen | DidChange):
            await editor.check(VerifyCheckpoint(step.path, sha256_of(next(due)[step.path])))
    for path in PATHS:
        editor.shut(DidClose(path))


@settings(max_examples=examples(15), deadline=None)
@given(session=sessions(6))
def test_the_real_server_holds_what_the_reference_holds_after_every_change(served, session):
    runner, editor = served
    runner.run(play(editor, *session))
