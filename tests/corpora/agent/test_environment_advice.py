"""The stage `environment` with a chat model, where rules do not find out how a repository is tested."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from corpora.agent.block_sampling import SampleChoice, read_distribution
from corpora.agent.stages import EnvironmentLock, RepositoryBuilder
from corpora.history.advice import AdviceRights, ModelAdvice, ScriptedChat
from corpora.history.environments import Said
from corpora.mined.checkout import read_checkout
from replay.run.engine import cache_folder
from runners.environments import NotTestable
from runners.sandboxes import pick

FILES = {
    "README.md": "# Shapes\n\nSpecifications are in checks/.\n",
    "shapes.py": "def area(a, b):\n    return a * b\n",
    "checks/spec_shapes.py": "from shapes import area\n\n\ndef test_area():\n    assert area(2, 3) == 6\n",
}
RIGHT = "python -m pytest -p no:cacheprovider checks/spec_shapes.py"
NOTHING = SampleChoice(0, read_distribution())


def answer(command: str, **more: Any) -> str:
    """What a model says that proposes one way."""
    way = {"toolchain": "python", "command": command, "requires": ["pytest"], **more}
    return f"Perhaps:\n```json\n{json.dumps({'proposals': [way]})}\n```"


@dataclass
class AskedBench:
    """A repository, a model that proposes ways to test it, and what was shown and confirmed."""

    folder: Path
    chat: ScriptedChat
    shown: list[str] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)

    def builder(self, rights: AdviceRights, rounds: int = 3, *, says: bool = True) -> RepositoryBuilder:
        """The stages, with a person who says yes or no to each question."""

        def confirm(text: str) -> bool:
            self.confirmed.append(text)
            return says

        said = Said(network=rights.network_setup)
        advice = ModelAdvice(
            self.chat, said, rights, self.folder.parent / "kept", self.shown.append, confirm, rounds=rounds
        )
        checkout = read_checkout(self.folder, "")
        return RepositoryBuilder("shapes", checkout, pick("auto"), cache_folder(), self.shown.append, advice=advice)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Sequence[str]], AskedBench]:
    """A function that gives the repository with a model that answers so."""
    folder = tmp_path / "shapes"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    monkeypatch.chdir(tmp_path)
    return lambda answers: AskedBench(folder, ScriptedChat(answers))


def test_a_model_that_is_wrong_twice_and_right_the_third_time_leaves_a_lock(bench: Any) -> None:
    asked = bench([answer("python -m pytest -p no:cacheprovider checks"), answer("python verify.py"), answer(RIGHT)])
    builder = asked.builder(AdviceRights())
    built = asyncio.run(builder.build("environment", NOTHING))
    assert (built.environment.by, built.environment.tests.command) == ("scripted", RIGHT)
    questions = [messages[-1].content for messages in asked.chat.asked]
    assert len(questions) == len(asked.confirmed) == 3
    assert all("Specifications are in checks/" in text and "def area" not in text for text in questions)
    assert "Tried" not in questions[0]
    assert "=== Tried: python -m pytest -p no:cacheprovider checks\n" in questions[1]
    assert "can't open file" in questions[2]
    at = asked.shown.index(next(line for line in asked.shown if f"command: {RIGHT}" in line))
    assert any(f"trying: {RIGHT}" in line for line in asked.shown[at:]), "it is shown before it runs"
    assert not any(f"trying: {RIGHT}" in line for line in asked.shown[:at])

    (file,) = Path(".ghosttape/codev").glob("shapes-*/*/lock.json")
    lock = EnvironmentLock(**json.loads(file.read_text()) | {"tests": built.environment.tests})
    assert lock.passing == ["checks/spec_shapes.py::test_area"]
    assert (lock.passed, lock.by) == (1, "scripted")
    assert any(line.startswith("pytest==") for line in lock.versions)
    assert lock.versions[0].startswith("python==3.")


def test_no_more_rounds_are_asked_for_than_are_allowed(bench: Any) -> None:
    asked = bench([answer(f"python verify.py {number}") for number in range(3)])
    with pytest.raises(NotTestable):
        asyncio.run(asked.builder(AdviceRights(run=True), rounds=2).build("environment", NOTHING))
    assert len(asked.chat.asked) == 2
    assert asked.confirmed == [], "with --yes nothing is asked"


def test_nothing_runs_after_a_no_nor_without_the_network_that_it_needs(bench: Any) -> None:
    fetching = answer(RIGHT, setup="touch /project/set-up", network=True)
    for answers, rights, confirmed in [([answer(RIGHT)], AdviceRights(), 1), ([fetching], AdviceRights(run=True), 0)]:
        asked = bench(answers)
        with pytest.raises(NotTestable):
            asyncio.run(asked.builder(rights, says=False).build("environment", NOTHING))
        assert len(asked.confirmed) == confirmed
        assert not any("trying" in line for line in asked.shown)
        for kept in (asked.folder.parent / "kept").glob("*"):
            kept.unlink()


def test_after_rounds_that_failed_the_next_build_asks_with_what_they_said_and_asks_nothing_twice(bench: Any) -> None:
    wrong = [answer(f"python verify.py {number}") for number in range(3)]
    asked = bench(wrong)
    with pytest.raises(NotTestable):
        asyncio.run(asked.builder(AdviceRights(run=True)).build("environment", NOTHING))
    first = asked.chat.asked[:]

    again = bench([answer(RIGHT)])
    built = asyncio.run(again.builder(AdviceRights(run=True), rounds=1).build("environment", NOTHING))
    assert built.environment.tests.command == RIGHT
    (question,) = again.chat.asked
    assert all(question != before for before in first)
    assert all(f"=== Tried: python verify.py {number}\n" in question[-1].content for number in range(3))
    assert sum("was asked before" in line for line in again.shown) == 3


def test_a_model_that_repeats_itself_is_asked_no_more_often_than_is_allowed(bench: Any) -> None:
    for expected in (8, 1):
        asked = bench([answer("python verify.py")] * 8)
        with pytest.raises(NotTestable):
            asyncio.run(asked.builder(AdviceRights(run=True), rounds=expected).build("environment", NOTHING))
        assert len(asked.chat.asked) == expected


def test_what_a_log_says_otherwise_each_time_makes_no_other_question(bench: Any) -> None:
    failing = [answer(f"python verify.py {number}", setup="date +%N; false") for number in range(2)]
    for answers, expected in ((failing, 2), ([answer(RIGHT)], 1)):
        asked = bench(answers)
        building = asked.builder(AdviceRights(run=True), rounds=expected).build("environment", NOTHING)
        if answers is failing:
            with pytest.raises(NotTestable):
                asyncio.run(building)
        else:
            assert asyncio.run(building).environment.tests.command == RIGHT
            assert sum("was asked before" in line for line in asked.shown) == 2
        assert len(asked.chat.asked) == expected
