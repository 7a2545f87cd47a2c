"""What the judge made of a suggestion can be found out again from the tape and the record alone."""

import pytest

from replay.judge.retracing import Retraced, TracedTape
from replay.judge.tape_cases import TapeCases
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, MomentEnded
from replay.play.policies.policy import policy_of
from replay.play.shown_edits import shown_edits
from replay.play.users.user import user_of
from replay.records import Record, Verdict
from replay.tapes.tape import Edit, read
from replay.tapes.timeline import Timeline
from tests.support.places import LEDGER


@pytest.fixture(scope="module")
def tape():
    return read(LEDGER)


def moment_ended(tape, policy, text, only=()):
    """How the moments of a tape end where every answer is the same text, which takes the closers behind the cursor's place."""
    player = Player(Timeline(tape), policy_of(policy), user_of("exact"), latency_of("fixed:5", 0), limit=40, only=only)
    steps, reply, found = player.play(), None, []
    try:
        while True:
            step = steps.send(reply)
            at = step.moment.offset if isinstance(step, Ask) else 0
            reply = Answer(1.0, text=text, start=at, end=at) if isinstance(step, Ask) else None
            if isinstance(step, MomentEnded):
                found.append(step)
    except StopIteration:
        return found


@pytest.mark.parametrize("policy", ["blocks", "vscode"])
@pytest.mark.parametrize("text", ["", "return None", "total += 1\n    if total:\n        pass"])
def test_the_graft_is_the_one_that_the_judge_tests(tape, policy, text):
    cases, traced = TapeCases(Timeline(tape), tests=object()), TracedTape(tape)
    compared = 0
    for one in moment_ended(tape, policy, text):
        if one.suggestion is None:
            continue
        case = cases.case(one)
        record = Record(moment=cases.located(one), ending=one.ending, suggestion=one.suggestion)
        found = traced.retrace(record)
        if isinstance(case, Verdict):
            assert found == case.reason
        else:
            assert isinstance(found, Retraced)
            assert (found.graft, found.hole) == (case.graft.text, case.hole)
            assert found.finished == traced.finished(one.moment.path)
            compared += 1
    assert compared > 5


def test_the_keys_around_a_moment_are_the_edits_of_the_tape(tape):
    traced = TracedTape(tape)
    edits = [index for index, event in enumerate(tape.events) if isinstance(event, Edit)]
    before, after = traced.keys(edits[5], 3, 4)
    assert [key.text for key in (*before, *after)] == ["".join(new for _, _, new in tape.events[index].changes) for index in edits[2:9]]  # fmt: skip
    assert [key.at for key in (*before, *after)] == [traced.time(index) for index in edits[2:9]]
    assert traced.keys(edits[0], 3, 1)[0] == []
    assert traced.time(len(tape.events)) == traced.time(len(tape.events) - 1)


@pytest.mark.parametrize("policy", ["blocks", "vscode"])
def test_a_moment_that_is_named_ends_alone_as_it_ends_among_all(tape, policy):
    every = moment_ended(tape, policy, "x")
    wanted = [one for one in every if one.suggestion][3]
    assert moment_ended(tape, policy, "x", only={wanted.moment.id}) == [wanted]


def test_many_records_are_retraced_as_each_alone_in_the_order_of_their_events(tape):
    cases, traced = TapeCases(Timeline(tape), tests=object()), TracedTape(tape)
    records = [
        Record(moment=cases.located(one), ending=one.ending, suggestion=one.suggestion)
        for one in moment_ended(tape, "blocks", "return None")
    ]
    found = list(traced.retrace_all(reversed(records)))
    assert [one.moment.event for one, _ in found] == sorted(one.moment.event for one in records)
    assert {one.moment.id: told for one, told in found} == {one.moment.id: traced.retrace(one) for one in records}


def asked_edits(tape, changes_of):
    """How the moments of policy `edits` end where `changes_of` gives the changes of each answer."""
    player = Player(Timeline(tape), policy_of("edits"), user_of("exact"), latency_of("fixed:5", 0), limit=30)
    steps, reply = player.play(), None
    try:
        while True:
            step = steps.send(reply)
            reply = None
            if isinstance(step, Ask):
                changes = changes_of(step.moment.next_edit)
                at, text = step.moment.offset, shown_edits(step.texts, changes)
                reply = Answer(1.0, text=text, start=at, end=at, changes=changes)
            if isinstance(step, MomentEnded):
                yield step
    except StopIteration:
        return


@pytest.mark.parametrize("changes_of", [lambda right: right.changes, lambda right: ()], ids=["right", "none"])
def test_the_graft_of_a_next_edit_is_the_one_that_the_judge_tests(tape, changes_of):
    traced, timeline = TracedTape(tape), Timeline(tape)
    cases = TapeCases(timeline, tests=object())
    tested = 0
    for ended in asked_edits(tape, changes_of):
        record = Record(moment=ended.moment, ending=ended.ending, suggestion=ended.suggestion)
        case, found = cases.case(ended), traced.retrace(record)
        if isinstance(case, Verdict):
            assert (case.name, case.reason) == ("untestable", found)
            continue
        tested += 1
        both = {found.hole.path: found.graft, **{path: graft for path, (_, graft) in found.others.items()}}
        assert both == case.graft.documents
        assert found.finished == timeline.final[found.hole.path]
        assert found.hole.truth or case.emptied.documents[found.hole.path] != found.finished
    assert tested > 10
