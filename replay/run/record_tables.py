"""A table of records as CSV, Parquet or JSON Lines (`COLUMNS` is its schema), written a few rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any, Literal, TypeAlias

import msgspec

from replay.numbers.clusters import cluster_of
from replay.numbers.curves import outcome
from replay.numbers.metrics import length_class
from replay.records import Record, Suggestion, Verdict

BATCH = 1_000
"""The rows that are held at once, and that make a row group of Parquet."""


def write_csv(records: Iterable[Record], file: IO[bytes]) -> int:
    """Write CSV (RFC 4180, UTF-8, a line of names first, lines end in a line feed); give the number of rows.

    Every text is in quotes, no number is, and a null is nothing at all: so an empty text and a null can be told apart, which the standard library's writer cannot do before
    Python 3.12. A list of texts is a text with a JSON array.
    """
    number = 0
    file.write(_line(column.name for column in COLUMNS))
    for number, record in enumerate(records, 1):  # noqa: B007 - given at the end
        file.write(_line(row_of_record(record).values()))
    return number


def _line(values: Iterable[Any]) -> bytes:
    return (",".join(map(_cell, values)) + "\n").encode(errors="replace")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return _cell(msgspec.json.encode(value).decode())
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else repr(value)


def write_jsonl(records: Iterable[Record], file: IO[bytes]) -> int:
    """Write a JSON object a line, with every column in each; give the number of rows."""
    number = 0
    for number, record in enumerate(records, 1):  # noqa: B007 - given at the end
        file.write(msgspec.json.encode(row_of_record(record)) + b"\n")
    return number


def write_parquet(records: Iterable[Record], file: IO[bytes]) -> int:
    """Write Parquet with what each column means in its metadata; give the number of rows. Needs pyarrow (extra `parquet`)."""
    import pyarrow as pa
    from pyarrow import parquet

    types = {"text": pa.string(), "texts": pa.list_(pa.string()), "int": pa.int64(), "float": pa.float64()}
    schema = pa.schema(
        [
            pa.field(column.name, types[column.type], column.is_nullable, {"description": column.meaning})
            for column in COLUMNS
        ]
    )
    number = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in _batches(map(row_of_record, records)):
            number += len(rows)
            writer.write_table(pa.Table.from_pylist(rows, schema))
    return number


def _batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH)):
        yield batch


FORMATS: dict[str, Callable[[Iterable[Record], IO[bytes]], int]] = {
    "csv": write_csv,
    "parquet": write_parquet,
    "jsonl": write_jsonl,
}
"""The name of each format, and what writes it."""


# The columns of a table of records: a name, a type, what it holds, and where it comes from. This list is
# the schema.

ColumnType: TypeAlias = Literal["text", "int", "float", "texts"]
"""`int` has 64 bits, `float` is double precision; `texts` is a list of texts."""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column. `value` gives what a record has there; None is null."""

    name: str
    type: ColumnType
    meaning: str
    value: Callable[[Record], Any]
    is_nullable: bool = False


def _of_answer(name: str, type_: ColumnType, meaning: str, part: Callable[[Suggestion], Any]) -> TableColumn:
    return TableColumn(
        name, type_, meaning, lambda record: part(found) if (found := record.suggestion) else None, is_nullable=True
    )


def _of_verdict(name: str, type_: ColumnType, meaning: str, part: Callable[[Verdict], Any]) -> TableColumn:
    return TableColumn(
        name, type_, meaning, lambda record: part(found) if (found := record.verdict) else None, is_nullable=True
    )


COLUMNS: Sequence[TableColumn] = (
    TableColumn("moment", "text", "Id of the moment; the same in every run of one policy on one tape.", lambda one: one.moment.id),
    TableColumn("tape", "text", "Id of the tape; of a benchmark its name.", lambda one: one.moment.tape),
    TableColumn("event", "int", "Index of the tape's event before which the moment lies, from 0.", lambda one: one.moment.event),
    TableColumn("path", "text", "Path of the document.", lambda one: one.moment.path),
    TableColumn("language", "text", "Language of the document, as editors name it.", lambda one: one.moment.language),
    TableColumn("offset", "int", "Place of the cursor in the document, in UTF-16 code units from 0.", lambda one: one.moment.offset),
    TableColumn("line", "int", "Line of the cursor, from 0 (LSP).", lambda one: one.moment.line),
    TableColumn("character", "int", "Character of the cursor in its line, in UTF-16 code units from 0 (LSP).", lambda one: one.moment.character),
    TableColumn("t_ms", "float", "Virtual time of the moment, in ms since the start of the tape.", lambda one: float(one.moment.t)),
    TableColumn("stop", "text", "What is wanted: any, auto, line, statement or block.", lambda one: one.moment.stop),
    TableColumn("kind", "text", "Kind of block (policy `blocks`), or category of the task; empty elsewhere.", lambda one: one.moment.kind),
    TableColumn("scenario", "text", "full or inner (policy `blocks`), or what is asked of a block (docs/codev.md); empty elsewhere.", lambda one: one.moment.scenario),
    TableColumn("sample", "int", "Index of the answer at its moment, from 0.", lambda one: one.moment.sample),
    TableColumn("program", "text", "Program that a task is a gap of; empty where its document is the program.", lambda one: one.moment.program),
    TableColumn("function", "text", "Outermost function around the hole, as `path:line` (from 1); empty outside of functions.", lambda one: one.moment.function),
    TableColumn("cluster", "text", "The hole that the moment is about: moments of the same one are not independent.", lambda one: cluster_of(one.moment).replace("\0", " ")),
    TableColumn("truth", "text", "What the finished project has at this place.", lambda one: one.moment.truth),
    TableColumn("truth_length", "text", "Class of the length of the truth in characters: 1-5, 6-20, 21-80, over 80.", length_class),
    TableColumn("ending", "text", "How the moment ended in the editor.", lambda one: one.ending.name),
    TableColumn("ending_reason", "text", "Why: the gate, the failure, the repair step; empty without one.", lambda one: one.ending.reason),
    TableColumn("outcome", "text", "What the tests said: passed, failed, untestable, untested.", outcome),
    _of_answer("provider", "text", "Where the answer comes from.", lambda one: one.provider),
    _of_answer("suggestion", "text", "The text that was offered, after the repairs.", lambda one: one.text),
    _of_answer("start", "int", "Begin of the range that it replaces, in UTF-16 code units.", lambda one: one.start),
    _of_answer("end", "int", "End of that range, in UTF-16 code units.", lambda one: one.end),
    _of_answer("raw", "text", "The text before the repairs.", lambda one: one.raw),
    _of_answer("prompt", "text", "What the provider was asked.", lambda one: one.prompt),
    _of_answer("cache", "text", "Whether it came from the server's cache: none, or how.", lambda one: one.cache),
    _of_answer("latency_ms", "float", "Latency of the answer, in ms of virtual time.", lambda one: float(one.latency)),
    TableColumn("first_token_ms", "float", "Ms from the question to the first piece of a streamed answer; null where it is not known.", lambda one: one.suggestion.first_token if one.suggestion else None, is_nullable=True),
    TableColumn("prompt_tokens", "int", "Tokens of the prompt, as the provider told them; null where it did not.", lambda one: one.suggestion.prompt_tokens if one.suggestion else None, is_nullable=True),
    TableColumn("answer_tokens", "int", "Tokens of the answer, as the provider told them; null where it did not.", lambda one: one.suggestion.tokens if one.suggestion else None, is_nullable=True),
    TableColumn("finish", "text", "Why the model stopped writing: stop, length, refusal, content-filter, other; null where it is not known.", lambda one: one.suggestion.finish if one.suggestion else None, is_nullable=True),
    _of_answer("repairs", "texts", "Names of the repairs that changed the text, in their order.", lambda one: [step.step for step in one.trail if not step.undone]),
    TableColumn("keys", "int", "Keys for accepting, if the suggestion was accepted.", lambda one: one.keys),
    TableColumn("edits_saved", "int", "Edits made by hand that the accepted suggestion made unnecessary.", lambda one: len(one.covered)),
    _of_verdict("verdict", "text", "The verdict of the tests; null without one.", lambda one: one.name),
    _of_verdict("verdict_reason", "text", "Why a moment is untestable; empty elsewhere.", lambda one: one.reason),
    _of_verdict("verdict_fixed", "text", "The verdict in the hole that is the same for every suggestion (by which runs are compared).", lambda one: one.fixed or one.name),
    TableColumn("tests_passed", "int", "Tests that passed on the graft; null where they were not counted.", lambda one: one.verdict.passed if one.verdict else None, is_nullable=True),
    TableColumn("tests_failed", "int", "Tests that failed on the graft; null where they were not counted.", lambda one: one.verdict.failed if one.verdict else None, is_nullable=True),
    _of_verdict("tests_ms", "float", "Duration of the tests, in ms of wall time.", lambda one: float(one.wall_ms)),
    _of_verdict("message", "text", "What the tests say of a failure.", lambda one: one.message),
    _of_verdict("log", "text", "Log of the tests.", lambda one: one.log),
    TableColumn("hole_start", "int", "Begin of the hole in the finished document, in UTF-16 code units; null without a hole.", lambda one: one.verdict.hole[0] if one.verdict and one.verdict.hole else None, is_nullable=True),
    TableColumn("hole_end", "int", "End of that hole; null without one.", lambda one: one.verdict.hole[1] if one.verdict and one.verdict.hole else None, is_nullable=True),
)  # fmt: skip


def row_of_record(record: Record) -> dict[str, Any]:
    """Return what each column has of a record, by the names of the columns and in their order."""
    return {column.name: column.value(record) for column in COLUMNS}


def schema_table() -> str:
    """Return the columns as a table in Markdown, for the docs."""
    lines = [f"| `{one.name}` | {one.type} | {'yes' if one.is_nullable else ''} | {one.meaning} |" for one in COLUMNS]
    return "\n".join(["| column | type | null | meaning |", "| --- | --- | --- | --- |", *lines, ""])
