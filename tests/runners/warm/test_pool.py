"""What is lent to whom, and when it is closed."""

import asyncio

import pytest

from runners.warm.pool import Pool

TIMEOUT_S = 60.0


class Thing:
    """Something to lend."""

    def __init__(self):
        self.fit, self.closed = True, False

    async def close(self):
        self.closed = True


async def make():
    return Thing()


async def test_no_more_are_at_work_than_there_are_places():
    pool, at_work, most = Pool(2, 8), 0, 0

    async def work():
        nonlocal at_work, most
        async with pool.place(), pool.lend("kind", make):
            at_work += 1
            most = max(most, at_work)
            await asyncio.sleep(0)
            at_work -= 1

    await asyncio.gather(*(work() for _ in range(20)))
    assert most == 2
    assert len(pool._idle) <= 2


async def test_what_is_not_fit_and_what_met_an_error_is_not_lent_again():
    pool = Pool(1, 8)
    async with pool.lend("kind", make) as unfit:
        unfit.fit = False
    with pytest.raises(ValueError, match="met"):
        async with pool.lend("kind", make) as met:
            raise ValueError("met")
    assert unfit.closed
    assert met.closed
    async with pool.lend("kind", make) as other:
        pass
    async with pool.lend("kind", make) as again, pool.lend("other kind", make) as another:
        assert again is other
        assert another is not other


async def test_who_is_cancelled_once_more_still_closes_what_was_lent():
    pool, may_close, closing = Pool(1, 8), asyncio.Event(), asyncio.Event()

    class Slow(Thing):
        async def close(self):
            closing.set()
            await may_close.wait()
            self.closed = True

    async def slow():
        return Slow()

    lent = []

    async def work():
        async with pool.lend("kind", slow) as one:
            lent.append(one)
            await asyncio.Event().wait()

    task = asyncio.ensure_future(work())
    while not lent:
        await asyncio.sleep(0)
    task.cancel()
    await closing.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    may_close.set()
    async with asyncio.timeout(TIMEOUT_S):
        while not lent[0].closed:
            await asyncio.sleep(0)


async def test_the_longest_unused_goes_when_there_are_too_many():
    pool, lent = Pool(1, 2), []
    for kind in "abc":
        async with pool.lend(kind, make) as one:
            lent.append(one)
    assert [one.closed for one in lent] == [True, False, False]
    await pool.close()
    assert all(one.closed for one in lent)
