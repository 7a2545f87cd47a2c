"""Which commits `ghosttape try` types, and that there is a bound on them unless a person names one."""

import pytest

from tui.commands.options.flags import TryFlags
from tui.commands.quickstart.commit_choice import selection_of


@pytest.mark.parametrize(
    ("given", "last"),
    [
        ({}, 5),
        ({"merges": "first-parent"}, 5),
        ({"since": "3 months ago"}, 20),
        ({"author": "Ada"}, 20),
        ({"revisions": "v1..v2"}, 20),
        ({"revisions": "v1..v2", "last": 300}, 300),
        ({"sample": 7}, None),
        ({"sample": 7, "since": "2020-01-01"}, None),
    ],
)
def test_the_newest_few_are_taken(given, last):
    found = selection_of(TryFlags(**given))
    assert (found.last, found.sample) == (last, given.get("sample"))
