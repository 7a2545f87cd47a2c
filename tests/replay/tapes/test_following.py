import pytest

from replay.tapes.lasting_text import PATIENCE, follow
from replay.tapes.timeline import Timeline
from tests.support.tapes import Typist


def following(typist, wanted, *, at=0, event=2):
    return follow(Timeline(typist.tape()), "a.py", event, at, wanted)


def test_what_was_typed_next_to_the_letter_stood_there_whole_by_the_edits_that_typed_it():
    followed = following(Typist().type("abcd"), "abc")
    assert followed.whole
    assert followed.until(3) == (2, 3, 4)


def test_a_mistyped_key_that_was_corrected_does_not_end_the_match():
    typist = Typist().type("ax").edit((1, 2, ""), reason="delete").type("bc")
    followed = following(typist, "abc")
    assert (followed.stood, followed.until(3)) == (3, (2, 3, 4, 5, 6))


def test_edits_elsewhere_are_not_counted_as_touching_the_place():
    typist = Typist(text="head\n\n").type("ab", at=5).type("x", at=0).type("c", at=8)
    assert following(typist, "abc", at=5).until(3) == (2, 3, 5)


def test_half_of_the_text_stood_there_in_half():
    followed = following(Typist().type("ab"), "abc")
    assert (followed.stood, followed.whole, followed.reached(2), followed.reached(3)) == (2, False, 3, None)


def test_other_text_stood_there_as_far_as_it_agrees():
    followed = following(Typist().type("abd"), "abc")
    assert (followed.stood, followed.touched) == (2, (2, 3, 4))


def test_nothing_typed_leaves_nothing_and_touches_nothing():
    followed = following(Typist(text="x"), "abc")
    assert (followed.stood, followed.touched) == (0, ())


def test_an_empty_text_never_stood_there_whole():
    assert not following(Typist().type("ab"), "").whole


def test_edits_of_one_event_at_one_place_are_read_in_their_order():
    typist = Typist().edit((0, 0, "b"), (0, 0, "a"))
    assert typist.text == "ba"
    assert following(typist, "ba").whole


@pytest.mark.parametrize("reason", ["paste", "accept", "agent", "external", "format", "undo", "redo"])
def test_what_no_finger_typed_belongs_to_what_stood_there(reason):
    typist = Typist().type("a").edit((1, 1, "bc"), reason=reason).type("d")
    assert following(typist, "abcd").until(4) == (2, 3, 4)


def test_a_place_is_watched_only_until_it_has_outgrown_the_text():
    patience = PATIENCE * 3 + 200
    typist = Typist().edit((0, 0, "x" * patience)).type("y").type("z").edit((0, patience + 2, "abc"))
    assert following(typist, "abc").touched == (2, 3)
