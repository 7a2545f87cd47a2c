"""A replay against a model server that streams: the record says when the first token came."""

import pytest

from tests.support.streamed_replays import played, streaming


@pytest.fixture
async def base_url():
    async with streaming() as url:
        yield url


@pytest.mark.parametrize("policy", ["blocks", "pause:50"])
async def test_it_stands_in_the_record_of_an_answer_that_was_streamed(base_url, tmp_path, policy):
    first = await played(base_url, tmp_path / "run", latency="measured", policy=policy, limit=3)
    known = [one for one in first if one.first_token is not None]
    assert known
    assert all(0 < one.first_token <= one.latency for one in known)
    assert await played(base_url, tmp_path / "run", latency="measured", policy=policy, limit=3) == first


async def test_it_is_not_known_where_the_latency_is_not_measured(base_url, tmp_path):
    found = await played(base_url, tmp_path / "run", latency="fixed:80", policy="blocks", limit=2)
    assert found
    assert {one.first_token for one in found} == {None}
