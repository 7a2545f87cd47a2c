"""The VS Code extension from a clean checkout of its folder: installed, and tested by its own tests. Its types, its style and its package are checked in tests/real."""


def test_the_extensions_own_tests_pass(npm):
    out = npm("run", "test")
    assert "passed" in out
    assert "failed" not in out
