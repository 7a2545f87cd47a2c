"""The doctor tries everything on this machine, and says each thing as soon as it is known."""

import pytest

from runners import doctor


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
