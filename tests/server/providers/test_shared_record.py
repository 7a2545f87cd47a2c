"""A record of answers that several runs share: each prompt is asked once, to its end, and counted."""

import asyncio
import resource
import signal

import pytest
from msgspec.structs import replace

from server.context import Budget, Surroundings, choose
from server.errors import ProviderError, ProviderLimited
from server.prompt import Prompt
from server.providers.protocol import AnswerMetadata, AnswerText, OfflineProvider, Request, answer_text
from server.providers.wrappers.answer_file import AnswerFile, AnswerRow
from server.providers.wrappers.question_log import QuestionLine, QuestionLog
from server.providers.wrappers.recording import RecordingProvider
from server.providers.wrappers.spending import SharedAnswers
from server.settings import AnswerRecord, ProviderSettings

pytestmark = pytest.mark.usefixtures("virtual_time")


class Spoken(OfflineProvider):
    """A provider that says five words, one after the other, and counts."""

    name = "spoken"

    def __init__(self):
        self.asked, self.said, self.at_once, self.most_at_once = 0, 0, 0, 0

    def prompt(self, context):
        return Prompt(text=context.before)

    async def complete(self, request):
        self.asked += 1
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        try:
            for word in ("a ", "b ", "c ", "d ", "e"):
                await asyncio.sleep(0.002)
                self.said += 1
                yield AnswerText(word)
            yield AnswerMetadata(tokens=5, prompt_tokens=9)
        finally:
            self.at_once -= 1


def request(text):
    context = choose(Surroundings("a.py", "python", text, "", (), (), (), ""), Budget(100, 100))
    return Request(text, "", "line", context, Prompt(text=text))


@pytest.fixture
def opened(tmp_path):
    """Open the shared record for the session of a run."""

    def make(provider, session="one\0tape", places=1):
        file = AnswerFile(tmp_path / "answers.jsonl")
        if file.path.exists():
            file.read()
        settings = ProviderSettings(record=AnswerRecord(path=str(file.path), session=session))
        return RecordingProvider(provider, provider.prompt, file, settings, "m", shared=SharedAnswers(places=places))

    return make


async def first(provider, asked, words=2):
    """The first words of an answer; its reader goes then."""
    taken = []
    stream = provider.complete(asked)
    async for piece in stream:
        taken.append(piece)
        if len(taken) == words:
            break
    await stream.aclose()
    return answer_text(taken)


async def whole(provider, asked):
    return answer_text([piece async for piece in provider.complete(asked)])


def lines(tmp_path):
    return [(line.what, line.session) for line in QuestionLog(tmp_path / "answers.jsonl").read()]


async def test_an_answer_is_read_to_its_end_though_its_reader_goes_and_serves_a_run_that_needs_more(opened, tmp_path):
    spoken = Spoken()
    one = opened(spoken)
    assert await first(one, request("x")) == "a b "
    await one.close()
    assert spoken.said == 5
    two = opened(spoken, "two\0tape")
    assert await whole(two, request("x")) == "a b c d e"
    assert spoken.asked == 1
    assert lines(tmp_path) == [("asked", "one\0tape"), ("used", "two\0tape")]


async def test_the_time_of_an_answer_from_the_record_is_that_of_the_pieces_that_were_read(opened):
    one = opened(Spoken())
    pieces = [piece async for piece in one.complete(request("x"))]
    two = opened(Spoken(), "two\0tape")
    again = [piece async for piece in two.complete(request("x"))]
    assert [piece.at for piece in again] == [piece.at for piece in pieces]


async def test_an_answer_that_was_given_up_serves_no_other_run(opened, tmp_path):
    spoken = Spoken()
    one = opened(spoken)
    task = asyncio.create_task(whole(one, request("x")))
    await asyncio.sleep(0.005)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert spoken.said < 5
    two = opened(spoken, "two\0tape")
    assert await whole(two, request("x")) == "a b c d e"
    assert [what for what, _ in lines(tmp_path)] == ["asked", "asked"]


@pytest.mark.parametrize("places", [1, 3])
async def test_no_more_questions_are_under_way_than_there_are_places_those_included_that_nobody_reads(opened, places):
    spoken = Spoken()
    one = opened(spoken, places=places)
    await asyncio.gather(*(first(one, request(f"x{number}")) for number in range(9)))
    await one.close()
    assert spoken.most_at_once == places


async def test_equal_questions_at_once_are_asked_once(opened, tmp_path):
    spoken = Spoken()
    one = opened(spoken, places=4)
    assert set(await asyncio.gather(*(whole(one, request("x")) for _ in range(4)))) == {"a b c d e"}
    assert spoken.asked == 1
    assert [what for what, _ in lines(tmp_path)] == ["asked", "used", "used", "used"]


async def test_samples_are_questions_of_their_own(opened):
    spoken = Spoken()
    one = opened(spoken)
    for sample in range(3):
        await whole(one, replace(request("x"), sample=sample))
    assert spoken.asked == 3


def limited(tmp_path, provider, most_cost, places=1):
    """A record whose questions cost 1 for each token of the answer, 50 at most."""
    file = AnswerFile(tmp_path / "answers.jsonl")
    settings = ProviderSettings(record=AnswerRecord(path=str(file.path), session="one\0tape"), max_tokens=50)
    shared = SharedAnswers(places=places, most_cost=most_cost, price=(0.0, 1.0))
    return RecordingProvider(provider, provider.prompt, file, settings, "m", shared=shared)


async def asked_until_refused(provider, number):
    """How many of so many questions, one after the other, are answered before one is refused."""
    for at in range(number):
        try:
            await whole(provider, request(f"x{at}"))
        except ProviderLimited:
            return at
    return number


async def test_a_question_whose_tokens_are_told_counts_what_it_cost_and_not_the_most(tmp_path):
    # each costs 5 (five tokens told), and at most 50: by hand, 4 are 20, and 20 + 50 <= 70; 5 are 25, and 25 + 50 > 70
    spoken = Spoken()
    assert await asked_until_refused(limited(tmp_path, spoken, 70.0), 20) == 5
    assert spoken.asked == 5


async def test_a_question_that_fits_once_others_have_told_waits_for_them(tmp_path):
    # 8 questions of at most 50 under way would be 400; they cost 40
    spoken = Spoken()
    one = limited(tmp_path, spoken, 90.0, places=8)
    assert await asyncio.gather(*(whole(one, request(f"x{number}")) for number in range(8))) == ["a b c d e"] * 8
    assert spoken.most_at_once == 1
    assert await asked_until_refused(one, 1) == 1
    assert await asked_until_refused(limited(tmp_path / "other", Spoken(), 49.0), 1) == 0


class Silent(Spoken):
    """A provider that tells no tokens."""

    async def complete(self, request):
        async for piece in super().complete(request):
            if not isinstance(piece, AnswerMetadata):
                yield piece


async def test_a_question_whose_tokens_are_not_told_stays_at_the_most(tmp_path):
    assert await asked_until_refused(limited(tmp_path, Silent(), 170.0), 20) == 3


async def test_a_question_that_is_given_up_stays_at_the_most_and_keeps_no_other_waiting(tmp_path):
    one = limited(tmp_path, Spoken(), 104.0)
    task = asyncio.create_task(whole(one, request("x")))
    await asyncio.sleep(0.005)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert await asked_until_refused(one, 9) == 1  # 50 given up, 5 told, and 55 + 50 > 104


def keyed(tmp_path, **settings):
    record = AnswerRecord(path=str(tmp_path / "answers.jsonl"), session="one")
    made = RecordingProvider(
        Spoken(),
        Spoken().prompt,
        AnswerFile(tmp_path / "answers.jsonl"),
        ProviderSettings(record=record, **settings),
        "m",
        shared=SharedAnswers(),
    )
    return made.key(request("x"))


def test_options_of_a_model_make_another_question(tmp_path):
    keys = {keyed(tmp_path, name="ollama", options=options) for options in ({}, {"num_ctx": 512}, {"num_ctx": 8192})}
    assert len(keys) == 3


def test_two_files_of_one_name_are_two_models_and_a_copy_is_the_same(tmp_path):
    models = {
        "small": b"GGUF" + bytes(40),
        "large": b"GGUF" + bytes(90),
        "other": b"GGUF" + bytes(39) + b"x",
        "copy": b"GGUF" + bytes(40),
    }
    keys = {}
    for name, content in models.items():
        (tmp_path / name).mkdir()
        path = tmp_path / name / "model.gguf"
        path.write_bytes(content)
        keys[name] = keyed(tmp_path, name="gguf", model=str(path))
    assert len(set(keys.values())) == 3
    assert keys["copy"] == keys["small"]


@pytest.mark.parametrize("file", ["questions.jsonl", "answers.jsonl"])
def test_a_line_after_one_that_was_cut_off_is_kept(tmp_path, file):
    answers = tmp_path / "answers.jsonl"

    def write(key):
        QuestionLog(answers).write(QuestionLine("asked", "s", key))
        AnswerFile(answers).append(AnswerRow(key, "p", "m", "", ("x",), session="s"))

    write("a")
    with (tmp_path / file).open("ab") as torn:
        torn.write(b'{"what":"as')
    write("b")
    known = AnswerFile(answers)
    known.read()
    assert [line.key for line in QuestionLog(answers).read()] == ["a", "b"]
    assert [row.key for row in known.rows()] == ["a", "b"]


def test_a_line_that_the_disk_takes_in_part_is_an_error(tmp_path):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, limit[1]))
    try:
        with pytest.raises(ProviderError, match="cannot be written"):
            QuestionLog(tmp_path / "answers.jsonl").write(QuestionLine("asked", "s" * 100, "k"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
