"""Drive mode: whatever is accepted, the session ends in the recorded text, and every key is counted."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora.demo.bundled import DEMO
from replay.play.player_instructions import Answer, Ask, DidChange, MomentEnded, VerifyCheckpoint
from replay.tapes.tape import Close, Edit, Focus, Open, Tape, read
from replay.tapes.timeline import Timeline
from syntax.text import length
from tests.support.drive_simulation import (
    driven,
    keys_counted,
    offer,
    oracle,
    recorded,
    texts_of,
    units,
)
from tests.support.scale import examples, sampled
from tests.support.tapes import Typist


def test_accepted_text_stays_and_the_keys_that_write_it_are_dropped():
    tape = Typist(gap=100).type("a = ").type("1 + 2\n").tape()
    player, done = driven(tape, lambda ask, _: offer("1 + 2" if ask.before == "a = " else "")(ask, _))
    assert texts_of(done)["a.py"] == units("a = 1 + 2\n")
    effort = player.effort
    assert (effort.tape, effort.typed, effort.dropped, effort.accepts, effort.saved) == (10, 5, 5, 1, 4)


def test_a_wrong_tail_is_deleted_key_by_key():
    tape = Typist(gap=100).type("x = value_of_it\n").tape()
    player, done = driven(
        tape, lambda ask, _: offer("value_of_you" if ask.before == "x = " else "")(ask, _), user="always"
    )
    assert [step.changes for step in done if isinstance(step, DidChange) and step.cause == "delete"] == [
        ((13, 16, ""),)
    ]
    effort = player.effort
    assert (effort.dropped, effort.accepts, effort.deletions, effort.saved) == (9, 1, 3, 5)
    assert texts_of(done) == recorded(tape)


def test_what_is_all_wrong_is_undone_by_one_key():
    tape = Typist(gap=100).type("x = 1").tape()
    player, done = driven(tape, lambda ask, _: offer("yyyy" if ask.before == "x = " else "")(ask, _), user="always")
    effort = player.effort
    assert (effort.typed, effort.accepts, effort.deletions, effort.saved) == (5, 1, 1, -2)
    assert texts_of(done) == recorded(tape)


def test_undoing_is_preferred_where_keeping_the_right_part_would_cost_more():
    tape = Typist(gap=100).type("x = ab").tape()
    player, done = driven(
        tape, lambda ask, _: offer("a" + "z" * 30 if ask.before == "x = " else "")(ask, _), user="always"
    )
    assert player.effort.deletions == 1
    assert texts_of(done) == recorded(tape)


def test_edits_elsewhere_are_moved_behind_what_was_accepted():
    typist = Typist(text="head\ntail\n", gap=100)
    typist.type("y = ", at=5).edit((0, 0, "#")).edit((len("#head\ny = tail"), len("#head\ny = tail"), "!"))
    typist.type("long", at=10)
    player, done = driven(typist.tape(), lambda ask, _: offer("long" if ask.before == "head\ny = " else "")(ask, _))
    moved = [step.changes for step in done if isinstance(step, DidChange)][5:]
    assert moved == [((0, 0, "#"),), ((18, 18, "!"),)]
    assert texts_of(done) == recorded(typist.tape())
    assert player.effort.dropped == 4


def test_a_closer_that_the_editor_adds_is_typed_once():
    typist = Typist(gap=100).type("f").edit((1, 1, "()")).type("x", at=2)
    typist.edit((3, 4, ")")).type("\n")
    for text, saved in (("(x)", 2), ("(x", 1)):
        player, done = driven(typist.tape(), lambda ask, _, text=text: offer(text if ask.before == "f" else "")(ask, _))
        assert texts_of(done) == recorded(typist.tape())
        assert player.effort.saved == saved


def test_a_paste_into_an_unfinished_place_is_a_conflict_that_is_mended_by_typing():
    typist = Typist(gap=100).type("f").edit((1, 1, "()")).type("x", at=2)
    typist.edit((3, 3, ", more"), reason="paste")
    player, done = driven(typist.tape(), lambda ask, _: offer("(x" if ask.before == "f" else "")(ask, _))
    assert texts_of(done) == recorded(typist.tape())
    assert (player.effort.conflicts, player.effort.mending) == (1, 1)


def test_a_tab_after_a_suggestion_that_was_not_taken_costs_an_escape():
    typist = Typist(gap=100).type("x").edit((1, 1, "    ")).type("y")
    player, _ = driven(typist.tape(), offer("zzz"))
    assert (player.effort.rejections, player.effort.saved) == (1, -1)


def test_the_next_suggestion_is_asked_for_behind_what_was_accepted():
    tape = Typist(gap=100).type("ab cd ef\n").tape()
    rest = {"a": "b", "ab": " cd", "ab cd": " ef\n"}
    player, done = driven(tape, lambda ask, _: offer(rest.get(ask.before, ""))(ask, _))
    assert [
        step.suggestion.text for step in done if isinstance(step, MomentEnded) and step.ending.name == "accepted"
    ] == [
        "b",
        " cd",
        " ef\n",
    ]
    assert (player.effort.typed, player.effort.accepts) == (1, 3)


def test_a_closed_document_is_as_recorded_when_it_closes():
    typist = Typist(gap=100).type("f").edit((1, 1, "()")).type("x", at=2)
    typist.events.append(Close(typist.t + 1, 0))
    player, done = driven(typist.tape(), lambda ask, _: offer("(x" if ask.before == "f" else "")(ask, _))
    assert texts_of(done) == recorded(typist.tape())
    assert player.effort.mending == 1


def test_the_oracle_saves_keys_on_a_real_recording_and_ends_in_the_recorded_text(recorded_session):
    player, done = driven(recorded_session, oracle)
    assert texts_of(done) == recorded(recorded_session)
    assert player.effort.saved == player.effort.tape - keys_counted(recorded_session, done) > 0
    assert player.effort.tape == sum(
        isinstance(event, Edit) and event.reason in {"type", "delete"} for event in recorded_session.events
    )


@pytest.mark.parametrize("policy", ["vscode", "blocks", "every"])
@pytest.mark.parametrize("tape", ["ledger", "router"])
def test_the_oracle_saves_keys_on_the_demo_tapes_and_ends_in_the_recorded_text(tape, policy):
    tape = read(DEMO / f"{tape}.tape.jsonl")
    player, done = driven(tape, oracle, policy=policy)
    assert texts_of(done) == recorded(tape)
    assert player.effort.saved == player.effort.tape - keys_counted(tape, done) > 0
    assert player.effort.tape == sum(
        isinstance(event, Edit) and event.reason in {"type", "delete"} for event in tape.events
    )


@pytest.mark.sampled
@pytest.mark.parametrize("tape", sampled(["ledger", "router"]))
def test_random_text_that_is_always_accepted_costs_keys(tape):
    chance = random.Random(0)
    tape = read(DEMO / f"{tape}.tape.jsonl")
    nonsense = "".join(chance.choices("abcdefgh(){};= \n", k=40))

    def babble(ask, timeline):
        return offer(nonsense[: chance.randint(1, 40)])(ask, timeline)

    player, done = driven(tape, babble, user="always")
    assert texts_of(done) == recorded(tape)
    assert player.effort.saved == player.effort.tape - keys_counted(tape, done) < 0


def test_where_the_documents_are_as_recorded_the_server_is_checked_and_at_the_end_always():
    tape = read(DEMO / "ledger.tape.jsonl")
    _, done = driven(tape, oracle)
    assert len([step for step in done if isinstance(step, VerifyCheckpoint)]) >= len(texts_of(done))


LETTERS = st.sampled_from("ab(){}:\n\r\t é😀\u0301\u2028")
TEXTS = st.text(LETTERS, max_size=6)


@st.composite
def sessions(draw):
    """Tapes of odd edits: several changes in one event, deletions, pastes, agents, half pairs, cursors, a second document."""
    typist = Typist(text=draw(TEXTS), gap=100)
    for _ in range(draw(st.integers(1, 14))):
        size = length(typist.text)
        spots = sorted(
            draw(st.lists(st.integers(0, size), min_size=2, max_size=4, unique=True)) if size > 3 else [size] * 2
        )
        pairs = list(zip(spots[::2], spots[1::2], strict=False))[: draw(st.integers(1, 2))]
        if draw(st.booleans()):
            pairs = [(start, start) for start, _ in pairs]
        reason = draw(st.sampled_from(["type", "type", "delete", "paste", "agent"]))
        typist.edit(*[(start, end, draw(TEXTS)) for start, end in pairs], reason=reason)
        what = draw(st.sampled_from(["nothing", "report", "report", "move", "elsewhere"]))
        if what == "report":
            start, _, new = min(typist.events[-1].changes)
            typist.select(start + length(new), gap=1)
        elif what == "move":
            typist.select(draw(st.integers(0, length(typist.text))), gap=1)
        elif what == "elsewhere":
            elsewhere(typist, draw(TEXTS))
    return typist.tape()


def elsewhere(typist, text):
    """Open another document, write there, close it, and come back."""
    t = typist.t = typist.t + 1
    typist.events += [Open(t, 1, "b.py", "python", "z"), Focus(t, 1), Edit(t, 1, ((0, 1, text),), "type")]
    typist.events += [Close(t, 1), Focus(t, 0)]


@given(
    tape=sessions(),
    data=st.data(),
    user=st.sampled_from(["always", "exact", "words"]),
    policy=st.sampled_from(["every", "vscode", "copilot", "zed", "pause:50"]),
    latency=st.sampled_from(["fixed:0", "fixed:40", "fixed:120", "lognormal:80,1"]),
)
@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
def test_any_session_ends_in_the_recorded_text_whatever_is_accepted(tape: Tape, data, user, policy, latency):
    final = Timeline(tape).final["a.py"]

    def answer(ask, _):
        text = data.draw(st.one_of(TEXTS, st.sampled_from([final[at : at + 5] for at in range(len(final) + 1)])))
        start = ask.moment.offset - data.draw(st.integers(0, min(2, length(ask.before))))
        end = ask.moment.offset + data.draw(st.integers(0, min(2, length(ask.after))))
        return Answer(0.0, text=text, start=start, end=end)

    player, done = driven(tape, answer, user=user, policy=policy, latency=latency)
    assert texts_of(done) == recorded(tape)
    effort = player.effort
    assert effort.needed == sum(step.keys for step in done if isinstance(step, DidChange))
    assert effort.typed + effort.dropped == effort.tape
    assert effort.tape == sum(event.reason in {"type", "delete"} for event in tape.events if isinstance(event, Edit))
    asked = [step.moment.id for step in done if isinstance(step, Ask)]
    ended = [step.moment.id for step in done if isinstance(step, MomentEnded)]
    assert len(set(ended)) == len(ended)
    assert set(asked) <= set(ended)
    assert not [step for step in done if isinstance(step, MomentEnded) and step.ending.reason == "given up"]


# What a reader of the numbers would stumble over


def test_taking_a_part_costs_a_key_for_each_word():
    """Ten characters by ten keys: nothing is saved."""
    tape = Typist(gap=100).type("x = ").type("a b c d e Y\n").tape()
    given = lambda ask, _: offer("a b c d e X" if ask.before == "x = " else "")(ask, _)  # noqa: E731
    player, _ = driven(tape, given, user="words")
    assert (player.effort.dropped, player.effort.accepts, player.effort.saved) == (10, 10, 0)


def test_a_part_leaves_in_place_what_the_whole_would_replace():
    typist = Typist(text="f(old)", gap=100).edit((2, 2, "n"))
    typist.edit((3, 3, "e")).edit((4, 4, "w")).edit((5, 5, "!"))
    answer = lambda ask, _: (  # noqa: E731
        Answer(0.0, text="ew x", start=3, end=6) if ask.before == "f(n" else Answer(0.0)
    )
    player, done = driven(typist.tape(), answer, user="words")
    accepts = [step.changes for step in done if isinstance(step, DidChange) and step.cause == "accept"]
    assert accepts == [((3, 3, "ew"),)]
    assert (player.effort.mending, player.effort.saved) == (0, 1)


@pytest.mark.parametrize("reports", [False, True])
def test_the_report_of_a_needless_edit_gives_no_request_up(reports):
    typist = Typist(gap=300).type("a = ")
    for char in "1 + 2":
        typist.type(char)
        if reports:
            typist.select(length(typist.text), gap=0)
    typist.type("\n")
    rest = {"a = ": "1 + 2", "a = 1 + 2": "\n"}
    player, done = driven(typist.tape(), lambda ask, _: offer(rest.get(ask.before, ""))(ask, _), latency="fixed:180")
    accepted = [
        step.suggestion.text for step in done if isinstance(step, MomentEnded) and step.ending.name == "accepted"
    ]
    assert accepted == ["1 + 2", "\n"]
    assert player.effort.saved == 4


def test_a_key_that_still_waits_when_an_answer_is_accepted_has_an_ending():
    tape = Typist(gap=100).type("abcdef").tape()
    answer = lambda ask, _: offer("abcdef"[length(ask.before) :])(ask, _)  # noqa: E731
    _, done = driven(tape, answer, policy="zed", latency="fixed:250")
    performed = sum(isinstance(step, DidChange) and step.cause != "delete" for step in done)
    assert sum(isinstance(step, MomentEnded) for step in done) == performed


def test_a_suggestion_that_was_left_needs_no_escape_later():
    typist = Typist(gap=1000).type("x")
    typist.events += [Open(1100.0, 1, "b.py", "python", ""), Focus(1200.0, 1), Focus(1300.0, 0)]
    typist.edit((1, 1, "    "))
    player, _ = driven(typist.tape(), offer("zzz"))
    assert player.effort.rejections == 0
