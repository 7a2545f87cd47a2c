"""The VS Code extension from a clean checkout of its folder: installed, and tested by its own tests. Its types, its style and its package are checked in tests/real."""

import json


def test_the_lock_file_installs_just_what_it_says(npm, extension):
    wanted = json.loads((extension / "package.json").read_text())["devDependencies"]
    installed = json.loads(npm("ls", "--json", "--depth=0"))
    assert set(installed["dependencies"]) == set(wanted)
    assert "problems" not in installed


def test_the_extensions_own_tests_pass(npm):
    out = npm("run", "test")
    assert "passed" in out
    assert "failed" not in out
