"""What is known of an answer as a whole: when its first piece came, and why the model stopped, as measured or as a record of answers says."""

from __future__ import annotations

import pytest

from server.providers.protocol import AnswerMetadata, AnswerText, OfflineProvider
from server.providers.wrappers.answer_file import AnswerFile
from server.providers.wrappers.recording import RecordingProvider
from server.queries import Query
from server.service import Service
from server.settings import AnswerRecord, ProviderSettings


class Timed(OfflineProvider):
    """Says each piece at its time (ms) of a clock that it moves itself."""

    name = "timed"

    def __init__(self, *pieces):
        self.pieces, self.now = pieces, 5.0

    def clock(self):
        return self.now

    async def complete(self, request):
        began = self.now
        for at, piece in self.pieces:
            self.now = began + at / 1000
            yield AnswerText(piece) if isinstance(piece, str) else piece


def query():
    return Query("file:///a.py", "python", "def f():\n    ", "\n")


@pytest.mark.parametrize(
    ("pieces", "first"),
    [
        (((120.0, "return"), (180.0, " 1")), 120.0),
        (((30.0, ""), (120.0, "return"), (180.0, " 1")), 120.0),
        (((30.0, AnswerMetadata(prompt_tokens=3)), (120.0, "return"), (180.0, " 1")), 120.0),
        (((120.0, "return 1"),), None),
        (((120.0, "return 1"), (150.0, "")), None),
        ((), None),
    ],
)
async def test_it_is_that_of_the_first_piece_with_text_of_several(pieces, first):
    provider = Timed(*pieces)
    answer = await Service(provider, clock=provider.clock).complete(query())
    assert answer.first_token == (None if first is None else pytest.approx(first))
    assert answer.explained()["first_token"] == answer.first_token


async def test_a_record_of_answers_says_it_however_fast_it_is_read(tmp_path):
    pieces = ((120.0, "return"), (180.0, " 1"))
    for mode in ("write", "require"):
        provider = Timed(*pieces)
        chosen = ProviderSettings(record=AnswerRecord(path=str(tmp_path / "answers.jsonl"), mode=mode))
        file = AnswerFile(tmp_path / "answers.jsonl")
        if mode == "require":
            file.read()
        recording = RecordingProvider(provider, provider.prompt, file, chosen, "m", provider.clock)
        answer = await Service(recording, clock=provider.clock).complete(query())
        assert (answer.text, answer.first_token) == ("return 1", pytest.approx(120.0))


@pytest.mark.parametrize(
    ("reasons", "finish"),
    [
        ((), None),
        (("stop",), "stop"),
        (("length",), "length"),
        (("refusal", "stop"), "refusal"),
        (("stop", "other"), "other"),
    ],
)
async def test_why_the_model_stopped_is_told_now_and_from_a_record(reasons, finish, tmp_path):
    provider = Timed((120.0, "return 1"), *((180.0, AnswerMetadata(finish=reason)) for reason in reasons))
    for mode in ("write", "require"):
        chosen = ProviderSettings(record=AnswerRecord(path=str(tmp_path / "answers.jsonl"), mode=mode))
        file = AnswerFile(tmp_path / "answers.jsonl")
        if mode == "require":
            file.read()
        recording = RecordingProvider(provider, provider.prompt, file, chosen, "m", provider.clock)
        answer = await Service(recording, clock=provider.clock).complete(query())
        assert answer.explained()["finish"] == answer.finish == finish
