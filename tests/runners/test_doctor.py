"""The doctor tries everything on this machine, and says each thing as soon as it is known."""

import asyncio

import pytest

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


@pytest.mark.parametrize(
    "name", ["bubblewrap", "unshare", "docker", "python", "node", "typescript", "java", "cpp", "go"]
)
def test_nothing_is_to_be_installed_that_is_installed(name, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda program: f"/usr/bin/{program}")
    assert "install " not in doctor._hint(name, "install it")
    assert doctor._hint(name, "install it")


@pytest.mark.parametrize("name", ["bubblewrap", "unshare", "docker", "node", "typescript", "java", "cpp"])
def test_what_is_missing_is_to_be_installed(name, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda program: None)
    assert doctor._hint(name, "install it") == "install it"
