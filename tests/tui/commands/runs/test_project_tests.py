"""Tests of a project that its tape does not name: from ghosttape.toml, from flags, and with a set-up that has the network."""

import socket
import threading
from contextlib import closing

import pytest

from replay.tapes.tape import Edit, Embedded, Header, Open, Tape, write

TEXT = "def f(x):\n    return x + 1\n"
TABLE = """[tests]
toolchain = "none"
setup = "{setup}"
command = "grep -q 'x + 1' a.py && test -e ready"
"""


@pytest.fixture
def tape(tmp_path):
    """A tape without tests, on which a function is typed."""
    header = Header(
        tape=1, id="bare", editor="test", origin="recorded", workspace=Embedded({"notes": ""}), created="2026-01-01"
    )
    opened = Open(t=0.0, doc=0, path="a.py", language="python", text="")
    typed = [Edit(t=100.0 * at, doc=0, changes=((at, at, key),), reason="type") for at, key in enumerate(TEXT)]
    write(Tape(header, (opened, *typed)), tmp_path / "bare.tape.jsonl")
    return tmp_path / "bare.tape.jsonl"


@pytest.fixture
def replay(here, tape):
    def run(*words, **options):
        return here(
            "replay", tape, "--provider", "oracle", "--latency", "fixed:0", "--limit", "1", "--json", *words, **options
        )

    return run


@pytest.fixture
def listening():
    """The port of a server on this machine that takes a connection and says nothing; those that came."""
    came = []
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        threading.Thread(target=lambda: came.append(server.accept()[0]), daemon=True).start()
        yield server.getsockname()[1], came
        for connection in came:
            connection.close()


def passed(outcome):
    figure = outcome.json["metrics"]["pass_at_1"]
    return figure["n"], figure["value"]


def test_a_tape_without_tests_is_judged_by_those_of_the_folder_whose_setup_has_the_network_if_allowed(
    replay, tmp_path, listening
):
    port, came = listening
    reach = f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' && touch ready"
    (tmp_path / "ghosttape.toml").write_text(TABLE.format(setup=reach))
    left_out = replay(status=None).json["left_out"]
    assert "--allow-network-setup" in left_out[0]["reason"]
    assert not came
    assert passed(replay("--allow-network-setup")) == (1, 1.0)
    assert len(came) == 1


def test_without_walls_the_commands_of_a_folder_do_not_run(replay, tmp_path):
    (tmp_path / "ghosttape.toml").write_text(TABLE.format(setup=f"touch {tmp_path}/ran"))
    assert "[tests] names commands" in replay("--sandbox", "none", status=2).err
    assert not (tmp_path / "ran").exists()


def test_an_unknown_toolchain_is_told_with_the_known_ones(replay, tmp_path):
    (tmp_path / "ghosttape.toml").write_text('[tests]\ntoolchain = "cobol"\ncommand = "true"\n')
    said = replay(status=2).err
    assert "ghosttape.toml" in said
    assert "choose one of python, node" in said


def test_a_tape_whose_tests_fail_ends_the_command_before_any_question_with_what_to_do(replay, here, tape, tmp_path):
    (tmp_path / "ghosttape.toml").write_text('[tests]\ncommand = "echo no such module; false"\n')
    outcome = replay("--out", "run", status=3)
    assert outcome.json["moments"] == 0
    assert "`echo no such module; false` (ghosttape.toml)" in outcome.err
    said = here(
        "replay", tape, "--provider", "oracle", "--out", "run", "--latency", "fixed:0", "--limit", "1", status=3
    ).out
    assert said.startswith("No tape is left to play, and nothing was asked.")
    assert all(flag in said for flag in ("--test-command", "--requires", "--keep-going"))
    assert passed(replay("--out", "again", "--test-command", "grep -q 'x + 1' a.py")) == (1, 1.0)
    asked = replay("--out", "asked", "--keep-going").json
    assert asked["untestable"] == {"broken-baseline": 1}
