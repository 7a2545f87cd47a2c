"""`ghosttape try --ask-model` on a repository whose tests need an odd command, with a chat server that proposes some."""

import json
import socket
import subprocess
import tomllib
from dataclasses import dataclass, field

import pytest

from tests.support.fakes.dialects import OpenAIDialect
from tests.support.fakes.model_server import FakeModelServer, FakeScript, FakeStatus
from tests.support.program import both_of
from tests.support.served_beside import beside

CODE = "def area(a, b):\n    return a * b\n"
CHECK = "import sys\n\nfrom shapes import area\n\nsys.exit(area(2, 3) != 6 or sys.argv[1:] != ['--really'])\n"
KEY = "AKIAIOSFODNN7EXAMPLE"
FILES = {
    "Makefile": f"AWS_KEY = {KEY}\ncheck:\n\tpython verify.py --really\n",
    "verify.py": CHECK,
    ".env": "PASSWORD=hunter2hunter2\n",
    "private/notes.md": "mine\n",
    ".ghosttapeignore": "private/\n",
    "shapes.py": "",
}
RIGHT = {"toolchain": "python", "command": "python verify.py --really", "requires": [], "setup": ""}
WRONG = {"toolchain": "python", "command": "python verify.py"}
FETCHES = {"toolchain": "python", "command": "touch fetched", "setup": "pip install x", "network": True}


def answer(*proposals):
    return f"Here you are:\n```json\n{json.dumps({'proposals': proposals})}\n```"


@dataclass(slots=True)
class Turns(FakeScript):
    """One answer for each request, in turn; the last one again and again."""

    turns: list[str] = field(default_factory=list)

    def written(self, stops, limit):
        yield self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]


def git(folder, *words):
    name = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", "-C", folder, *name, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, need):
    need("bwrap", "git")
    folder = tmp_path / "shapes"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    git(folder, "init", "-q", ".")
    git(folder, "add", "-f", ".")
    git(folder, "commit", "-qm", "begin")
    (folder / "shapes.py").write_text(CODE)
    git(folder, "commit", "-qam", "area")
    return folder


@pytest.fixture
def try_(tmp_path, repository, cache):
    def run(server, *words, status=0):
        named = [
            "--provider",
            "openai",
            "--base-url",
            f"{server.url}/v1",
            "--settings",
            '{"provider": {"api": "chat", "connect_s": 60}}',
        ]
        given = [
            "--model",
            "wise",
            "--last",
            "1",
            "--limit",
            "1",
            "--latency",
            "fixed:0",
            "--test-timeout",
            "600",
            *words,
        ]
        env = {"GHOSTTAPE_CACHE": str(cache), "COLUMNS": "400"}
        return both_of(tmp_path, "try", repository, *named, *given, status=status, env=env)

    return run


def serving(*turns):
    return FakeModelServer(OpenAIDialect(), Turns(turns=[*turns, "    return a * b"]))


def questions(server):
    """The requests that ask how a project is tested."""
    return [asked for asked in server.asked if "how the tests of a software project are run" in str(asked.body)]


def sent(server):
    return "\n".join(turn["content"] for turn in questions(server)[0].body["messages"])


def test_what_passes_of_the_proposals_is_used_marked_and_saved(try_, tmp_path):
    with beside(serving("    return 1", answer(FETCHES, WRONG, RIGHT))) as server:
        out, err = try_(server, "--ask-model", "--run-proposals", "--save", "--json")
    assert len(questions(server)) == 1
    assert json.loads(out)["moments"] == 1
    assert "refused: its set-up needs the network; if you trust it, allow that with --allow-network-setup" in err
    assert "touch fetched" not in err.partition("it proposes (2)")[2], "what is refused is not tried"
    assert "that did not work: python verify.py\n" in err
    assert "  - its tests are run by: python verify.py --really (as the model wise says)" in err
    saved = (tmp_path / "ghosttape.toml").read_text()
    assert "# - its tests are run by: python verify.py --really (as the model wise says)" in saved
    assert tomllib.loads(saved)["tests"]["command"] == "python verify.py --really"


def test_it_is_sent_what_describes_the_project_and_no_secret(try_):
    with beside(serving("    return 1", answer(RIGHT))) as server:
        _, err = try_(server, "--ask-model", status=2)
    whole = sent(server)
    assert "python verify.py --really" in whole
    for secret in (KEY, "hunter2", ".env", "private", "mine"):
        assert secret not in whole, secret
    assert CHECK not in whole, "code that describes nothing stays here"
    assert "the names of 4 files, the texts of Makefile, and the ends of 0 logs are sent" in err
    assert questions(server)[0].body["max_tokens"] == 2000


def test_where_nobody_sits_at_a_terminal_the_proposals_are_shown_and_not_run(try_):
    with beside(serving("    return 1", answer(RIGHT))) as server:
        _, err = try_(server, "--ask-model", status=2)
        assert "command: python verify.py --really" in err
        assert "none of it was run: answer y at a terminal, or add --run-proposals" in err
        assert "trying: python verify.py" not in err
        assert "shapes cannot be tested here" in err
        _, err = try_(server, "--ask-model", "--run-proposals")
        assert len(questions(server)) == 1, "the model is not asked twice about the same files"
        try_(server, "--ask-model", "--try-again", status=2)
        assert len(questions(server)) == 2
    assert "wise was asked before" in err


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I would rather not.", "there is no JSON object with `proposals` in the answer"),
        (answer(), "the model proposes nothing"),
        (answer({"command": " "}), "command is empty"),
        (answer({"command": "true", "toolchain": "cobol"}), "there is no toolchain 'cobol'"),
        (answer({"command": "true", "cwd": "../.."}), "cwd is '../..': it is a folder of the project"),
        (answer("make"), "Expected `object`, got `str`"),
    ],
)
def test_an_answer_of_no_use_is_said_and_not_kept(try_, said, expected, tmp_path):
    with beside(serving("    return 1", said)) as server:
        _, err = try_(server, "--ask-model", "--run-proposals", status=2)
    assert f"its answer is of no use: {expected}" in err.replace("\n", " ")
    assert "shapes cannot be tested here" in err
    assert not list(tmp_path.glob(".ghosttape/try/shapes/advice*")), "it is asked again"


def test_a_proposal_runs_without_network_and_without_the_machine(try_, tmp_path):
    bad = f"touch {tmp_path}/out; python -c 'import socket; socket.create_connection((\"1.1.1.1\", 53), 2)'"
    with beside(serving("    return 1", answer({"toolchain": "python", "command": bad}))) as server:
        _, err = try_(server, "--ask-model", "--run-proposals", status=2)
    assert "Network is unreachable" in err
    assert not (tmp_path / "out").exists()


@pytest.fixture
def connecting():
    """A command that succeeds where this machine's network is."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"python -c 'import socket; socket.create_connection((\"127.0.0.1\", {listener.getsockname()[1]}), 2)'"


def test_the_network_is_for_the_set_up_of_a_proposal_that_asks_for_it_and_it_is_said_what_set_ups_get(
    try_, connecting, monkeypatch
):
    monkeypatch.setenv("DEMO_TOKEN", "correct-horse-1")
    silent, fetches = {**RIGHT, "setup": connecting}, {**RIGHT, "setup": connecting, "network": True}
    flags = ("--ask-model", "--run-proposals", "--allow-network-setup", "--setup-env", "DEMO_TOKEN")
    with beside(serving("    return 1", answer(silent, WRONG, fetches))) as server:
        out, err = try_(server, *flags, "--json")
    assert (
        "tried in the sandbox, with the network for the set-up of (3), and with the variables DEMO_TOKEN for the set-up of (1), (3)"
        in err
    )
    assert err.count("that did not work: python verify.py --really\n") == 1
    assert json.loads(out)["verdicts"] == {"passed": 1}, "the replay has the network too"


def test_where_no_proposal_asks_for_the_network_the_replay_has_none_either(try_, connecting):
    offline = {**RIGHT, "setup": f"! {connecting}"}
    with beside(serving("    return 1", answer(offline))) as server:
        out, err = try_(server, "--ask-model", "--run-proposals", "--allow-network-setup", "--json")
    assert "tried in the sandbox, without network" in err
    assert json.loads(out)["verdicts"] == {"passed": 1}


def test_an_answer_that_was_written_in_part_or_is_of_no_use_is_asked_for_again(try_, tmp_path):
    with beside(serving(*["    return 1", answer(RIGHT)] * 2)) as server:
        try_(server, "--ask-model", status=2)
        [kept] = tmp_path.glob(".ghosttape/try/shapes/advice*")
        assert kept.suffix == ".txt"
        kept.write_text(kept.read_text()[:40])
        try_(server, "--ask-model", status=2)
        assert len(questions(server)) == 2
        assert kept.read_text() == answer(RIGHT)


@dataclass(slots=True)
class FailsLater(Turns):
    """Answers the first request only."""

    def written(self, stops, limit):
        self.first = [FakeStatus(401, message="bad key")] * 20
        yield "    return 1"


def test_a_model_that_fails_is_said(try_, tmp_path):
    with beside(FakeModelServer(OpenAIDialect(), FailsLater())) as server:
        _, err = try_(server, "--ask-model", status=None)
    assert "--ask-model: " in err
    assert "bad key" in err
    assert not list(tmp_path.glob(".ghosttape/try/shapes/advice*")), "what failed is asked again"


def test_where_rules_find_it_no_model_is_asked(try_, repository):
    (repository / "tests").mkdir()
    (repository / "tests/test_shapes.py").write_text(
        "from shapes import area\n\n\ndef test_a():\n    assert area(2, 3) == 6\n"
    )
    (repository / "shapes.py").write_text("def area(a, b):\n    size = a * b\n    return size\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "tests")
    with beside(serving("    return 1", "    return 1")) as server:
        _, err = try_(server, "--ask-model")
    assert not questions(server)
    assert "1 test passes" in err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ("--ask-model", "--provider", "oracle"),
            "provider oracle has none: choose --provider openai, ollama or anthropic",
        ),
        (
            ("--ask-model", "--sandbox", "none", "--test-command", "true"),
            "runs what a model proposes in a sandbox only",
        ),
        (("--run-proposals",), "--run-proposals is about what --ask-model brings"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_once(try_, words, expected):
    with beside(serving("    return 1")) as server:
        _, err = try_(server, *words, status=2)
        assert not server.asked
    assert expected in err
