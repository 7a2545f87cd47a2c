"""Grafts in every language: little sessions (grafts/*.toml) with the part that is to be found marked by hand.

`text` is the document at the moment, `‸` the cursor. Each step of `then` is an edit of the tape: at the cursor, or before,
after or in place of a text that stands once in the document (`put` in one go, `type` key by key). `final` is what stands in
the end, the truth between `⟦` and `⟧`; or there is a `reason` why the moment is untestable.
"""

import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace

from replay.judge.grafts import emptied, graft, hole_of
from replay.records import Suggestion
from replay.tapes.timeline import Timeline
from server.repair.chain import repair
from server.repair.draft import Draft
from server.repair.steps.overlap import covered
from syntax.languages import LANGUAGES, language_of
from syntax.parse import has_error
from syntax.text import length
from tests.support.tapes import Typist, moment_of

CURSOR, OPEN, CLOSE = "‸", "⟦", "⟧"
FILES = {
    file.stem: tomllib.loads(file.read_text(encoding="utf-8"))
    for file in sorted((Path(__file__).parent / "grafts").iterdir())
}
CASES = [
    pytest.param(file["language"], case, id=f"{stem}: {case['name']}")
    for stem, file in FILES.items()
    for case in file["case"]
]
TESTABLE = [param for param in CASES if "final" in param.values[1]]


class Session:
    """A case as a tape: the moment, what stood around it, and what became of it."""

    def __init__(self, language, case):
        self.eol = "\r\n" if case.get("crlf") else "\n"
        before, after = self.text(case["text"]).split(CURSOR)
        self.before, self.after = before, after
        self.typist = Typist("a.file", language, before + after)
        self.at = length(before)
        for step in case["then"]:
            self.perform({key: self.text(value) for key, value in step.items()})
        self.moment = moment_of(2, before, after, path="a.file", language=language, stop=case.get("stop", "auto"))
        self.hole = hole_of(Timeline(self.typist.tape()), self.moment, before, after)

    def text(self, text):
        return text.replace("\n", self.eol)

    def perform(self, step):
        first, last = self.place(step)
        if "type" in step:
            for char in step["type"]:
                self.typist.edit((first, first, char))
                first += length(char)
        else:
            self.typist.edit((first, last, step["put"]))

    def place(self, step):
        """Where a step takes place, as UTF-16 offsets."""
        needle = next((step[key] for key in ("before", "after", "cut") if key in step), None)
        if needle is None:
            return self.at, self.at
        assert self.typist.text.count(needle) == 1, f"{needle!r} does not stand once in {self.typist.text!r}"
        first = length(self.typist.text.split(needle)[0])
        last = first + length(needle)
        return (last if "after" in step else first), (first if "before" in step else last)

    def put(self, text, over=(0, 0)):
        at = self.moment.offset
        offered = Suggestion(text=text, start=at - over[0], end=at + over[1], latency=0)
        return graft(self.hole, offered, self.moment, self.before, self.after)


def test_every_language_has_its_sessions():
    assert {language_of(file["language"]).id for file in FILES.values()} == set(LANGUAGES)


@pytest.mark.parametrize(("language", "case"), TESTABLE)
def test_the_part_is_the_one_that_is_marked_and_the_truth_put_back_is_the_finished_document(language, case):
    session = Session(language, case)
    head, truth, tail = session.text(case["final"]).replace(CLOSE, OPEN).split(OPEN)
    assert session.typist.text == head + truth + tail
    assert not isinstance(session.hole, str), session.hole
    assert session.hole.truth == truth
    assert (session.hole.start, session.hole.end) == (len(head), len(head + truth))
    assert session.put(truth) == session.typist.text


@pytest.mark.parametrize(("language", "case"), [param for param in CASES if "reason" in param.values[1]])
def test_untestable_moments_have_their_reason(language, case):
    assert Session(language, case).hole == case["reason"]


@pytest.mark.parametrize(("language", "case"), [param for param in TESTABLE if param.values[1].get("parses", True)])
def test_without_the_part_the_document_still_parses(language, case):
    hole = Session(language, case).hole
    assert not has_error(language_of(language), hole.final)
    assert not has_error(language_of(language), emptied(hole, language_of(language)))
    assert emptied(hole, language_of(language)) != hole.final


@pytest.mark.parametrize(("language", "case"), [param for param in CASES if "graft" in param.values[1]])
def test_what_the_range_of_a_suggestion_replaces_does_not_stand_there_twice(language, case):
    session = Session(language, case)
    assert session.put(session.text(case["suggestion"]), case["over"]) == session.text(case["graft"])


@pytest.mark.parametrize(("language", "case"), [param for param in CASES if "emptied" in param.values[1]])
def test_what_grammar_demands_stands_in_place_of_the_part(language, case):
    assert emptied(Session(language, case).hole, language_of(language)) == case["emptied"]


@pytest.mark.parametrize(("language", "case"), TESTABLE)
def test_the_truth_passes_through_the_repairs_of_the_server_and_is_still_the_finished_document(language, case):
    session = Session(language, case)
    draft = Draft(language_of(language), session.before, session.after, session.hole.truth, session.moment.stop)
    text, _ = repair(draft)
    lines = [part.replace("\r\n", "\n") for part in (session.before, session.after, text)]
    taken = covered(replace(draft, before=lines[0], after=lines[1], text=lines[2]))
    assert session.put(text, (0, taken)).split() == session.typist.text.split()
