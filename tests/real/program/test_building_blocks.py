"""`ghosttape corpora build codev` on a small repository in the sandbox: blocks are kept that its tests notice, and they are a benchmark."""

import json

import pytest

from corpora.codev.samples import is_samples_file
from tests.support.block_builds import BUILD, CODE, STARTS, lay_out
from tests.support.program import both_of as run


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the corpus, and what the command said of it."""
    folder = tmp_path_factory.mktemp("built")
    lay_out(folder)
    return folder, json.loads(run(folder, *BUILD)[0])


def test_from_a_folder_to_blocks_with_one_command_and_again_the_same(built):
    folder, found = built
    assert found["tests_by"] == "rules"
    assert (found["tests_passing"], found["functions"]) == (3, 5), "two of the ledger, and the tests"
    assert found["tests_unseen"] == json.loads((folder / found["chains"]).read_text())["unseen"] == [STARTS]
    said = " ".join(run(folder, *BUILD[:-1])[0].split())
    assert (
        f"of 1 test not all is seen, where processes are started, tests trace themselves, or nothing was reported of them: {STARTS} (all: `unseen` in "
        in said
    )
    assert is_samples_file(folder / "app.jsonl")
    lines = [json.loads(line) for line in (folder / "app.jsonl").read_text().splitlines()]
    kept = {CODE[line["start"] : line["end"]] for line in lines[1:]}
    assert "total += amount" in kept
    assert not any("print" in text for text in kept)
    assert sum(found["kept"].values()) == len(kept) == len(lines) - 1
    before = (folder / "app.jsonl").read_bytes()
    assert json.loads(run(folder, *BUILD)[0]) == found
    assert (folder / "app.jsonl").read_bytes() == before
    asked = json.loads(run(folder, *BUILD, "--evaluate", "oracle")[0])
    told = asked.pop("evaluation")
    assert asked == found
    assert told["passed"] == told["testable"] == told["tasks"] == len(kept)
    words = ("evaluate", "app.jsonl", "--scenario", "2", "--json", "--provider")
    oracle, nothing = (json.loads(run(folder, *words, name)[0]) for name in ("oracle", "fixed"))
    assert (oracle["corpus"], oracle["cluster_by"]) == ("app", "function")
    assert oracle["passed"] == oracle["testable"] == oracle["tasks"] == nothing["tasks"]
    inner = nothing["verdicts"].pop("passed")  # these blocks are complete: nothing is wanted
    assert inner == sum(line["inner"]["start"] == line["inner"]["end"] for line in lines[1:] if line["inner"])
    run(folder, "corpora", "export", "codev", "app.jsonl", "-o", "published")
    words = ("evaluate", "codev", "--data", "published", "--scenario", "3", "--json", "--provider", "oracle")
    published = json.loads(run(folder, *words)[0])
    assert (published["corpus"], published["cluster_by"]) == ("codev", "function")
    rests = (CODE[line["end"] : end] for line in lines[1:] for end in (line["function_end"], None))
    assert published["passed"] == published["tasks"] == sum(bool(rest.strip()) for rest in rests)
