"""Writes samples in the published layout: prompts by scenario, unit tests, the table of blocks, and the repositories twice."""

from __future__ import annotations

import csv
import io
import json
import posixpath
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from corpora.codev.layout.published_rows import (
    BLOCK_TABLE,
    COPIES,
    LOCK,
    METADATA,
    PARTS,
    PROMPTS,
    REQUIREMENTS,
    ROOT,
    SOURCES,
    UNIT_TESTS,
    PromptRow,
    UnitTestRow,
)
from corpora.codev.retrieval.evidence import FunctionIndex
from corpora.codev.samples import CodevRepository, CodevSample
from corpora.codev.scenes import WITH_RETRIEVAL, BlockScene, SceneKind, scenes
from corpora.errors import DataError
from corpora.evaluation_options import Scenario
from corpora.mined.checkout import Checkout
from replay.tapes.tape import Tests
from runners.files import write_all
from runners.other_files import make_executable, write_others
from syntax.blocks import constructs
from syntax.languages import Language, language_of
from syntax.text import index_of

# How one unit test of a repository is run by a shell, as the published scripts want it: by pytest, with the
# summary in its last line.

PYTHON = "myenv/bin/python"
"""The interpreter that the published `create_env.sh` makes in each repository."""
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_QUIET = frozenset({"--quiet", "--no-summary"})
_VALUED = frozenset(
    [
        "-c",
        "--config-file",
        "--rootdir",
        "--confcutdir",
        "--ignore",
        "--ignore-glob",
        "--deselect",
        "--basetemp",
        "--junitxml",
        "--junit-xml",
        "--import-mode",
        "--cov",
        "--cov-config",
        "-p",
        "-k",
        "-m",
        "-n",
        "-o",
        "-W",
    ]
)
"""Options whose value is the next word, which may be a file or folder too."""
_CONTROL = re.compile(r"[;&|<>`$()]")
_HERE = re.compile(r"\$PWD\b")
"""The folder that a command runs in, as ways that rules find name it."""


def unit_test_command(tests: Tests, test: str, folder: str, paths: Collection[str], python: str = PYTHON) -> str:
    """The command that runs one test in a repository at `folder` by the interpreter `python`; `paths` are its files.

    What makes pytest quiet is left out, as the scripts read the line `===== 1 passed in 0.01s`; so are files and folders that the command names, as the test takes
    their place. Example: `PYTHONPATH=src pytest -q tests` gives `cd FOLDER && PYTHONPATH=src myenv/bin/python -m pytest tests/test_a.py::test_b`.

    Raises:
        DataError: the command is no plain call of pytest.

    """
    inside = folder if tests.cwd == "." else posixpath.join(folder, tests.cwd)
    words = _words(_HERE.sub(lambda _: inside, tests.command))
    variables = [word for word in words[: _place(words, tests.command)] if _VARIABLE.match(word)]
    called = pairwise(words[_place(words, tests.command) :])
    options = [word for before, word in called if before in _VALUED or _stays(word, tests.cwd, paths)]
    whole = [*variables, python, "-m", "pytest", *options, test]
    return f"cd {shlex.quote(inside)} && {' '.join(map(_quoted, whole))}"


def _quoted(word: str) -> str:
    name, equals, value = word.partition("=")
    return f"{name}={shlex.quote(value)}" if equals and _VARIABLE.match(word) else shlex.quote(word)


def _words(command: str) -> list[str]:
    try:
        return [] if _CONTROL.search(command) else shlex.split(command)
    except ValueError:
        return []


def _place(words: list[str], command: str) -> int:
    """Where `pytest` stands among the words of a command."""
    found = next((at for at, word in enumerate(words) if posixpath.basename(word) in {"pytest", "py.test"}), None)
    if found is None:
        raise DataError(
            Path("the published layout"),
            0,
            f"its scripts run the tests by pytest, one by one; {command!r} is no plain call of that",
        )
    return found


def _stays(word: str, cwd: str, paths: Collection[str]) -> bool:
    if word in _QUIET or re.fullmatch(r"-q+", word):
        return False
    named = posixpath.normpath(posixpath.join(cwd, word.partition("::")[0]))
    return word.startswith("-") or not any(path == named or path.startswith(f"{named}/") for path in paths)


@dataclass(frozen=True, slots=True)
class LayoutPart:
    """A repository with its samples, its files, and how its functions are compared for scenario 4."""

    repository: CodevRepository
    checkout: Checkout
    samples: Sequence[CodevSample]
    index: FunctionIndex


async def write_layout(
    folder: Path, parts: Sequence[LayoutPart], root: str = ROOT, python: str = PYTHON
) -> dict[str, int]:
    """Write samples to a folder; return how many rows of each file of prompts there are.

    Args:
        folder: is made; what lies there already must not be of another corpus.
        parts: the repositories.
        root: where the folder will lie when scripts read it, with a slash at the end. The published scripts put their own main folder in the place of `ROOT`.
        python: the interpreter of the unit tests, seen from a repository.

    Raises:
        DataError: a repository is not tested by pytest, or the folder has other files.

    """
    _refuse_full(folder)
    counted = dict.fromkeys(PARTS, 0)
    for part in parts:
        tests = _unit_tests(part, root, python)
        _write_repository(folder, part)
        _write_lines(folder / METADATA / part.repository.name / UNIT_TESTS, tests)
        (folder / METADATA / part.repository.name / LOCK).write_bytes(msgspec.json.encode(part.repository.tests))
        for mode, (scenario, kind) in PARTS.items():
            rows = [await _prompt(part, scene, root) for scene in _scenes(part, scenario, kind)]
            _write_lines(folder / PROMPTS / f"{mode}.jsonl", rows)
            counted[mode] += len(rows)
    table = [row for part in parts for row in block_table(part.repository.name, part.checkout.files, part.samples)]
    (folder / BLOCK_TABLE).write_text("".join([table_head(), *table]), "utf-8", "surrogatepass", newline="")
    return counted


def _refuse_full(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()):
        raise DataError(folder, 0, "is not empty: name a new folder")


def _scenes(part: LayoutPart, scenario: Scenario, kind: SceneKind) -> Iterator[BlockScene]:
    for sample in part.samples:
        for scene in scenes(sample, part.checkout.files[sample.path], scenario):
            if scene.kind == kind:
                yield scene


def _unit_tests(part: LayoutPart, root: str, python: str) -> list[UnitTestRow]:
    named, tests = part.repository.name, part.repository.tests
    place, paths = f"{root}{SOURCES}/{named}", tuple(part.checkout.contents)
    rows = list[UnitTestRow]()
    for test in sorted({test for sample in part.samples for test in sample.tests}):
        path, _, inside = test.partition("::")
        command = unit_test_command(tests, test, place, paths, python)
        rows.append(UnitTestRow(did=_test_name(named, test), run_command=command, relative_path=path, func_path=inside))
    return rows


def _test_name(repository: str, test: str) -> str:
    return f"{repository}/{test}"


def _write_repository(folder: Path, part: LayoutPart) -> None:
    """Write the files of a repository, once to be changed and once to be restored from."""
    for place in (SOURCES, COPIES):
        inside = folder / place / part.repository.name
        inside.mkdir(parents=True)
        write_all(inside, part.checkout.files)
        write_others(inside, part.checkout.others)
        make_executable(inside, part.checkout.others.executable)
        write_all(inside, {REQUIREMENTS: "".join(f"{each}\n" for each in part.repository.tests.requires)})


def _write_lines(file: Path, rows: Sequence[msgspec.Struct]) -> None:
    """Add rows to a file of JSON lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as opened:
        opened.write(msgspec.json.Encoder().encode_lines(rows))


async def _prompt(part: LayoutPart, scene: BlockScene, root: str) -> PromptRow:
    place = f"{root}{SOURCES}/{scene.repository}/"
    tests = [_test_name(scene.repository, test) for test in scene.tests]
    before = await _evidence(part.index, scene) if scene.scenario == WITH_RETRIEVAL else ""
    return PromptRow(
        func_name=place + scene.function_key,
        item_dids=tests,
        unit_test_ids=tests,
        block_key=place + scene.block_key,
        block_type=scene.block_type,
        prompt=f"<filename>{scene.path}<fim_prefix>{before}{scene.prefix}<fim_suffix>{scene.suffix}<fim_middle>{scene.middle}",
        prefix=scene.prefix,
        suffix=scene.suffix,
        middle=scene.middle,
        test_prefix=scene.prefix,
        test_suffix=scene.hidden + scene.suffix,
        test_middle=scene.middle,
        name=scene.name,
        emptied=scene.emptied,
    )


async def _evidence(index: FunctionIndex, scene: BlockScene) -> str:
    """The nearest functions as comments before the file: the scripts take away what stands before `<fim_prefix>` for most models."""
    start = len(scene.prefix)
    mark = "# " if scene.language == "python" else "// "
    found = await index.evidence(scene.path, start, start + len(scene.middle))
    lines = [line for each in found for line in (each.path, *each.text.splitlines())]
    return "".join(f"{mark}{line}".rstrip() + "\n" for line in lines)


# The table of the blocks of all files: `metadatas/test_file_cosine.output.csv`, from which
# `filter_method_dict` of the published `src/prepare.py` makes its dictionaries.

_TYPES = {"function": "METHOD", "if": "IF", "for": "FOR", "while": "WHILE", "try": "TRY", "statement": "STATEMENT"}
_COLUMNS = ("file_path", "file_content", "block")


def block_table(repository: str, files: Mapping[str, str], samples: Iterable[CodevSample]) -> Iterator[str]:
    """A row of the table, as CSV, for each file that has blocks of a corpus."""
    by_path: dict[str, list[CodevSample]] = {}
    for sample in samples:
        by_path.setdefault(sample.path, []).append(sample)
    for path, some in sorted(by_path.items()):
        blocks = {"blocks": list(_blocks(language_of(path), files[path], some))}
        yield _row([f"{repository}/{path}", files[path], json.dumps(blocks)])


def table_head() -> str:
    """The first line of the table."""
    return _row(_COLUMNS)


def _row(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(cells)
    return written.getvalue()


def _blocks(language: Language | None, text: str, samples: Iterable[CodevSample]) -> Iterator[dict[str, Any]]:
    """The blocks of a file in the order in which they begin, the outer before the inner: those of its syntax tree, and those of the corpus.

    Of two with the same lines the last is kept, but a function stays one: the scripts look blocks up by lines.
    """
    found = dict[tuple[int, int], dict[str, Any]]()
    for block in (*_of_tree(language, text), *_of_corpus(text, samples)):
        key = block["startLine"], block["endLine"]
        before = found.get(key)
        if before is None or before["header"] is None or block["header"] is not None:
            found[key] = block
    yield from sorted(found.values(), key=lambda block: (block["startOffset"], -block["endOffset"]))


def _of_tree(language: Language | None, text: str) -> Iterator[dict[str, Any]]:
    for each in constructs(language, text) if language else ():
        body = each.start if each.kind == "function" else None
        yield _block(text, _TYPES[each.kind], (each.header, each.end), body, each.kind)


def _of_corpus(text: str, samples: Iterable[CodevSample]) -> Iterator[dict[str, Any]]:
    for sample in samples:
        start = sum(map(len, text.split("\n")[: sample.lines[0] - 1])) + sample.lines[0] - 1
        body = index_of(text, sample.start) if sample.block_type == "METHOD" else None
        yield _block(text, sample.block_type, (start, index_of(text, sample.end)), body, sample.function)


def _block(text: str, block_type: str, span: tuple[int, int], body: int | None, name: str) -> dict[str, Any]:
    """A block with its lines, from 0; only functions (with `body`, the index at which that begins) have a header."""
    first, last = (text.count("\n", 0, index) for index in span)
    return {
        "type": block_type,
        "name": name,
        "startLine": first,
        "endLine": last,
        "startOffset": span[0],
        "endOffset": span[1],
        "header": {"startLine": first, "endLine": _header_end(text, span[0], body)} if body is not None else None,
    }


def _header_end(text: str, start: int, body: int) -> int:
    """The line in which a header ends: the last one before the body, or before what documents the function, that ends with a colon or an opening brace."""
    header = text[start:body]
    for number, line in enumerate(header.splitlines()):
        if line.partition("#")[0].rstrip().endswith((":", "{")):
            return text.count("\n", 0, start) + number
    return text.count("\n", 0, start)
