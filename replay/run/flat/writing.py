"""A table of records as CSV, Parquet or JSON Lines (`columns.py` is its schema), written a few rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import IO, Any

import msgspec

from replay.records import Record
from replay.run.flat.columns import COLUMNS, row_of_record

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
