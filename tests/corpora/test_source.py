"""Which task is asked for which sample, and that each question finds its own answer."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from corpora.corpus import chosen, corpus_of
from corpora.errors import CorpusError
from corpora.evaluation_options import EvaluateOptions, drawn
from corpora.run.source import CorpusSource
from replay.play.player_instructions import Answer, Ask, MomentEnded
from replay.run.findings import Findings
from replay.run.sources import seam
from replay.run.sources.known_answers import KnownAnswers
from runners.programs.fake_program import FakePrograms
from runners.verdicts import Result
from server.context.context_selection import Context
from server.prompt.forms import Prompt
from server.providers.protocol import Request, answer_text
from server.providers.recorded import make
from server.settings import ProviderSettings, Settings
from tests.support.devbench_data import instance, publish, write
from tests.support.fakes.sandbox import FakeSandbox
from tests.support.simcopilot_data import STAIRS, STAIRS_CASES, checkpoints
from tests.support.simcopilot_data import write as write_simcopilot


def source_of(data, provider="oracle", **options):
    settings = Settings(provider=ProviderSettings(name=provider))
    cell = {"languages": ("python",), "categories": ("low_context",)}
    return CorpusSource.of(
        EvaluateOptions(corpus="devbench", data=str(data), settings=settings, tests=False, **cell, **options)
    )


async def opened(source, folder):
    test_context = seam.TestContext(None, folder, asyncio.Semaphore(1), 1, lambda _: None, lambda *_: None)
    async with AsyncExitStack() as stack:
        return await source.open(test_context, stack)


async def asked(subject, sample, path):
    """What each question of a sample finds, through the provider that reads the file of answers while it grows."""
    known, found = KnownAnswers(path), []
    provider = make(ProviderSettings(name="recorded", answers=str(path), follow=True, required=True))
    steps, reply = subject.player(sample).play(), None
    try:
        while True:
            step, reply = steps.send(reply), None
            if isinstance(step, Ask):
                known.add(step, subject.answer(step))
                context = Context("a.py", "python", step.before, step.after)
                request = Request(step.before, step.after, step.moment.stop, context, Prompt(step.before))
                text = answer_text([piece async for piece in provider.complete(request)])
                reply = Answer(0.0, text)
            elif isinstance(step, MomentEnded):
                found.append((step.moment.path[-4], step.moment.sample, step.suggestion.text))
    except StopIteration:
        return found


@pytest.fixture
def data(tmp_path):
    """Two tasks with the same document and one with another, with published answers."""
    folder = tmp_path / "data"
    write(folder, instance(1, "b"), instance(2, "c"), instance(3, "d", prefix="y = 2"))
    publish(folder, "ada", {"1": ["b0", "b1"], "2": ["c0", "c1"], "3": ["d0"]})
    return folder


async def test_the_oracle_finds_each_truth_though_two_documents_are_the_same(data, tmp_path):
    subject = await opened(source_of(data), tmp_path)
    assert await asked(subject, 0, tmp_path / "answers") == [("1", 0, "b"), ("2", 0, "c"), ("3", 0, "d")]


def test_more_answers_than_were_published_are_refused(data):
    source_of(data, "recorded", published="ada", samples=2).check()
    with pytest.raises(CorpusError, match="at most 2 answers to a task were published: --samples 2 or fewer"):
        source_of(data, "recorded", published="ada", samples=3).check()


async def test_each_published_answer_is_found_once(data, tmp_path):
    subject = await opened(source_of(data, "recorded", published="ada", samples=2), tmp_path)
    assert await asked(subject, 0, tmp_path / "first") == [("1", 0, "b0"), ("2", 0, "c0"), ("3", 0, "d0")]
    assert await asked(subject, 1, tmp_path / "second") == [("1", 1, "b1"), ("2", 1, "c1")]


async def test_a_provider_that_is_asked_is_told_no_answers(data, tmp_path):
    assert (await opened(source_of(data, "ngram"), tmp_path)).answer is None


def test_other_data_are_another_source(data, tmp_path):
    same, digest = source_of(data).digest, source_of(data).digest
    assert same == digest
    write(tmp_path / "other", instance(1, "b"), instance(2, "other"), instance(3, "d", prefix="y = 2"))
    assert source_of(tmp_path / "other").digest != digest


def test_languages_and_categories_are_named_in_the_corpus_own_words(data):
    options = EvaluateOptions(corpus="devbench", data=str(data), languages=("py", "c#"), categories=())
    chosen = CorpusSource.of(options).options
    assert chosen.languages == ("python", "csharp")
    assert len(chosen.categories) == 6


class Without(CorpusSource):
    """A source on a machine where programs in some languages do not run."""

    lacking: tuple[str, ...] = ()

    async def _programs(self, test_context):
        failed, ran = Result("failed", "", None, None, "", 1.0), Result("passed", "", None, None, "1.0", 1.0)
        return FakePrograms(lambda program: failed if program.language in self.lacking else ran)


async def drawn_without(shared, folder, *lacking, **options):
    """The tasks that are asked, those apart by language, and what was left out."""

    class There(Without):
        pass

    There.lacking, left_out = lacking, []
    settings = Settings(provider=ProviderSettings(name="ngram"))
    source = There.of(EvaluateOptions(corpus="devbench", data=str(shared / "devbench"), settings=settings, **options))
    leave_out = lambda name, _, is_missing: left_out.append((name, is_missing))  # noqa: E731
    sandbox = FakeSandbox(lambda _: None)
    test_context = seam.TestContext(sandbox, folder, asyncio.Semaphore(1), 1, lambda _: None, leave_out)
    async with AsyncExitStack() as stack:
        await source.open(test_context, stack)
    return source, left_out


async def test_a_limit_draws_the_same_tasks_on_every_machine_and_for_an_audit(shared, tmp_path):
    corpus = corpus_of("devbench", shared)
    audited = drawn(corpus.tasks(*chosen(corpus, (), ()), packages=False), 60, 3)
    for lacking in ((), ("csharp",), ("csharp", "java")):
        source, left_out = await drawn_without(shared, tmp_path, *lacking, limit=60, seed=3)
        excluded = [task.name for task, _ in source.excluded]
        assert [task.name for task in source.tasks] + excluded == [
            task.name for task in sorted(audited, key=lambda task: task.language in lacking)
        ]
        assert left_out == [(f"devbench {language}", True) for language in ("java", "csharp") if language in lacking]
        assert {task.language for task, _ in source.excluded} == {*lacking}
        cells = source.summarise(source.options, Findings(reads_record=False))["apart"]
        assert len(cells) == 6 * len(lacking)
        assert sum(cell["tasks"] for cell in cells) == 10 * len(lacking)
        assert all("do not run in the sandbox" in cell["reason"] for cell in cells)


async def test_only_the_toolchains_of_what_is_drawn_are_made_ready(shared, tmp_path):
    """One task: its language does not run here, and nobody asks for the others."""
    source, left_out = await drawn_without(shared, tmp_path, *("python", "java"), limit=1)
    assert (source.tasks, len(source.excluded), len(left_out)) == ([], 1, 1)


async def test_tasks_that_lack_their_data_are_left_out_with_the_reason_and_have_no_part_in_any_figure(tmp_path):
    """Two programs need what is not there, one runs: a limit draws them last, and without one they are listed apart."""
    names = ("Image_Filtering", "GAN_model", "simplex_method")
    programs = [(checkpoints(name, [(6, 6), (5, 6)], [(5, 6)]), STAIRS, STAIRS_CASES) for name in names]
    data, reasons = write_simcopilot(tmp_path / "data", programs), []
    settings = Settings(provider=ProviderSettings(name="ngram"))
    for limit, excluded in ((3, 0), (None, 6)):
        source = Without.of(EvaluateOptions(corpus="simcopilot", data=str(data), settings=settings, limit=limit))
        leave_out = lambda name, reason, is_missing: reasons.append((name, reason, is_missing))  # noqa: E731
        test_context = seam.TestContext(
            FakeSandbox(lambda _: None), tmp_path, asyncio.Semaphore(1), 1, lambda _: None, leave_out
        )
        async with AsyncExitStack() as stack:
            await source.open(test_context, stack)
        assert {task.tests.path.stem for task in source.tasks} == {"simplex_method"}
        assert (len(source.tasks), len(source.excluded)) == (3, excluded)
    wanted = {
        "Image_Filtering reads alice.avi, which the data does not hold",
        "GAN_model needs tensorflow, tensorflow_addons, which it does not get",
    }
    assert {reason for _, reason, _ in reasons} == wanted
    assert {(name, is_missing) for name, _, is_missing in reasons} == {("simcopilot python", True)}
    cells = source.summarise(source.options, Findings(reads_record=False))["apart"]
    assert {(cell["category"], cell["reason"]): cell["tasks"] for cell in cells} == {
        (category, reason): number for category, number in (("infilling", 2), ("completion", 1)) for reason in wanted
    }
