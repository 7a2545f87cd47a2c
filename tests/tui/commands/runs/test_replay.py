"""The bundled tapes, all the way through: server process, sandbox, the projects' own tests."""

import pytest

QUICK = ["--latency", "fixed:0"]  # where no model is measured, every core runs tests


@pytest.fixture(autouse=True)
def tools(need):
    need("bwrap", "node", "npm")


def test_a_person_gets_a_table_and_the_way_to_look_closer(here):
    done = here("replay", "demo", "--provider", "ngram", "--limit", "3", *QUICK, "--out", "here")
    assert "tests passed" in done.out
    assert "ghosttape tui here" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert "tests run twice" in done.err


def test_without_node_the_second_tape_is_left_out_and_the_table_says_so(here, tmp_path, need):
    only = tmp_path / "bin"
    only.mkdir()
    for name in ("sh", "bwrap", "python3", "env", "cat", "git"):
        (only / name).symlink_to(_which(name))
    done = here("replay", "demo", "--provider", "fixed", "--limit", "2", env={"PATH": str(only)})
    assert "router" in done.out
    assert "node" in done.out.lower()
    assert "left out" in done.out


def _which(name):
    import shutil

    return shutil.which(name)
