"""Which documents are asked about, going by their paths."""

import pytest

from replay.tapes.chosen_paths import is_chosen, is_excluded


@pytest.mark.parametrize(
    ("path", "pattern", "excluded"),
    [
        ("docs/conf.py", "docs/", True),
        ("src/docs/conf.py", "docs/", False),
        ("src/app_pb2.py", "*_pb2.py", True),
        ("src/app.py", "*_pb2.py", False),
        ("src/app.py", "src/a", True),
        ("src/App.py", "src/a", False),
        ("a/b/c.py", "a/*/c.py", True),
        ("a1.py", "a[12].py", True),
        ("a3.py", "a[12].py", False),
    ],
)
def test_a_path_is_excluded_if_it_begins_so_or_matches(path, pattern, excluded):
    assert is_excluded(path, [pattern]) is excluded


@pytest.mark.parametrize(
    ("paths", "excluded", "chosen"),
    [
        ([], [], True),
        (["src/"], [], True),
        (["lib/"], [], False),
        (["lib/", "src/"], [], True),
        (["src/"], ["src/app"], False),
        ([], ["docs/"], True),
    ],
)
def test_what_is_excluded_is_not_chosen_whatever_else_is_said(paths, excluded, chosen):
    assert is_chosen("src/app.py", paths, excluded) is chosen
