"""What an installer says of a package that is not there."""

import pytest

from runners.errors import SetupFailed
from runners.toolchains import toolchain


async def test_an_unknown_package_is_told_with_what_the_installer_said(need, tmp_path):
    need("npm")
    with pytest.raises(SetupFailed, match="is-odd"):
        await toolchain("node").layer(("is-odd@>=4000",), tmp_path, lambda _: None)
    with pytest.raises(SetupFailed, match="iniconfig"):
        await toolchain("python").layer(("iniconfig>=4000",), tmp_path, lambda _: None)
    assert not list((tmp_path / "layers").glob("*/*.building"))
