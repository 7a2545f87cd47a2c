"""What is said of a name that is not known."""

import pytest

from runners.errors import SandboxUnknown, ToolchainMissing, unknown_name
from runners.sandboxes import pick
from runners.toolchains import toolchain


def test_an_unknown_sandbox_proposes_the_nearest():
    with pytest.raises(
        SandboxUnknown, match=r"no sandbox 'bublewrap' \(did you mean 'bubblewrap'\?\): choose one of auto, "
    ):
        pick("bublewrap")


def test_an_unknown_toolchain_proposes_the_nearest():
    with pytest.raises(
        ToolchainMissing, match=r"no toolchain 'pyton' \(did you mean 'python'\?\): choose one of python, "
    ):
        toolchain("pyton")


def test_nothing_is_proposed_where_nothing_is_near():
    assert unknown_name("toolchain", "zz", ["go"]) == "there is no toolchain 'zz': choose one of go"
