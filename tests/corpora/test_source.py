"""Which task is asked for which sample, and that each question finds its own answer."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from devbench_data import instance, publish, write

from corpora.options import EvaluateOptions
from corpora.run.source import CorpusSource
from replay.play.instructions import Answer, Ask, Settled
from replay.run.sources.known_answers import KnownAnswers
from replay.run.sources.seam import Bench
from server.context.choosing import Context
from server.prompt.forms import Prompt
from server.providers.protocol import Request
from server.providers.recorded import make
from server.settings import ProviderSettings, Settings


def source_of(data, provider="oracle", **options):
    settings = Settings(provider=ProviderSettings(name=provider))
    cell = {"languages": ("python",), "categories": ("low_context",)}
    return CorpusSource.of(
        EvaluateOptions(corpus="devbench", data=str(data), settings=settings, tests=False, **cell, **options)
    )


async def opened(source, folder):
    bench = Bench(None, folder, asyncio.Semaphore(1), 1, lambda _: None, lambda *_: None)
    async with AsyncExitStack() as stack:
        return await source.open(bench, stack)


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
                text = "".join([piece async for piece in provider.complete(request)])
                reply = Answer(0.0, text)
            elif isinstance(step, Settled):
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
