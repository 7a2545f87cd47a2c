"""What the doctor finds out on this machine."""

import asyncio

from runners import doctor
from runners.toolchains import TOOLCHAINS


async def test_the_doctor_tries_everything_and_says_each_thing_before_the_next_is_known():
    said, known = [], asyncio.Event()

    def notify(one):
        said.append(one)
        known.set()

    trying = asyncio.ensure_future(doctor.check(notify))
    await known.wait()
    assert not trying.done()
    assert [one.name for one in said] == ["sandbox bubblewrap"]
    checks = await trying
    assert said == checks
    assert {f"toolchain {name}" for name in TOOLCHAINS} < {one.name for one in checks}
    assert all(one.detail and (one.hint or one.ok) for one in checks)
