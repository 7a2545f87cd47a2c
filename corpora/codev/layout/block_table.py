"""The table of the blocks of all files: `metadatas/test_file_cosine.output.csv`, from which `filter_method_dict` of the published `src/prepare.py` makes its dictionaries."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from corpora.codev.samples import CodevSample
from syntax.blocks import constructs
from syntax.languages import Language, language_of
from syntax.text import index_of

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
