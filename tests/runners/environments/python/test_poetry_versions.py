"""Poetry's versions mean in PEP 440 what Poetry's own parser reads in them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from poetry.core.constraints.version import Version as PoetryVersion
from poetry.core.constraints.version import parse_constraint

from runners.environments.python.declared import pep440

PLACES = some.integers(0, 3)
RELEASES = some.lists(PLACES, min_size=1, max_size=3).map(lambda places: ".".join(map(str, places)))
ONE = some.builds(
    str.__add__, some.sampled_from(["^", "~", "", ">=", "<=", ">", "<", "==", "!=", "~=", "^ ", ">= "]), RELEASES
)
WANTED = some.lists(ONE, min_size=1, max_size=2).map(", ".join) | some.just("*")
TRIED = [f"{major}.{minor}.{patch}" for major in range(5) for minor in range(5) for patch in range(5)]


def allows(wanted, version):
    return SpecifierSet(pep440(wanted)).contains(version)


@given(WANTED.filter(lambda wanted: all("." in part for part in wanted.split(",") if "~=" in part)))
@example("^1.2.3")
@example("^0.2.3")
@example("^0.0.3")
@example("^0.0")
@example("^0")
@example("~1.2.3")
@example("~1.2")
@example("~1")
@example("1.2.*")
@example(">=1.2,<3")
@example("1.2.3")
@example("~= 1.2")
def test_the_same_versions_are_allowed_as_by_poetry(wanted):
    theirs = parse_constraint(wanted)
    assert [version for version in TRIED if allows(wanted, version)] == [
        version for version in TRIED if theirs.allows(PoetryVersion.parse(version))
    ]


@pytest.mark.parametrize("wanted", ["^1.2.3-beta.1", "^2.0b1", "~1.0rc1", "^1.2.3.4"])
def test_versions_before_a_release_are_read_as_poetry_does(wanted):
    theirs = parse_constraint(wanted)
    for version in ("1.2.3", "1.9", "2.0", "2.1", "1.0", "1.0.5", "1.1", "3.0"):
        assert SpecifierSet(pep440(wanted)).contains(Version(version)) == theirs.allows(PoetryVersion.parse(version))


@pytest.mark.parametrize("wanted", ["^1 || ^2", "*", "", "^", "~"])
def test_what_cannot_be_said_in_one_list_is_any_version(wanted):
    assert pep440(wanted) == ""
