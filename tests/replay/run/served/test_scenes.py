"""What a client is sent that watches a replay: documents, cursors and ghost text, and no more than ten scenes a second."""

import asyncio

from replay.records import Ending, Moment, Record, Suggestion
from replay.run.events import Answered, Asked, Ended, Reached, ReplayedDocumentChanged, SessionBegan
from replay.run.served.replay_orders import PAUSE_S, OfferedGhost, Scenes
from replay.tapes.tape import Edit, Embedded, Focus, Header, Open, Select, Tape
from tests.support.virtual_time import without_waiting

EVENTS = (
    Open(0.0, 0, "a.py", "python", "x = \n"),
    Select(10.0, 0, ((4, 4),)),
    Edit(20.0, 0, ((4, 4, "𝒳"),), "type"),
    Open(30.0, 1, "b.py", "python", "y\n"),
    Focus(40.0, 0),
    Edit(50.0, 0, ((6, 6, "1"),), "type"),
)
HEADER = Header(tape=1, id="t", editor="e", origin="synthesised", workspace=Embedded(), created="2026-01-01")


def began(*, as_recorded=True):
    return SessionBegan("t", len(EVENTS), "event", 50.0, as_recorded)


def shown(*steps, wait=PAUSE_S * 1.5):
    """The scenes that are sent for these events, with a wait after each."""

    async def follow():
        without_waiting(asyncio.get_running_loop())
        sent = []
        scenes = Scenes([Tape(HEADER, EVENTS)], sent.append)
        for step in steps:
            scenes.take(step)
            await asyncio.sleep(wait)
        scenes.close()
        return sent

    return asyncio.run(follow())


def ended(name, text=""):
    moment = Moment(tape="t", event=2, path="a.py", language="python", offset=4, line=0, character=4, t=20.0)
    suggestion = Suggestion(text=text, start=4, end=4, latency=1.0) if text else None
    return Ended(Record(moment=moment, ending=Ending(name), suggestion=suggestion), awaits_verdict=False)


def test_the_documents_are_those_of_the_tape_with_the_cursor_behind_what_was_typed():
    sent = shown(began(), Reached("t", 1, 5.0), Reached("t", 3, 25.0), Reached("t", 4, 35.0), Reached("t", 6, 50.0))
    assert [(scene.path, scene.text, scene.start, scene.t) for scene in sent] == [
        ("a.py", "x = \n", 0, 5.0),
        ("a.py", "x = 𝒳\n", 6, 25.0),
        ("b.py", "y\n", 0, 35.0),
        ("a.py", "x = 𝒳1\n", 7, 50.0),
    ]
    assert {scene.duration for scene in sent} == {50.0}


def test_a_suggestion_is_asked_offered_and_ended_at_its_place_and_goes_with_the_next_key():
    asked = Asked("t", "m", "a.py", 4, 20.0)
    sent = shown(
        began(),
        Reached("t", 2, 15.0),
        asked,
        Answered("t", "m", "1", 4, 4, 9.0),
        ended("rejected", "1"),
        Reached("t", 3, 25.0),
    )
    ghosts = [scene.ghost for scene in sent]
    assert ghosts == [
        None,
        OfferedGhost("", 4, 4, "asked"),
        OfferedGhost("1", 4, 4, "offered"),
        OfferedGhost("1", 4, 4, "rejected"),
        None,
    ]


def test_a_moment_without_an_answer_says_how_it_ended():
    sent = shown(
        began(),
        Reached("t", 2, 15.0),
        Asked("t", "m", "a.py", 4, 20.0),
        Answered("t", "m", "", 4, 4, 9.0),
        ended("empty"),
    )
    assert sent[-1].ghost == OfferedGhost("", 4, 4, "empty")


def test_where_a_session_does_not_go_as_recorded_its_changes_count():
    changes = (
        ReplayedDocumentChanged("t", "a.py", "python", "a"),
        ReplayedDocumentChanged("t", "a.py", changes=((1, 1, "bc"),)),
    )
    sent = shown(began(as_recorded=False), *changes, Reached("t", 6, 50.0))
    assert [(scene.text, scene.start) for scene in sent] == [("a", 0), ("abc", 3), ("abc", 3)]


def test_scenes_that_follow_at_once_are_one_and_the_last_is_never_lost():
    steps = [began(), *(Reached("t", index, float(index)) for index in range(1, 7))]
    sent = shown(*steps, wait=0)
    assert len(sent) <= 2
    assert sent[-1].text == "x = 𝒳1\n"
