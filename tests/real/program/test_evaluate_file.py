"""An open file evaluated by order of an editor: its functions are asked about and tested, as the command line does with the same tape."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace
from pygls.exceptions import JsonRpcException

from replay.run.store import Store
from replay.tapes.tape import read
from tests.support.ordered_replay import command, connected
from tests.support.places import SCRIPT

SHOP = '''"""A shop."""


def total(prices, discount=0.0):
    """The sum, less a discount."""
    summed = 0.0
    for price in prices:
        if price < 0:
            raise ValueError("negative")
        summed += price
    return summed * (1 - discount)


def unnoticed(x):
    """No test looks at it."""
    return x + 1
'''
TEST = """import pytest

from shop import total


def test_total():
    assert total([1, 2, 3]) == 6
    assert total([10], discount=0.5) == 5
    with pytest.raises(ValueError):
        total([-1])
"""
MANIFEST = """[project]
name = "shop"
version = "1"
[dependency-groups]
test = ["pytest"]
[tool.pytest.ini_options]
pythonpath = ["."]
"""
PLAIN = {"latency": "fixed:80", "seed": 1}


@pytest.fixture(scope="module")
def shop(run_folder, need, once):
    """A project under git, with a key and an ignored file in it."""
    need("bwrap", "git")

    def made():
        folder = run_folder / "shop"
        (folder / "tests").mkdir(parents=True)
        (folder / "shop.py").write_text(SHOP.replace("1 - discount", "2 - discount"))  # what the editor holds counts
        (folder / "tests" / "test_shop.py").write_text(TEST)
        (folder / "pyproject.toml").write_text(MANIFEST)
        (folder / ".env").write_text("KEY=blueHorse42Staple\n")
        (folder / ".gitignore").write_text("private.txt\n")
        (folder / "private.txt").write_text("mine alone")
        (folder / ".ghosttapeignore").write_text("plans/\n")
        (folder / "plans").mkdir()
        (folder / "plans" / "next.txt").write_text("for nobody else")
        (folder / "plans" / "logo.bin").write_bytes(b"\xff\xfe\x00")
        (folder / "signing.p12").write_bytes(b"\xff\xfe\x01")
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        return folder

    return once("shop-to-evaluate", made)


def order(client, shop, **more):
    options = PLAIN | more.pop("options", {})
    argument = {"path": str(shop / "shop.py"), "folder": str(shop), "text": SHOP, "options": options, **more}
    return command(client, "ghosttape.evaluateFile", argument)


@pytest.fixture(scope="module")
def evaluated(once, run_folder, shop):
    """Two evaluations by one server: with what was written as the answers, and with the server's own provider for one function."""

    async def carried_out():
        async with connected(shop) as client:
            oracle = await order(
                client, shop, options={"settings": {"provider": {"name": "oracle"}}}, out=str(run_folder / "o")
            )
            told = [len(client.told[f"ghosttape/{name}"]) for name in ("moment", "verdict")]
            own = await order(client, shop, lines=[4], out=str(run_folder / "p"))
        return {"oracle": oracle["run"], "own": own["run"], "told": told}

    return once("evaluated-file", lambda: asyncio.run(carried_out()))


def records(folder):
    with Store.open(Path(folder)) as store:
        return list(store.records()), store.fact("origins"), store.config


def outcome(record):
    """What two runs have in common; how long the tests took differs."""
    verdict = record.verdict and replace(record.verdict, wall_ms=0.0, log="")
    return record.moment, record.ending, record.suggestion, verdict


def test_what_was_written_passes_and_what_no_test_notices_is_untestable(evaluated):
    found, _, _ = records(evaluated["oracle"])
    verdicts = {}
    for record in found:
        verdicts.setdefault(record.moment.function, []).append(record.verdict.name)
    assert set(verdicts) == {"shop.py:4", "shop.py:14"}
    assert set(verdicts["shop.py:4"]) == {"passed"}
    assert len(verdicts["shop.py:4"]) == 6
    assert verdicts["shop.py:14"] == ["untestable"]
    assert evaluated["told"] == [len(found), len(found)]


def test_a_moment_stands_on_the_line_of_the_file_that_is_open(evaluated):
    found, _, _ = records(evaluated["oracle"])
    for record in found:
        assert SHOP.split("\n")[record.moment.line][record.moment.character :] == record.moment.truth.split("\n")[0]


def test_the_command_line_gives_the_same_records_for_the_same_tape(evaluated, tmp_path):
    found, origins, config = records(evaluated["own"])
    assert {record.moment.function for record in found} == {"shop.py:4"}
    assert config["settings"]["provider"]["name"] == "ngram"
    (tape,) = origins.values()
    words = [
        "replay",
        tape,
        "--provider",
        "ngram",
        "--latency",
        "fixed:80",
        "--seed",
        "1",
        "--out",
        str(tmp_path / "run"),
    ]
    done = subprocess.run([SCRIPT, *words, "--plain"], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode in {0, 1}, done.stderr
    mine, _, _ = records(tmp_path / "run")
    assert list(map(outcome, found)) == list(map(outcome, mine))


def test_no_file_that_holds_keys_and_none_that_git_or_a_list_of_ours_ignores_is_on_the_tape(evaluated):
    _, origins, _ = records(evaluated["oracle"])
    (tape,) = origins.values()
    files = read(Path(tape)).header.workspace.files
    assert set(files) == {"pyproject.toml", ".gitignore", ".ghosttapeignore", "tests/test_shop.py"}
    assert read(Path(tape)).header.workspace.beside is UNSET
    assert "blueHorse" not in Path(tape).read_text()


async def test_an_order_that_cannot_be_carried_out_is_refused_with_the_reason(shop, tmp_path):
    (tmp_path / "notes.md").write_text("# Notes\n")
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "whole.py").write_text("def f():\n    return 1\n")
    (tmp_path / "own.py").write_text("def f():\n    return 1\n")
    (tmp_path / ".ghosttapeignore").write_text("own.py\n")
    plain = {"options": {"tests": False, **PLAIN}}
    wrong = [
        ({"path": str(tmp_path / "a.py"), "folder": str(shop)}, "it does not lie in the folder of the project"),
        ({"path": str(tmp_path / "gone.py"), "folder": str(tmp_path)}, "it cannot be read"),
        ({"path": str(tmp_path / "notes.md"), "folder": str(tmp_path), **plain}, "its language is not one"),
        ({"path": str(tmp_path / "empty.py"), "folder": str(tmp_path), **plain}, "there is no function with a body"),
        ({"path": str(tmp_path / "empty.py"), "folder": str(tmp_path)}, "there is no function with a body"),
        ({"path": str(tmp_path / "whole.py"), "folder": str(tmp_path)}, "nothing in its files shows how it is tested"),
        ({"path": str(tmp_path / "own.py"), "folder": str(tmp_path)}, "keeps it off tapes"),
        ({"path": "x", "folder": "y", "options": {"sandbox": "none"}}, "only be asked for on the command line"),
        ({"path": "x"}, "missing required field `folder`"),
    ]
    async with connected(tmp_path) as client:
        for argument, words in wrong:
            with pytest.raises(JsonRpcException, match=words):
                await command(client, "ghosttape.evaluateFile", argument)
