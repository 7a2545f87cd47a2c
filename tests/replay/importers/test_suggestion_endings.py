"""How suggestions ended, on tapes that are written by hand as the recorder writes them."""

import msgspec

from replay.importers.suggestion_endings import EndingCounter
from replay.tapes.tape import Ghost
from tests.support.tapes import Typist


class Assisted(Typist):
    """A typist with an assistant."""

    def ghost(self, request, phase, offset=None, text=""):
        at = len(self.text) if offset is None else offset
        self.events.append(Ghost(self.t, 0, request, phase, at, text))
        return self

    def endings(self):
        """The counts that are not 0, without that of what was shown."""
        counter = EndingCounter()
        for event in self.events:
            counter.take(event)
        counts = msgspec.structs.asdict(counter.finished())
        return {name: count for name, count in counts.items() if count and name != "shown"}


def offered(text="alpha beta"):
    return Assisted(text="x = ").ghost(1, "shown", text=text)


def test_escape_is_a_rejection_that_no_edit_contradicts():
    assert offered().ghost(1, "rejected").endings() == {"dismissed": 1}
    assert offered().type("al").ghost(1, "rejected").endings() == {"dismissed": 1}


def test_other_text_in_its_place_is_a_rejection():
    assert offered().type("z").ghost(1, "rejected").endings() == {"rejected": 1}
    assert offered().type("alz").ghost(1, "rejected").endings() == {"rejected": 1}
    assert offered().edit((3, 4, ""), reason="delete").ghost(1, "rejected").endings() == {"rejected": 1}
    assert offered().edit((4, 4, "al"), (0, 0, "y"), reason=None).ghost(1, "rejected").endings() == {"rejected": 1}


def test_typing_all_of_it_is_told_from_ignoring_it():
    assert offered("ab").type("ab").ghost(1, "ignored").endings() == {"typed": 1}
    assert offered("ab").type("a").ghost(1, "ignored").endings() == {"ignored": 1}
    assert offered("ab").edit((0, 0, "y")).ghost(1, "ignored").endings() == {"ignored": 1}


def test_a_suggestion_that_is_shown_again_while_it_is_typed_goes_on():
    session = offered("abc").type("a").ghost(1, "ignored").ghost(2, "shown", text="bc")
    session.type("b").ghost(2, "ignored").ghost(3, "shown", text="c").type("c").ghost(3, "ignored")
    assert session.endings() == {"continued": 2, "typed": 1}


def test_another_suggestion_in_its_place_ends_it():
    assert offered("abc").ghost(1, "ignored").ghost(2, "shown", text="xyz").endings() == {"ignored": 1}
    assert offered("abc").type("a").ghost(1, "ignored").ghost(2, "shown", text="xyz").endings() == {"ignored": 1}


def test_of_several_at_one_place_an_earlier_one_can_be_chosen():
    several = (
        offered("abc")
        .ghost(2, "shown", text="xyz")
        .ghost(3, "shown", text="ayz")
        .ghost(1, "ignored")
        .ghost(3, "ignored")
    )
    chosen = several.edit((4, 4, "xyz"), reason="accept").ghost(2, "accepted", 4, "xyz")
    assert chosen.endings() == {"accepted": 1, "ignored": 2}
    later = offered("abc").type("a").ghost(2, "shown", text="bcd").ghost(1, "rejected")
    assert later.endings() == {}, "one that was forgotten when the next came has no ending"


def test_words_that_are_accepted_one_by_one_are_pieces_of_one_suggestion():
    session = offered().edit((4, 4, "alpha"), reason="accept").ghost(1, "part", 4, "alpha")
    assert session.endings() == {"pieces": 1}, "it is still shown"
    session.edit((9, 9, " beta"), reason="accept").ghost(1, "accepted", 9, " beta")
    assert session.endings() == {"pieces": 1, "accepted": 1}


def test_what_is_left_after_a_word_can_be_dismissed():
    session = offered().edit((4, 4, "alpha"), reason="accept").ghost(1, "part", 4, "alpha").ghost(1, "rejected")
    assert session.endings() == {"pieces": 1, "in_part": 1}


def test_an_editor_that_asks_again_after_each_word_shows_the_same_suggestion():
    session = offered().edit((4, 4, "alpha"), reason="accept").ghost(1, "part", 4, "alpha").ghost(1, "ignored")
    session.ghost(2, "shown", text=" beta").edit((9, 9, " beta"), reason="accept").ghost(2, "accepted", 9, " beta")
    assert session.endings() == {"pieces": 1, "continued": 1, "accepted": 1}


def accepted():
    return offered().edit((4, 4, "alpha beta"), reason="accept").ghost(1, "accepted", 4, "alpha beta")


def test_what_is_deleted_of_accepted_text_is_counted_wherever_it_has_moved():
    session = accepted().edit((0, 0, "# note\n")).edit((20, 21, ""), reason="delete").edit((11, 16, ""), reason=None)
    assert session.endings() == {"accepted": 1, "deleted": 6}
    assert accepted().edit((0, 3, "")).type("abc").edit((13, 14, "")).endings() == {"accepted": 1}


def test_an_undo_of_an_acceptance_deletes_all_of_it_and_what_is_written_into_it_counts_too():
    assert accepted().edit((4, 14, ""), reason="undo").endings() == {"accepted": 1, "deleted": 10}
    assert accepted().edit((6, 6, "_")).edit((4, 15, "")).endings() == {"accepted": 1, "deleted": 11}
    assert accepted().edit((2, 14, "")).endings() == {"accepted": 1, "deleted": 10}


def test_after_ten_minutes_a_deletion_has_another_reason():
    assert accepted().edit((4, 14, ""), gap=600_001.0).endings() == {"accepted": 1}
    assert accepted().edit((4, 14, ""), gap=599_999.0).endings() == {"accepted": 1, "deleted": 10}


def test_a_tape_without_suggestions_has_none():
    assert Assisted().type("abc").endings() == {}


def test_an_edit_that_changes_nothing_contradicts_no_suggestion():
    assert offered("ab").edit().type("ab").ghost(1, "ignored").endings() == {"typed": 1}
