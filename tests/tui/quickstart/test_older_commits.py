"""Where the newest commit's tests fail, older ones are tried in the way that did best."""

import pytest

from corpora.history import CommitSelection, environments
from corpora.history.environments import Said
from corpora.history.repository.commits import Repository
from runners.environments import Candidate, NotTestable, TriedWay
from runners.errors import IndexUnreachable, MachineFails
from runners.project import ProjectPlan
from runners.verdicts import Result
from tests.support.fakes.sandbox import FakeSandbox
from tests.support.small_repository import FILES, commit, git
from tui.commands.quickstart import way_search

PLAN = ProjectPlan("python")
BEST = Candidate("pytest, with attrs>=23", PLAN)
RAN = TriedWay(BEST, Result("assertion", "", 1, 1, "", 1.0), "1 of 2 tests fail", "", 1.0)


@pytest.fixture
def search(tmp_path):
    """A function: try five commits, of which each (the newest first) ends as said; what was found, the commits, what was tried and said."""
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init", "-q", ".")
    shas = [commit(folder, {**FILES, "shapes.py": f"def area():\n    size = {n}\n    return size\n"}, f"{n}") for n in range(5)]  # fmt: skip

    async def run(*ends):
        tried, said = list[str](), list[str]()

        class Finder(way_search.TestFinder):
            async def working(self, files, others, ends_at=None, way=None):
                number = 4 - int(files["shapes.py"].split("size = ")[1][0])
                tried.append((number, way and way.name))
                if isinstance(ends[number], Exception):
                    raise ends[number]
                return ends[number]

        with Repository(str(folder)) as repository:
            finder = Finder(repository, Said(), FakeSandbox(lambda _: None), tmp_path, said.append)
            return await finder.find(CommitSelection(last=1), 0), shas[::-1], tried, said

    return run


def fails():
    return NotTestable((RAN,), ("mend it",))


async def test_what_passed_there_is_used_and_each_commit_is_tried_once_by_the_way_that_was_mended(search):
    passes = environments.TestsOfCommits(Said(), BEST, BEST, 1.0, 2)
    found, shas, tried, said = await search(fails(), fails(), passes, passes, passes)
    assert found.tests is passes
    assert found.commit == shas[2]
    assert tried == [(0, None), (1, "pytest"), (2, "pytest")]
    assert len(said) == 2


async def test_packages_that_cannot_be_fetched_for_one_commit_do_not_end_the_search(search):
    passes = environments.TestsOfCommits(Said(), BEST, BEST, 1.0, 2)
    found, shas, _, said = await search(fails(), IndexUnreachable("no index"), passes, passes, passes)
    assert found.commit == shas[2]
    assert "that did not work: no index" in said


async def test_where_all_fail_the_newest_ones_reason_is_given(search):
    newest = fails()
    with pytest.raises(NotTestable) as caught:
        await search(newest, fails(), fails(), fails(), fails())
    assert caught.value is newest


async def test_a_machine_that_fails_ends_the_search(search):
    with pytest.raises(MachineFails):
        await search(fails(), MachineFails("no room"), fails(), fails(), fails())


@pytest.mark.parametrize("newest", [{"tests/test_more.py": "def test_more():\n    assert False\n"}, {"README.md": "x"}])
async def test_a_newest_commit_with_nothing_to_type_is_named_as_its_tests_are_not_run(search, tmp_path, newest):
    passes = environments.TestsOfCommits(Said(), BEST, BEST, 1.0, 2)
    head = commit(tmp_path / "app", newest, "newest")
    found, shas, _, _ = await search(passes)
    assert found.commit == shas[0]
    assert found.passed_over.startswith(f"not at HEAD ({head[:10]}): it gives no session (only ")
    assert found.moved == ""


async def test_nothing_is_said_where_the_newest_commit_is_the_one_that_was_tried(search):
    found, _, _, _ = await search(environments.TestsOfCommits(Said(), BEST, BEST, 1.0, 2))
    assert found.passed_over == ""
