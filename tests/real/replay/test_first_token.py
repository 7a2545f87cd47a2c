"""When the first token of a streamed answer came, on the wall."""

import pytest

from tests.support.streamed_replays import played, streaming

FIRST_S, NEXT_S = 0.2, 0.1


@pytest.mark.parametrize("policy", ["blocks", "pause:50"])
async def test_it_is_between_the_question_and_the_rest_of_the_answer(tmp_path, policy):
    async with streaming(FIRST_S, NEXT_S) as url:
        found = await played(url, tmp_path / "run", latency="measured", policy=policy, limit=3)
    known = [one for one in found if one.first_token is not None]
    assert known
    assert all(1000 * FIRST_S <= one.first_token <= one.latency - 900 * NEXT_S for one in known)
