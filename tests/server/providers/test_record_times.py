"""The times of recorded answers: kept with each piece, given again, and overdue in the record where they were overdue live."""

from __future__ import annotations

from contextlib import aclosing

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from server.context import Context
from server.errors import ProviderError, ProviderMissing, ProviderOverdue
from server.providers.fixed import Fixed
from server.providers.protocol import AnswerText, OfflineProvider, Request, answer_text
from server.providers.recorded import Recorded, RecordedAnswer, answer_key
from server.providers.wrappers.answer_file import AnswerFile, AnswerRow, keeps_times
from server.providers.wrappers.recording import RecordingProvider
from server.settings import AnswerRecord, ProviderSettings

CONTEXT = Context("a.py", "python", "x = ", "\n")


class Slow(OfflineProvider):
    """Says each piece at its time (ms) of a clock that it moves itself; ends or fails at the last time."""

    name = "slow"

    def __init__(self, pieces=(), times=(), fails="") -> None:
        self.now, self.asked, self.fails = 0.0, 0, fails
        self.answers = [(pieces, times)]

    def then(self, pieces, times):
        self.answers.append((pieces, times))
        return self

    def clock(self):
        return self.now

    async def complete(self, request):
        pieces, times = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked, began = self.asked + 1, self.now
        for piece, at in zip(pieces, times, strict=False):
            self.now = began + at / 1000
            yield AnswerText(piece)
        self.now = began + times[-1] / 1000
        if self.fails:
            raise ProviderError(self.fails)


def _recording(path, mode, model=None, session="") -> RecordingProvider:
    chosen = ProviderSettings(record=AnswerRecord(path=str(path), mode=mode, session=session))
    file, model = AnswerFile(path), model or Slow()
    if path.exists():
        file.read()
    return RecordingProvider(model, model.prompt, file, chosen, "m", model.clock)


def _request(**changes) -> Request:
    return replace(Request("x = ", "\n", "auto", CONTEXT, Fixed().prompt(CONTEXT)), **changes)


async def _taken(provider, most=99, **changes):
    """(text, ms) of up to `most` pieces, and how it ended."""
    taken = []
    try:
        async with aclosing(provider.complete(_request(**changes))) as stream:
            async for piece in stream:
                taken.append((answer_text([piece]), piece.at))
                if len(taken) == most:
                    return taken, "enough"
    except ProviderOverdue:
        return taken, "overdue"
    except ProviderError as error:
        return taken, str(error)
    return taken, "ended"


async def test_each_piece_comes_again_with_the_time_at_which_it_came(tmp_path):
    path = tmp_path / "r.jsonl"
    live = await _taken(_recording(path, "write", Slow("ab", (100, 250, 300))))
    assert live == ([("a", 100.0), ("b", 250.0), ("", 300.0)], "ended")
    silent = Slow()
    assert await _taken(_recording(path, "require", silent)) == live
    assert silent.asked == 0


@pytest.mark.parametrize(
    ("patience", "taken", "end"),
    [
        (100.0, [], "overdue"),
        (100.5, [("a", 100.0)], "overdue"),
        (250.0, [("a", 100.0)], "overdue"),
        (300.0, [("a", 100.0), ("b", 250.0)], "overdue"),
        (300.5, [("a", 100.0), ("b", 250.0), ("", 300.0)], "ended"),
    ],
)
async def test_what_comes_when_nobody_waits_any_more_is_overdue_live_and_in_the_record(tmp_path, patience, taken, end):
    path = tmp_path / "r.jsonl"
    model = Slow("ab", (100, 250, 300))
    assert await _taken(_recording(path, "write", model), patience=patience) == (taken, end)
    assert await _taken(_recording(path, "require"), patience=patience) == (taken, end)


_ANSWERS = st.lists(st.integers(0, 400), min_size=1, max_size=5).map(sorted)


@given(
    times=st.lists(_ANSWERS, min_size=1, max_size=4),
    reads=st.lists(st.tuples(st.integers(1, 6), st.sampled_from([50.0, 200.0, 399.5, 1000.0])), min_size=1, max_size=6),
    fails=st.booleans(),
)
async def test_a_session_takes_the_same_course_from_its_record(tmp_path_factory, times, reads, fails):
    """Whatever was asked in which order, how much of each answer was wanted, and how long it was waited for."""
    path = tmp_path_factory.mktemp("record") / "r.jsonl"
    model = Slow(fails="no more" if fails else "")
    model.answers = [(f"{number}bcd"[: len(each) - 1], each) for number, each in enumerate(times)]
    live, silent = _recording(path, "write", model, "tape"), Slow()
    first = [await _taken(live, most, patience=patience) for most, patience in reads]
    record = _recording(path, "require", silent, "tape")
    assert [await _taken(record, most, patience=patience) for most, patience in reads] == first
    assert silent.asked == 0
    continued = _recording(path, "replay", silent, "tape")
    if not fails:
        assert [await _taken(continued, most, patience=patience) for most, patience in reads] == first
        assert silent.asked == 0


async def test_a_question_that_needed_less_takes_nothing_from_one_that_needed_more(tmp_path):
    """The later line is the shorter one."""
    path, model = tmp_path / "r.jsonl", Slow("abc", (10, 20, 30, 40))
    live = _recording(path, "write", model, "tape")
    first = [await _taken(live, 3), await _taken(live, 1)]
    record = _recording(path, "require", session="tape")
    assert [await _taken(record, 3), await _taken(record, 1)] == first
    assert await _taken(record, 3) == first[0]


async def test_where_its_own_answer_stops_a_question_goes_on_with_a_longer_one(tmp_path):
    path, model = tmp_path / "r.jsonl", Slow("abc", (10, 20, 30, 40))
    live = _recording(path, "write", model, "tape")
    await _taken(live, 1)
    await _taken(live, 3)
    record = _recording(path, "require", session="tape")
    assert await _taken(record, 3) == ([("a", 10.0), ("b", 20.0), ("c", 30.0)], "enough")


async def test_each_session_has_the_answers_to_its_own_questions(tmp_path):
    path, model = tmp_path / "r.jsonl", Slow("a", (10, 20)).then("b", (30, 40)).then("c", (50, 60))
    await _taken(_recording(path, "write", model, "one"))
    two = _recording(path, "write", model, "two")
    await _taken(two)
    await _taken(two)
    texts = []
    for session in ("one", "two", "three"):
        record = _recording(path, "require", session=session)
        texts.append("".join([(await _taken(record))[0][0][0] for _ in range(2)]))
    assert texts == ["ac", "bc", "cc"]


async def test_what_was_given_up_is_given_up_again_and_the_model_is_not_asked(tmp_path):
    path, model = tmp_path / "r.jsonl", Slow("a", (100, 120))
    assert await _taken(_recording(path, "write", model), patience=60.0) == ([], "overdue")
    again = Slow("a", (1, 2))
    assert await _taken(_recording(path, "replay", again), patience=60.0) == ([], "overdue")
    assert await _taken(_recording(path, "replay", again), patience=0.0) == ([], "overdue")
    assert again.asked == 0
    assert (await _taken(_recording(path, "replay", again), patience=2000.0))[1] == "ended"
    assert again.asked == 1


async def test_whoever_waits_longer_than_the_recorded_session_did_is_told_so(tmp_path):
    path = tmp_path / "r.jsonl"
    row = AnswerRow("", "slow", "m", "", (), ended=False, took=60.0)
    record = _recording(path, "write")
    record.file.append(replace(row, key=record.key(_request())))
    with pytest.raises(ProviderMissing, match=r"holds only the start .* gave it up sooner"):
        await anext(_recording(path, "require").complete(_request(patience=60.5)))


async def test_a_provider_that_says_nothing_is_left_when_the_patience_is_over(tmp_path):
    path = tmp_path / "r.jsonl"
    chosen = ProviderSettings(record=AnswerRecord(path=str(path), mode="write"))
    hangs = Fixed("abc", delay_s=60, piece=1)
    live = RecordingProvider(hangs, hangs.prompt, AnswerFile(path), chosen, "m")
    assert await _taken(live, patience=30.0) == ([], "overdue")
    row = msgspec.json.decode(path.read_bytes())
    assert (row["pieces"], row["ended"]) == ([], False)
    assert 30.0 <= row["took"] < 5000.0


async def test_answers_of_a_version_without_times_are_given_without(tmp_path):
    path = tmp_path / "r.jsonl"
    record = _recording(path, "write")
    old = {
        "key": record.key(_request()),
        "provider": "slow",
        "model": "m",
        "prompt": "",
        "pieces": ["a", ["b", -1.0, 2]],
    }
    path.write_bytes(msgspec.json.encode(old) + b"\n")
    assert not keeps_times(path)
    pieces = [piece async for piece in _recording(path, "require").complete(_request(patience=1.0))]
    assert pieces == [AnswerText("a"), AnswerText("b", -1.0, 2)]


async def test_a_record_with_times_is_known_as_one(tmp_path):
    path = tmp_path / "r.jsonl"
    path.touch()
    assert keeps_times(path)
    await _taken(_recording(path, "write", Slow("a", (1, 2))))
    assert keeps_times(path)


@pytest.mark.parametrize(("patience", "came"), [(80.0, False), (80.5, True)])
async def test_an_answer_of_a_file_can_say_how_long_it_took(patience, came):
    answer = RecordedAnswer(answer_key("x = ", "\n", "auto"), "1", 80.0)
    provider = Recorded({answer.key: answer.piece})
    if came:
        assert [piece async for piece in provider.complete(_request(patience=patience))] == [AnswerText("1", at=80.0)]
    else:
        with pytest.raises(ProviderOverdue):
            await anext(provider.complete(_request(patience=patience)))
