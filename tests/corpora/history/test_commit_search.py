"""The newest commit that passes is found with few tries."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as some

from corpora.history.repository.commit_search import TRIES, nearest_passing


async def search(outcomes, limit=1_000):
    """Search commits 0, 1, …, the newest first, whose outcomes are given; also the commits asked for, in order."""
    asked = []

    async def passes(commit):
        asked.append(commit)
        return outcomes[commit]

    return await nearest_passing(range(len(outcomes)), passes, limit), asked


@given(some.integers(0, 3_000), some.integers(0, 3_000))
async def test_where_commits_pass_from_one_backwards_the_newest_that_passes_is_found(failing, passing):
    outcomes = [False] * failing + [True] * passing
    found, asked = await search(outcomes)
    assert found.commit == next((at for at, passed in enumerate(outcomes) if passed), None)
    assert found.complete
    assert len(asked) <= 2 * log2(failing + 1) + 3


@given(some.lists(some.booleans(), max_size=200), some.integers(1, 20))
async def test_what_is_returned_did_pass_and_what_is_said_was_tried(outcomes, limit):
    found, asked = await search(outcomes, limit)
    tried = dict(found.tried)
    assert list(tried) == asked
    assert len(asked) == len(set(asked)) <= limit
    assert tried == {at: outcomes[at] for at in asked}
    assert found.commit == min((at for at in asked if outcomes[at]), default=None)
    failed = max((at for at in asked if not outcomes[at] and (found.commit is None or at < found.commit)), default=-1)
    border = len(outcomes) if found.commit is None else found.commit
    assert found.complete == (failed + 1 == border)
    assert found.complete or len(asked) == limit


async def test_the_default_limit_is_enough_behind_32_commits_that_fail_and_not_always_behind_33():
    most = [
        max([len((await search([False] * failing + [True] * passing))[1]) for passing in (*range(70), 500)])
        for failing in range(34)
    ]
    assert max(most[:33]) <= TRIES
    assert most[33] > TRIES


async def test_the_example_of_the_docstring():
    found, asked = await search([False] * 5 + [True] * 95)
    assert asked == [0, 1, 2, 4, 8, 6, 5]
    assert (found.commit, found.complete) == (5, True)


@pytest.mark.parametrize(
    ("limit", "commit", "complete"), [(1, None, False), (5, 8, False), (6, 6, False), (7, 5, True)]
)
async def test_a_limit_ends_the_search_with_the_best_that_was_seen(limit, commit, complete):
    found, asked = await search([False] * 5 + [True] * 95, limit)
    assert (found.commit, found.complete, len(asked)) == (commit, complete, limit)


async def test_the_newest_is_tried_alone_where_it_passes_and_the_oldest_too_where_none_does():
    assert (await search([True, False]))[1] == [0]
    found, asked = await search([False] * 6)
    assert (found.commit, found.complete, asked) == (None, True, [0, 1, 2, 4, 5])


async def test_no_commits_need_no_tries_and_no_tries_are_refused():
    found, asked = await search([])
    assert (found.commit, found.complete, asked) == (None, True, [])
    with pytest.raises(ValueError, match="at least one"):
        await search([True], 0)


async def test_what_a_try_raises_comes_through():
    async def passes(_):
        raise OSError("no network")

    with pytest.raises(OSError, match="no network"):
        await nearest_passing([3], passes)
