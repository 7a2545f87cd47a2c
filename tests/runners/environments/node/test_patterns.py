"""Patterns of names mean what minimatch documents, and none takes long to match."""

import re

import pytest

from runners.environments.node.patterns import matches, of_series


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("packages/*", "packages/a", True),
        ("packages/*", "packages/a/b", False),
        ("packages/**", "packages/a/b", True),
        ("packages/**", "packages", False),
        ("**/fixtures/**", "fixtures/a", True),
        ("**/fixtures/**", "a/b/fixtures/c", True),
        ("**/fixtures/**", "a/b/fixture/c", False),
        ("a/**/b/**/c", "a/b/x/b/c", True),
        ("a/**/b/**/c", "a/x/c", False),
        ("@own/{a,b}", "@own/b", True),
        ("{x,y}/{a,b*}", "y/bc", True),
        ("@own/{a,b}", "@own/c", False),
        ("a?", "ab", True),
        ("a?", "a", False),
        ("a[b]", "a[b]", True),
        ("a[b]", "ab", False),
        ("**", "a/b", True),
        ("*" * 12 + "x", "a" * 900 + "x", True),
        ("{a,b}" * 20, "a" * 20, False),
    ],
)
def test_a_pattern_stands_for_file_names(pattern, text, expected):
    assert matches(pattern, text) is expected


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("test:*", "test:unit", True),
        ("test:*", "test:unit:fast", False),
        ("test:*", "test", False),
        ("*:unit:*", "test:unit:a", True),
        ("a*b*c", "a-bb-b-c", True),
        ("a*b*c", "a-b-cd", False),
        ("a*b*b", "a-b", False),
        ("a*b:c*d", "axb:cyd", True),
        ("lint", "lint", True),
        ("li.t", "lint", False),
    ],
)
def test_a_star_of_run_s_stands_for_a_part_between_colons(pattern, name, expected):
    assert (re.fullmatch(of_series(pattern), name) is not None) is expected
