"""The comparison with the published script of Codev-Bench, on a script of the tests' own."""

import asyncio
from pathlib import Path

import pytest

from corpora.codev.retrieval.evidence import FunctionIndex
from corpora.codev.samples import CodevRepository, CodevSample
from corpora.codev.scenes import scenes
from corpora.mined.checkout import read_checkout
from replay.tapes.tape import Tests as ProjectTests
from runners.sandboxes import pick
from tools import codev_beside
from tools.codev_beside import MODE, answers, ours, patched, published, table

CODE = "def double(x):\n    return x * 2\n\n\ndef same(x):\n    return x\n"
NODES = ("test_a.py::test_double", "test_a.py::test_same")
TESTS = "from a import double, same\n\n\ndef test_double():\n    assert double(2) == 4\n\n\ndef test_same():\n    assert same(2) == 2\n"
SCRIPT = """\
import json, os, pathlib, subprocess, sys
MAIN_DIR = '/mnt/coai_nas/qianhu/github/Codev-Bench/'
mode = sys.argv[sys.argv.index("--mode") + 1]
rows = [json.loads(line) for line in open(f"{MAIN_DIR}predicts/{mode}/predictions/codegemma_7b.jsonl")]
units = [json.loads(line) for line in open(f"{MAIN_DIR}metadatas/app/test_metadata_funcname_passed_called.jsonl")]
commands = {unit["did"]: unit["run_command"] for unit in units}
pathlib.Path(f"{MAIN_DIR}predicts/{mode}/results").mkdir()
with open(f"{MAIN_DIR}predicts/{mode}/results/codegemma_7b.jsonl.0", "w") as results:
    for row in rows:
        repo_name = "app"
        if repo_name != 'searcharray':
            continue
        file = row["func_name"].partition("#")[0]
        open(file, "w").write(row["prefix"] + row["response"] + row["suffix"])
        passed = all(subprocess.call(commands[name], shell=True) == 0 for name in row["unit_test_ids"])
        results.write(json.dumps({**row, "is_all_passed": passed}) + "\\n")
"""


def sample(number: int) -> CodevSample:
    """The body of one of the two functions."""
    text, name = ("return x * 2", "double") if number == 0 else ("return x", "same")
    start = CODE.index(text) if number == 0 else CODE.rindex(text)
    line = CODE[:start].count("\n") + 1
    return CodevSample(
        name=f"app/a.py#L{line}/METHOD/5",
        repository="app",
        language="python",
        path="a.py",
        block_type="METHOD",
        lines=(line - 1, line),
        start=start,
        end=start + len(text),
        emptied="pass",
        function=name,
        function_lines=(line - 1, line),
        function_end=start + len(text),
        tests=(NODES[number],),
        noticed_by=(NODES[number],),
    )


def test_right_and_wrong_answers_are_judged_alike_and_the_table_says_so(tmp_path: Path, need) -> None:
    need("bwrap")
    for path, text in {
        "app/a.py": CODE,
        "app/test_a.py": TESTS,
        "bench/src/evaluate.py": SCRIPT,
        "bench/src/prepare.py": SCRIPT,
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    checkout = read_checkout(tmp_path / "app", "")
    tests = ProjectTests("python", "python -m pytest -q -p no:cacheprovider", ("pytest",))
    entry = CodevRepository(name="app", folder=str(tmp_path / "app"), tests=tests, passing=2, files={})
    part = codev_beside.part_of(tmp_path, entry, checkout, [sample(0), sample(1)])
    assert isinstance(part.index, FunctionIndex)
    found = list(answers([scene for each in part.samples for scene in scenes(each, CODE, 1)]))
    theirs = asyncio.run(published(tmp_path / "bench", part, found, pick("auto"), needs=()))
    own = asyncio.run(ours(part, found, pick("auto"), workers=1))
    assert [(each.kind, passed) for each, passed in zip(found, own.passed, strict=True) if passed] == [
        ("right", True)
    ] * 2
    assert theirs.passed == own.passed
    assert "| right | 2 | 2 | 0 | 0 |" in table(found, theirs, own)
    assert MODE == "prefix_suffix_full_complete_current_block_no_evidence"


def test_another_version_of_the_script_is_refused() -> None:
    with pytest.raises(ValueError, match="another version"):
        patched("MAIN_DIR = '/elsewhere/'")
