from tapes import Typist

from replay.play.users.decisions import Decisions
from replay.tapes.tape import Ghost


class Assisted(Typist):
    """A typist with an assistant."""

    def ghost(self, request, phase, offset, text="", doc=0):
        self.events.append(Ghost(self.t, doc, request, phase, offset, text))
        return self

    def at(self, event, offset):
        return [(ghost.request, ghost.phase) for ghost in Decisions(self.tape()).at("a.py", event, offset)]


def accepted_twice():
    """Events 2: a, 3-4: 1 asked and shown, 5: accepted (6), 7-8: 2 asked and shown, 9: accepted (10), 11: x."""
    typist = Assisted().type("a").ghost(1, "asked", 1).ghost(1, "shown", 1, "bc")
    typist.edit((1, 1, "bc"), reason="accept").ghost(1, "accepted", 1, "bc")
    typist.ghost(2, "asked", 3).ghost(2, "shown", 3, "de")
    return typist.edit((3, 3, "de"), reason="accept").ghost(2, "accepted", 3, "de").type("x")


def test_an_acceptance_that_is_told_behind_its_edit_belongs_to_the_place_before_it():
    assert accepted_twice().at(3, 1) == [(1, "asked"), (1, "shown"), (1, "accepted")]
    assert accepted_twice().at(5, 1) == [(1, "asked"), (1, "shown"), (1, "accepted")]


def test_the_next_place_knows_nothing_of_it():
    assert accepted_twice().at(7, 3) == [(2, "asked"), (2, "shown"), (2, "accepted")]
    assert accepted_twice().at(11, 5) == []


def test_before_the_assistant_did_anything_nothing_is_known():
    assert accepted_twice().at(2, 0) == []


def test_an_acceptance_told_before_its_edit_is_found_as_well():
    typist = Assisted().type("a").ghost(1, "shown", 1, "bc").ghost(1, "accepted", 1, "bc").edit((1, 1, "bc"))
    assert typist.at(3, 1) == [(1, "shown"), (1, "accepted")]


def test_an_acceptance_of_a_suggestion_that_the_tape_never_showed_belongs_before_its_edit():
    typist = Assisted().type("a").edit((1, 1, "bc"), reason="accept").ghost(-1, "accepted", 1, "bc").type("d")
    assert typist.at(3, 1) == [(-1, "accepted")]
    assert typist.at(5, 3) == []


def test_what_happened_elsewhere_in_the_document_is_left_out():
    typist = Assisted(text="one two").type("a").ghost(1, "shown", 4, "x").ghost(2, "shown", 1, "y")
    assert typist.at(3, 1) == [(2, "shown")]


def test_a_document_without_an_assistant_has_no_decisions():
    assert Decisions(Typist().type("ab").tape()).at("a.py", 3, 1) == ()
    assert Decisions(Typist().type("ab").tape()).at("b.py", 3, 1) == ()
