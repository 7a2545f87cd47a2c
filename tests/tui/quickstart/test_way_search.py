"""What is kept of what was found out about a project's tests."""

import msgspec
import pytest

from corpora.history.environments import Said
from runners.environments import Candidate
from runners.project import ProjectPlan
from tests.support.fakes.sandbox import FakeSandbox
from tui.commands.quickstart import way_search
from tui.commands.quickstart.way_search import _base_of, _Known


def test_values_of_variables_are_not_kept():
    known = _Known(Candidate("pytest", ProjectPlan("python", setup_env={"TOKEN": "s3cret"})), 1.0, 2)
    written = msgspec.json.encode(known.with_values({}))
    assert b"s3cret" not in written
    read = msgspec.json.decode(written, type=_Known)
    assert read.with_values({"TOKEN": "new"}).works.plan.setup_env == {"TOKEN": "new"}


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("pytest, with attrs>=23", "pytest"),
        ("pytest", "pytest"),
        ("pytest with all, open versions, with attrs", "pytest with all"),
        ("pytester, open versions", None),
        ("tox", None),
    ],
)
def test_a_way_that_was_mended_leads_back_to_the_one_that_files_show(name, base):
    ways = [Candidate(each, ProjectPlan("python")) for each in ("pytest", "pytest with all", "unittest")]
    found = _base_of(Candidate(name, ProjectPlan("python")), ways)
    assert (found and found.name) == base


@pytest.mark.parametrize(
    ("members", "origins", "within_s"),
    [
        ({}, {}, 100.0),
        ({"timeout_s": 600.0}, {}, 650.0),
        ({"timeout_s": 600.0}, {"timeout_s": "ghosttape.toml"}, 650.0),
        ({"timeout_s": 600.0}, {"timeout_s": "ghosttape.toml of app"}, 100.0),
        ({"timeout_s": 600.0}, {"timeout_s": "/src/app/ghosttape.toml"}, 100.0),
    ],
)
def test_only_a_person_makes_finding_out_longer(tmp_path, members, origins, within_s):
    """A file of a repository that somebody else wrote does not."""
    finder = way_search.TestFinder(None, Said(members, origins=origins), FakeSandbox(lambda _: None), tmp_path, print)
    assert finder._tester().within_s == within_s
