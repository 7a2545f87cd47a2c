"""How an opened project is tested is remembered, for as long as its folder says the same."""

from pathlib import Path
from types import SimpleNamespace

from corpora.opened import evaluation
from corpora.opened.evaluation import ProjectTester
from replay.options import FolderTests


async def test_what_a_folder_says_of_its_tests_counts_as_soon_as_it_changes(monkeypatch):
    says, tried = [FolderTests(toolchain="python", command="pytest -q")], []

    class Tester:
        def __init__(self, *_, **__):
            pass

        async def first_working(self, files, candidates):
            found = next(iter(candidates))
            tried.append(found)
            return SimpleNamespace(candidate=found, result=SimpleNamespace(wall_ms=1.0, passed=1))

    monkeypatch.setattr(evaluation, "WayTester", Tester)
    project = SimpleNamespace(folder=Path("/shop"), files={"a.py": "x = 1\n"}, others=None)
    tester = ProjectTester.of(lambda _: says[0])

    async def command():
        return (await tester.tests(project, None, lambda _: None, network=False)).command

    assert [await command(), await command()] == ["pytest -q", "pytest -q"]
    assert len(tried) == 1
    says[0] = FolderTests(toolchain="python", command="pytest -q tests")
    assert await command() == "pytest -q tests"
    assert len(tried) == 2
