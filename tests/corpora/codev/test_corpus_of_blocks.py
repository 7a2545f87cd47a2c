"""A corpus of blocks as tasks: what its documents are called, what is shown in scenario 4, and what is refused."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path

import httpx
import pytest
import respx

from corpora.codev.block_tests import BlockTests
from corpora.codev.checkouts import checkout_of
from corpora.codev.corpus import CodevCorpus
from corpora.codev.layout import LayoutPart, write_layout
from corpora.codev.retrieval.evidence import FunctionIndex
from corpora.codev.samples import CodevHead, CodevRepository, CodevSample, read_samples, write_samples
from corpora.corpus import corpus_of
from corpora.errors import CorpusError, DataError
from corpora.evaluation_options import Scenario
from corpora.run.source import TaskPlayer
from corpora.tasks import Task
from replay.play.player_instructions import Answer, Ask, DidClose, DidOpen
from replay.tapes.tape import Tests as ProjectTests

CODE = """\
def add_tax(price):
    return price * rate_of(price)


def rate_of(price):
    return 2 if price else 1


def tax_total(prices):
    return sum(add_tax(price) for price in prices)


def greet(name):
    return name
"""
BODY = "return price * rate_of(price)"
PYTEST = ProjectTests(toolchain="python", command="pytest")


def write(folder: Path, *extra: str) -> Path:
    """A corpus of one block, the body of `add_tax`, and of further ones of the same name in other repositories."""
    (folder / "app").mkdir()
    (folder / "app" / "shop.py").write_text(CODE)
    files = {"shop.py": hashlib.sha256(CODE.encode()).hexdigest()}
    names = ("app", *extra)
    repositories = [
        CodevRepository(name=name, folder=str(folder / "app"), tests=PYTEST, passing=1, files=files) for name in names
    ]
    start = CODE.index(BODY)
    samples = [
        CodevSample(
            name=f"{name}/shop.py#L1-L2/METHOD",
            repository=name,
            language="python",
            path="shop.py",
            block_type="METHOD",
            lines=(1, 2),
            start=start,
            end=start + len(BODY),
            emptied="pass",
            function="add_tax",
            function_lines=(1, 2),
            function_end=start + len(BODY),
            tests=("test_shop.py::test_tax",),
            noticed_by=("test_shop.py::test_tax",),
        )
        for name in names
    ]
    write_samples(folder / "blocks.jsonl", CodevHead(codev=1, name="shop", repositories=repositories), samples)
    return folder / "blocks.jsonl"


def test_the_three_nearest_functions_are_open_beside_the_document_and_never_the_one_that_holds_the_answer(
    tmp_path: Path,
) -> None:
    corpus = corpus_of("shop", write(tmp_path), scenario=4)
    assert isinstance(corpus, CodevCorpus)
    (task,) = asyncio.run(corpus.with_evidence(corpus.tasks(["python"], ["METHOD"], packages=False)))
    texts = [each.text for each in task.evidence]
    assert [text.split("(")[0] for text in texts] == ["def tax_total", "def rate_of", "def greet"]
    assert not any(BODY in text for text in texts)
    steps = TaskPlayer([task]).play()
    opened = [next(steps) for _ in range(4)]
    assert [step.text for step in opened if isinstance(step, DidOpen)][:3] == texts
    asked = next(steps)
    assert isinstance(asked, Ask)
    assert asked.evidence == tuple(each.path for each in task.evidence)
    closed = [steps.send(Answer(0.0, "x")), *(next(steps) for _ in range(3))]
    assert {step.path for step in closed if isinstance(step, DidClose)} == {task.path, *asked.evidence}


async def test_with_embeddings_the_nearest_are_those_of_a_server(tmp_path: Path) -> None:
    def vector(text: str) -> list[float]:
        return [float("greet" in text or "add_tax(price):" in text), 0.1 * text.count("prices"), 0.01]

    def answer(request: httpx.Request) -> httpx.Response:
        texts = json.loads(request.content)["input"]
        rows = [{"index": at, "embedding": vector(text)} for at, text in enumerate(texts)]
        return httpx.Response(200, json={"data": rows})

    with respx.mock(base_url="http://127.0.0.1:9/v1") as server:
        server.post("/embeddings").mock(side_effect=answer)
        corpus = CodevCorpus(write(tmp_path), 4, embeddings="http://127.0.0.1:9/v1#small")
        (task,) = await corpus.with_evidence(corpus.tasks(["python"], ["METHOD"], packages=False))
        assert json.loads(server.calls[0].request.content)["model"] == "small"
    assert [each.text.split("(")[0] for each in task.evidence] == ["def greet", "def rate_of", "def tax_total"]


async def test_embeddings_that_are_none_are_refused_with_what_can_be_named(tmp_path: Path) -> None:
    corpus = CodevCorpus(write(tmp_path), 4, embeddings="words")
    with pytest.raises(CorpusError, match="name gguf, gguf:FILE, or the URL of a server"):
        await corpus.with_evidence(corpus.tasks(["python"], ["METHOD"], packages=False))


def test_in_other_scenarios_nothing_is_shown_and_a_name_says_nothing_of_the_answer(tmp_path: Path) -> None:
    corpus = CodevCorpus(write(tmp_path))
    (task,) = asyncio.run(corpus.with_evidence(corpus.tasks(["python"], ["METHOD"], packages=False)))
    assert task.evidence == ()
    assert task.path.endswith("/shop.py")
    assert "L1" not in task.path
    assert (task.function, task.scenario, task.place) == ("app/shop.py:1", "full", "python app")


def test_each_repository_is_a_place_of_its_own(tmp_path: Path) -> None:
    tasks = CodevCorpus(write(tmp_path, "other")).tasks(["python"], ["METHOD"], packages=False)
    assert [task.place for task in tasks] == ["python app", "python other"]
    assert len({task.path for task in tasks}) == 2


def test_what_cannot_be_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = write(tmp_path, "other")
    with pytest.raises(DataError, match="several repositories, and --project names the place of one"):
        CodevCorpus(file, 1, tmp_path).tasks(["python"], ["METHOD"], packages=False)
    with pytest.raises(DataError, match="no answers of a model 'ada' are published"):
        CodevCorpus(file).published("ada", ())
    with pytest.raises(CorpusError, match="--scenario is about codev, and devbench has none"):
        corpus_of("devbench", tmp_path, scenario=3)
    (tmp_path / "app" / "shop.py").write_text("changed")
    with pytest.raises(DataError, match="has changed since"):
        CodevCorpus(file).tasks(["python"], ["METHOD"], packages=False)


def test_a_folder_in_the_published_layout_has_the_same_tasks_and_the_evidence_of_its_prompts(tmp_path: Path) -> None:
    file = write(tmp_path)
    head, samples = read_samples(file)
    checkout = checkout_of(file, head.repositories[0])
    part = LayoutPart(head.repositories[0], checkout, samples, FunctionIndex.by_words(checkout.files))
    asyncio.run(write_layout(tmp_path / "published", [part]))

    def tasks(data: Path, scenario: Scenario) -> list[Task]:
        corpus = corpus_of("codev", data, scenario=scenario)
        assert isinstance(corpus, CodevCorpus)
        return asyncio.run(corpus.with_evidence(corpus.tasks(["python"], ["METHOD"], packages=False)))

    for scenario in (1, 3, 4):
        own, read = tasks(file, scenario), tasks(tmp_path / "published", scenario)
        assert [told(task) for task in own] == [told(task) for task in read]
    (shown,) = read[0].evidence
    assert shown.text.startswith("shop.py\ndef tax_total(prices):\n    return sum")


def told(task: Task) -> tuple[object, ...]:
    """What a task is asked and judged by, but for where its repository lies."""
    assert isinstance(task.tests, BlockTests)
    texts = task.name, task.category, task.before, task.truth, task.hidden, task.after, task.emptied.text
    return *texts, task.function, task.scenario, task.tests.path, task.tests.only
