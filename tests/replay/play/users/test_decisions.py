from replay.play.users.decisions import Decisions, RecordedDecision
from replay.tapes.tape import Ghost
from tests.support.tapes import Typist


class Assisted(Typist):
    """A typist with an assistant."""

    def ghost(self, request, phase, offset, text="", doc=0):
        self.events.append(Ghost(self.t, doc, request, phase, offset, text))
        return self

    def at(self, event, offset):
        return Decisions(self.tape()).at("a.py", event, offset)

    def of(self, request):
        return Decisions(self.tape()).of(request)


def accepted_twice():
    """Events 2: a, 3-4: 1 asked and shown, 5: accepted (6), 7-8: 2 asked and shown, 9: accepted (10), 11: x."""
    typist = Assisted().type("a").ghost(1, "asked", 1).ghost(1, "shown", 1, "bc")
    typist.edit((1, 1, "bc"), reason="accept").ghost(1, "accepted", 1, "bc")
    typist.ghost(2, "asked", 3).ghost(2, "shown", 3, "de")
    return typist.edit((3, 3, "de"), reason="accept").ghost(2, "accepted", 3, "de").type("x")


def test_an_acceptance_that_is_told_behind_its_edit_belongs_to_the_place_before_it():
    assert accepted_twice().at(3, 1) == RecordedDecision("bc", "bc", "accepted")
    assert accepted_twice().at(5, 1) == RecordedDecision("bc", "bc", "accepted")


def test_the_next_place_knows_nothing_of_it():
    assert accepted_twice().at(7, 3) == RecordedDecision("de", "de", "accepted")
    assert accepted_twice().at(11, 5) is None


def test_before_the_assistant_did_anything_nothing_is_known():
    assert accepted_twice().at(2, 0) is None


def test_an_acceptance_told_before_its_edit_is_found_as_well():
    typist = Assisted().type("a").ghost(1, "shown", 1, "bc").ghost(1, "accepted", 1, "bc").edit((1, 1, "bc"))
    assert typist.at(3, 1) == RecordedDecision("bc", "bc", "accepted")


def test_an_acceptance_of_a_suggestion_that_the_tape_never_showed_belongs_before_its_edit():
    typist = Assisted().type("a").edit((1, 1, "bc"), reason="accept").ghost(-1, "accepted", 1, "bc").type("d")
    assert typist.at(3, 1) == RecordedDecision(None, "bc", "accepted")
    assert typist.at(5, 3) is None


def test_what_happened_elsewhere_in_the_document_is_left_out():
    typist = Assisted(text="one two").type("a").ghost(1, "shown", 4, "x").ghost(2, "shown", 1, "y")
    assert typist.at(3, 1) == RecordedDecision("y")


def test_a_document_without_an_assistant_has_no_decisions():
    assert Decisions(Typist().type("ab").tape()).at("a.py", 3, 1) is None
    assert Decisions(Typist().type("ab").tape()).at("b.py", 3, 1) is None


def test_two_requests_at_one_place_are_decided_apart():
    typist = Assisted().type("a").ghost(1, "asked", 1).ghost(1, "shown", 1, "bc").ghost(1, "rejected", 1)
    typist.ghost(2, "asked", 1).ghost(2, "shown", 1, "bc").edit((1, 1, "bc")).ghost(2, "accepted", 1, "bc")
    assert typist.of(1) == RecordedDecision("bc", "", "rejected")
    assert typist.of(2) == RecordedDecision("bc", "bc", "accepted")


def test_words_accepted_one_by_one_are_one_decision():
    typist = Assisted().ghost(1, "asked", 0).ghost(1, "shown", 0, "a b c")
    typist.edit((0, 0, "a ")).ghost(1, "part", 0, "a ").edit((2, 2, "b ")).ghost(1, "part", 2, "b ")
    assert typist.of(1) == RecordedDecision("a b c", "a b ", "part")
    typist.edit((4, 4, "c")).ghost(1, "accepted", 4, "c")
    assert typist.of(1) == RecordedDecision("a b c", "a b c", "accepted")


def test_what_was_typed_along_before_accepting_counts_with_what_was_accepted():
    typist = Assisted().ghost(1, "asked", 0).ghost(1, "shown", 0, "foo").type("f")
    assert typist.edit((1, 1, "oo")).ghost(1, "accepted", 1, "oo").of(1) == RecordedDecision("foo", "foo", "accepted")


def test_only_what_is_typed_by_hand_is_typed_through():
    def of(reason):
        typist = Assisted().ghost(1, "asked", 0).ghost(1, "shown", 0, "f")
        return typist.edit((0, 0, "f"), reason=reason).ghost(1, "ignored", 0).of(1).ending

    assert (of("type"), of("undo")) == ("typed-through", "shown")


def test_a_request_that_was_never_shown_has_no_decision_of_a_person():
    assert Assisted().ghost(1, "asked", 0).ghost(1, "cancelled", 0).of(1) == RecordedDecision()
    assert Assisted().of(1) is None
