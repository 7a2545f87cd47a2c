import pytest
from tapes import Typist, moment_of

from replay.records import Ending
from replay.timeline import Timeline
from replay.users import PATIENCE, Typing, UnknownUserError, typing_after, user_of


def typing(typist, wanted, *, at=0, event=2, text=""):
    moment = moment_of(event, text[:at], text[at:])
    return typing_after(Timeline(typist.tape()), moment, wanted)


def test_what_was_typed_next_to_the_letter_is_a_match_with_the_edits_that_typed_it():
    assert typing(Typist().type("abcd"), "abc") == Typing(matched=True, events=(2, 3, 4), by_hand=(2, 3, 4))


def test_a_mistyped_key_that_was_corrected_does_not_end_the_match():
    typist = Typist().type("ax").edit((1, 2, ""), reason="delete").type("bc")
    assert typing(typist, "abc") == Typing(matched=True, events=(2, 3, 4, 5, 6), by_hand=(2, 3, 4, 5, 6))


def test_edits_elsewhere_are_not_covered_by_the_match():
    typist = Typist(text="head\n\n").type("ab", at=5).type("x", at=0).type("c", at=8)
    assert typing(typist, "abc", at=5, text="head\n\n") == Typing(matched=True, events=(2, 3, 5), by_hand=(2, 3, 5))


@pytest.mark.parametrize("reason", ["paste", "accept", "agent", "external", "format", "undo", "redo"])
def test_what_no_finger_typed_belongs_to_the_match_but_was_not_typed_by_hand(reason):
    typist = Typist().type("a").edit((1, 1, "bc"), reason=reason).type("d")
    assert typing(typist, "abcd") == Typing(matched=True, events=(2, 3, 4), by_hand=(2, 4))


def test_other_text_is_no_match():
    assert not typing(Typist().type("abd"), "abc").matched


def test_half_of_the_text_is_no_match():
    assert typing(Typist().type("ab"), "abc") == Typing(matched=False, events=(2, 3))


def test_nothing_typed_is_no_match_without_edits():
    assert typing(Typist(text="x"), "abc", text="x") == Typing(matched=False, events=())


def test_an_empty_suggestion_never_matches():
    assert not typing(Typist().type("ab"), "").matched


def test_edits_of_one_event_at_one_place_are_read_in_their_order():
    typist = Typist().edit((0, 0, "b"), (0, 0, "a"))
    assert typist.text == "ba"
    assert typing(typist, "ba").matched


def test_a_place_is_watched_only_until_it_has_outgrown_the_suggestion():
    patience = PATIENCE * 3 + 200
    typist = Typist().edit((0, 0, "x" * patience)).type("y").type("z").edit((0, patience + 2, "abc"))
    assert typing(typist, "abc") == Typing(matched=False, events=(2, 3))


MATCH, OTHER, NOTHING = Typing(matched=True, events=(1,)), Typing(matched=False, events=(1,)), Typing(False, ())


@pytest.mark.parametrize(
    ("name", "typed", "ending"),
    [
        ("exact", MATCH, "accepted"),
        ("exact", OTHER, "rejected"),
        ("exact", NOTHING, "shown"),
        ("always", MATCH, "accepted"),
        ("always", OTHER, "accepted"),
        ("always", NOTHING, "accepted"),
    ],
)
def test_what_each_user_does_with_what_is_shown(name, typed, ending):
    assert user_of(name)(typed) == Ending(ending)


def test_an_unknown_user_is_refused_with_the_names_there_are():
    with pytest.raises(UnknownUserError, match="no user is called 'nobody': choose one of exact, always"):
        user_of("nobody")
