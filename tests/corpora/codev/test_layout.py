"""The published layout of Codev-Bench: every field of what is written, and that it is read as it was."""

from __future__ import annotations

import asyncio
import csv
import json
import shutil
from pathlib import Path

import msgspec
import pytest

from corpora.codev.layout import LayoutPart, read_layout, write_layout
from corpora.codev.layout.layout_writer import unit_test_command
from corpora.codev.layout.published_rows import PARTS
from corpora.codev.retrieval.evidence import FunctionIndex
from corpora.codev.samples import CodevRepository, CodevSample, InnerPart
from corpora.codev.scenes import scenes
from corpora.errors import DataError
from corpora.mined.checkout import read_checkout
from replay.tapes.tape import Tests as ProjectTests

CODE = '''\
"""🙂"""
LIMIT = 3


@staticmethod
def total(rows, start: int = 0):
    """Add them."""
    found = start
    for row in rows:
        found += len(row)
    return found


def other(rows):
    return sum(len(row) for row in rows)
'''
TESTS = ProjectTests(toolchain="python", command="PYTHONPATH=src pytest -q tests", requires=("pytest==8.4",))
NODE = "tests/test_a.py::test_total[a b]"
ROOT = "/mnt/coai_nas/qianhu/github/completion_benchmark/Source_Code/app/src/a.py"


def at(text: str) -> int:
    """Where a text stands in the file, in UTF-16 code units: the smiley has two."""
    return CODE.index(text) + 1


def sample(**changes: object) -> CodevSample:
    """The body of the loop, whose inner part is the value that is added."""
    end = at("found += len(row)") + len("found += len(row)")
    members = {
        "name": "app/src/a.py#L9-L10/FOR/9",
        "repository": "app",
        "language": "python",
        "path": "src/a.py",
        "block_type": "FOR",
        "lines": (9, 10),
        "start": at("found += len(row)"),
        "end": end,
        "emptied": "pass",
        "function": "total",
        "function_lines": (5, 11),
        "function_end": at("return found") + len("return found"),
        "tests": (NODE,),
        "noticed_by": (NODE,),
        "inner": InnerPart(start=end - len("len(row)"), end=end, emptied="None", noticed_by=(NODE,)),
    }
    return CodevSample(**(members | changes))


METHOD = sample(
    name="app/src/a.py#L6-L11/METHOD/5",
    block_type="METHOD",
    lines=(6, 11),
    start=at("found = start"),
    end=at("return found") + len("return found"),
    inner=InnerPart(start=at("return found") + len("return found"), end=at("return found") + len("return found")),
)
SAMPLES = (sample(), METHOD)


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> LayoutPart:
    """A made-up repository with two samples."""
    folder = tmp_path_factory.mktemp("repository") / "app"
    for path, text in {"src/a.py": CODE, "tests/test_a.py": "def test_total(): ...\n", "logo.bin": "\0"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "run.sh").write_bytes(b"\xff#!\n")
    (folder / "run.sh").chmod(0o755)
    checkout = read_checkout(folder, "")
    repository = CodevRepository(
        name="app", folder=str(folder), tests=TESTS, passing=1, files=checkout.digests(checkout.files)
    )
    return LayoutPart(repository, checkout, SAMPLES, FunctionIndex.by_words(checkout.files))


@pytest.fixture(scope="module")
def written(part: LayoutPart, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples in the published layout."""
    folder = tmp_path_factory.mktemp("published") / "data"
    counted = asyncio.run(write_layout(folder, [part]))
    assert list(counted.values()) == [2, 1, 1, 1, 2, 2], "behind the body of a function nothing of it is left to hide"
    return folder


def rows(file: Path) -> list[dict[str, object]]:
    """The lines of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_every_field_of_a_prompt_is_what_the_published_scripts_read(written: Path) -> None:
    row = rows(written / "prompts/prefix_full_suffix_func_empty_complete_current_block_no_evidence.jsonl")[0]
    before, middle, behind = CODE.partition("found += len(row)")
    seen = behind.removeprefix("\n    return found")
    test = f"app/{NODE}"
    assert row == {
        "func_name": f"{ROOT}#L5-L11",
        "item_dids": [test],
        "unit_test_ids": [test],
        "block_key": f"{ROOT}#L9-L10",
        "block_type": "FOR",
        "prompt": f"<filename>src/a.py<fim_prefix>{before}<fim_suffix>{seen}<fim_middle>{middle}",
        "prefix": before,
        "suffix": seen,
        "middle": middle,
        "test_prefix": before,
        "test_suffix": behind,
        "test_middle": middle,
        "name": "3/rest-of-function-gone/app/src/a.py#L9-L10/FOR/9",
        "emptied": "pass",
    }
    assert {path.stem for path in (written / "prompts").iterdir()} == set(PARTS)


def test_evidence_stands_before_the_file_as_comments(written: Path) -> None:
    row = rows(written / "prompts/prefix_suffix_full_complete_current_block_with_repo_rag_oracle.jsonl")[0]
    shown = "# src/a.py\n# def other(rows):\n#     return sum(len(row) for row in rows)\n"
    assert str(row["prompt"]).startswith(f"<filename>src/a.py<fim_prefix>{shown}{row['prefix']}<fim_suffix>")


def test_every_field_of_a_unit_test_is_what_the_published_scripts_read(written: Path) -> None:
    assert rows(written / "metadatas/app/test_metadata_funcname_passed_called.jsonl") == [
        {
            "did": f"app/{NODE}",
            "run_command": f"cd {ROOT.removesuffix('/src/a.py')} && PYTHONPATH=src myenv/bin/python -m pytest '{NODE}'",
            "relative_path": "tests/test_a.py",
            "func_path": "test_total[a b]",
        }
    ]


def test_the_table_of_blocks_has_the_lines_and_the_nesting_that_prepare_py_reads(written: Path) -> None:
    with (written / "metadatas/test_file_cosine.output.csv").open(newline="") as opened:
        (row,) = csv.DictReader(opened)
    assert (row["file_path"], row["file_content"]) == ("app/src/a.py", CODE)
    blocks = json.loads(row["block"])["blocks"]
    keys = {f"L{block['startLine'] + 1}-L{block['endLine'] + 1}": block for block in blocks}
    assert {key: (block["type"], block["name"], block["header"]) for key, block in keys.items()} == {
        "L1-L1": ("STATEMENT", "statement", None),
        "L2-L2": ("STATEMENT", "statement", None),
        "L6-L11": ("METHOD", "total", {"startLine": 5, "endLine": 5}),
        "L7-L7": ("STATEMENT", "statement", None),
        "L8-L8": ("STATEMENT", "statement", None),
        "L9-L10": ("FOR", "total", None),
        "L10-L10": ("STATEMENT", "statement", None),
        "L11-L11": ("STATEMENT", "statement", None),
        "L14-L15": ("METHOD", "function", {"startLine": 13, "endLine": 13}),
        "L15-L15": ("STATEMENT", "statement", None),
    }
    starts = [(block["startOffset"], -block["endOffset"]) for block in blocks]
    assert starts == sorted(starts)
    assert CODE[blocks[2]["startOffset"] :].startswith("def total")


def test_the_repositories_stand_there_twice_with_what_they_require(written: Path, part: LayoutPart) -> None:
    for place in ("Source_Code", "Source_Code_Copy"):
        assert (written / place / "app/true_requirements.txt").read_text() == "pytest==8.4\n"
        assert read_checkout(written / place / "app", "").files["src/a.py"] == CODE
        assert (written / place / "app/run.sh").stat().st_mode & 0o111
        assert (written / place / "app/run.sh").read_bytes() == b"\xff#!\n"


def test_what_was_written_is_read_as_the_same_tasks(written: Path, part: LayoutPart) -> None:
    found = read_layout(written)
    expected = [
        scene
        for scenario, kind in PARTS.values()
        for each in SAMPLES
        for scene in scenes(each, CODE, scenario)
        if scene.kind == kind
    ]
    assert [task.scene for task in found.tasks] == expected
    assert [task.evidence.splitlines()[:1] for task in found.tasks][-2:] == [["# src/a.py"], ["# src/a.py"]]
    assert found.checkouts["app"].contents == part.checkout.contents
    assert found.repositories == (msgspec.structs.replace(part.repository, folder=str(written / "Source_Code/app")),)


@pytest.fixture
def published(written: Path, tmp_path: Path) -> Path:
    """The same without what is ours: as it would be published."""
    folder = shutil.copytree(written, tmp_path / "data")
    (folder / "metadatas/app/ghosttape_tests.json").unlink()
    for file in (folder / "prompts").iterdir():
        kept = [{name: row[name] for name in row if name not in {"name", "emptied"}} for row in rows(file)]
        file.write_text("".join(json.dumps(row) + "\n" for row in kept))
    return folder


def test_published_rows_get_names_what_their_places_need_and_pytest(published: Path) -> None:
    found = read_layout(published)
    names = [task.scene.name for task in found.tasks]
    assert len(set(names)) == len(names) == 9
    assert found.tasks[0].scene.emptied == "pass"
    (repository,) = found.repositories
    assert (repository.tests.command, repository.tests.requires) == ("python -m pytest", ("pytest==8.4",))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"unit_test_ids": ["app/', '"unit_test_ids": ["b/', r"\.jsonl:1: names a unit test that metadatas lacks"),
        ('"test_middle": "found', '"test_middle": "lost', "has not the text of app/src/a.py"),
        ('"middle": "found', '"middle": "lost', "is no part of what is tested"),
        ("/Source_Code/", "/Sources/", "is no place in Source_Code"),
        ('"prefix"', '"infix"', "is no row of this file"),
    ],
)
def test_rows_that_contradict_the_repository_are_refused(published: Path, old: str, new: str, reason: str) -> None:
    file = published / "prompts/prefix_suffix_full_complete_current_block_no_evidence.jsonl"
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(DataError, match=reason):
        read_layout(published)


def test_a_folder_without_the_layout_or_with_other_files_is_refused(tmp_path: Path, part: LayoutPart) -> None:
    with pytest.raises(DataError, match="is no data of Codev-Bench"):
        read_layout(tmp_path)
    (tmp_path / "notes.txt").touch()
    with pytest.raises(DataError, match="is not empty"):
        asyncio.run(write_layout(tmp_path, [part]))


def test_only_plain_calls_of_pytest_can_be_written() -> None:
    tests = ProjectTests(toolchain="python", command="python -m pytest -qq -k 'a b' --no-summary tests/x.py", cwd="lib")
    command = unit_test_command(tests, "tests/x.py::test_y", "/r/app", ["lib/tests/x.py"], "python")
    assert command == "cd /r/app/lib && python -m pytest -k 'a b' tests/x.py::test_y"
    tests = ProjectTests(toolchain="python", command='PYTHONPATH="$PWD/src" python -m pytest -q')
    written = unit_test_command(tests, "t.py::test", "/r/app", [], "python")
    assert written == "cd /r/app && PYTHONPATH=/r/app/src python -m pytest t.py::test"
    tests = ProjectTests(toolchain="python", command="pytest -c setup.cfg --rootdir tests --ignore tests/slow tests")
    written = unit_test_command(tests, "tests/a.py::t", "/r", ["setup.cfg", "tests/a.py", "tests/slow/b.py"], "python")
    assert written == "cd /r && python -m pytest -c setup.cfg --rootdir tests --ignore tests/slow tests/a.py::t"
    for other in ("npx vitest run", "make && pytest", "python -m unittest"):
        with pytest.raises(DataError, match="no plain call of that"):
            unit_test_command(ProjectTests(toolchain="python", command=other), "t", "/r", [])
