"""What an installer says of a package that is not there."""

import shutil

import pytest

from runners.errors import SetupFailed
from runners.toolchains import toolchain


def ignore(line):
    """Take no note of progress."""


@pytest.fixture
def node(missing):
    if not shutil.which("npm"):
        missing("npm is not on PATH")
    return toolchain("node")


async def test_an_unknown_package_is_told_with_what_the_installer_said(node, tmp_path):
    with pytest.raises(SetupFailed, match="is-odd"):
        await node.layer(("is-odd@>=4000",), tmp_path, ignore)
    with pytest.raises(SetupFailed, match="iniconfig"):
        await toolchain("python").layer(("iniconfig>=4000",), tmp_path, ignore)
    assert not list((tmp_path / "layers").glob("*/*.building"))
