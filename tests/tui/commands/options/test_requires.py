"""Packages of `--requires` are names with versions, as pip or npm reads them; what is neither is refused at once."""

import pytest

from tui.commands.options.run_options import requires_of
from tui.errors import ConfigurationError


@pytest.mark.parametrize(
    "named", ["attrs", "attrs>=23,<25", "ruamel.yaml[jinja2]~=0.18", "vitest@^2", "@types/node@20"]
)
def test_a_name_with_versions_is_taken(named):
    assert requires_of([named]) == (named,)


@pytest.mark.parametrize("named", ["not a name!!", "", "attrs @ https://host/attrs.whl", "../attrs", "--index-url=x"])
def test_anything_else_is_refused_with_the_flag(named):
    with pytest.raises(ConfigurationError, match=r"--requires .* no package name with versions"):
        requires_of(["attrs", named])


def test_no_flag_says_nothing():
    assert requires_of(None) == ()
