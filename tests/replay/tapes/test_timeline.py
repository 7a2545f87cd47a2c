from hypothesis import given
from hypothesis import strategies as st

from replay.tapes.tape import Close, Edit, Open, Tape
from replay.tapes.timeline import FROM_START, Timeline, typed_next
from syntax.text import cut, encode, length
from tests.support.tapes import Typist


@st.composite
def sessions(draw):
    typist = Typist(text=draw(st.text("a😀\r\n", max_size=8)))
    for _ in range(draw(st.integers(1, 8))):
        size = len(typist.text)
        start = draw(st.integers(0, size))
        end = draw(st.integers(start, size))
        offsets = length(typist.text[:start]), length(typist.text[:end])
        typist.edit((*offsets, draw(st.text("xy😀\n", max_size=4))))
    return typist.tape()


@given(sessions())
def test_every_character_of_the_end_was_written_by_an_event_that_put_it_in(tape):
    timeline = Timeline(tape)
    units = encode(timeline.final["a.py"])
    writers = timeline.writers["a.py"]
    assert len(writers) == len(units) // 2
    for position, writer in enumerate(writers):
        unit = units[2 * position : 2 * position + 2]
        source = (
            tape.events[0].text if writer == FROM_START else "".join(new for _, _, new in tape.events[writer].changes)
        )
        assert unit in [encode(source)[at : at + 2] for at in range(0, len(encode(source)), 2)]


@given(sessions(), st.data())
def test_the_text_between_marks_is_what_the_window_saw(tape, data):
    timeline = Timeline(tape)
    index = data.draw(st.sampled_from([at for at, event in enumerate(tape.events) if isinstance(event, Edit)]))
    start = tape.events[index].changes[0][0]
    seen = list(typed_next(timeline, "a.py", index, start))
    left, right = timeline.carried("a.py", index, start, start)
    assert (seen[-1][1] if seen else "") == cut(timeline.final["a.py"], left, right)


def test_a_typo_that_was_corrected_leaves_only_the_correction():
    typist = Typist().type("a = fo")
    size = len(typist.text)
    typist.edit((size - 1, size, ""), reason="delete").type("1")
    seen = [text for _, text in typed_next(Timeline(typist.tape()), "a.py", 2, 0)]
    assert seen[-1] == "a = f1"


def test_typing_elsewhere_is_not_seen():
    typist = Typist(text="one\ntwo\n").type("x", at=0)
    assert list(typed_next(Timeline(typist.tape()), "a.py", 2, 5)) == []


def test_characters_that_a_replacement_puts_back_keep_their_writer():
    typist = Typist(text="con").edit((0, 3, "console"), reason="accept")
    assert Timeline(typist.tape()).writers["a.py"] == [FROM_START] * 3 + [2] * 4


def test_a_document_that_comes_back_changed_carries_its_marks_and_has_no_writers_there():
    typist = Typist(text="one\n").type("two")
    tape = typist.tape()
    back = (Close(900.0, 0), Open(1000.0, 0, "a.py", "python", "zero\none\ntwo"))
    timeline = Timeline(Tape(tape.header, tape.events + back))
    assert timeline.carried("a.py", 2, 4, 4) == (9, 12)
    assert timeline.writers["a.py"] == [FROM_START] * 9 + [2, 3, 4]
