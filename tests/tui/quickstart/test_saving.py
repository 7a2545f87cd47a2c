"""What `ghosttape try --save` writes: a file that counts, whose comments stay comments whatever a repository names."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as some

from replay.tapes import tape as tapes
from runners.environments import Assumption
from tui.commands.quickstart.quickstart import file_text, save
from tui.errors import ConfigurationError

TESTS = tapes.Tests("python", 'PYTHONPATH="$PWD/src" python -m pytest', requires=("pytest",), timeout_s=30.0)
MEMBERS = {"toolchain": "python", "command": TESTS.command, "requires": ["pytest"], "timeout_s": 30.0}


@given(some.text(), some.text())
def test_what_a_repository_names_stays_in_its_comment(said, source):
    text = file_text(TESTS, [Assumption(said, source, "--requires")])
    assert tomllib.loads(text) == {"tests": MEMBERS}


def test_a_path_with_a_line_break_is_no_setting():
    text = file_text(TESTS, [Assumption("x", '.github/workflows/a\nsandbox = "none"\n#.yml', "")])
    assert tomllib.loads(text) == {"tests": MEMBERS}


def test_a_file_that_says_the_same_is_fine_and_another_is_kept(tmp_path):
    save(TESTS, [], folder=tmp_path)
    assert save(TESTS, [Assumption("other words", "", "")], folder=tmp_path).read_text().count("other words") == 0
    with pytest.raises(ConfigurationError, match="is there already"):
        save(tapes.Tests("python", "make test"), [], folder=tmp_path)
    assert tomllib.loads((tmp_path / "ghosttape.toml").read_text()) == {"tests": MEMBERS}


def test_a_file_that_lies_elsewhere_names_its_repository(tmp_path):
    file = save(TESTS, [], 'https://host/"a"\nb', tmp_path)
    assert tomllib.loads(file.read_text()) == {"repository": 'https://host/"a"\nb', "tests": MEMBERS}
