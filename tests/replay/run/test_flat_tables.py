"""Exported tables are read back by pandas and DuckDB with the types, nulls and texts of the records."""

import json
import math

import duckdb
import pandas as pd
import pytest

from replay.records import Ending, Moment, Record, Suggestion, TrailStep, Verdict
from replay.run.record_tables import BATCH, COLUMNS, FORMATS, row_of_record, schema_table
from syntax.text import length
from tests.support.places import ROOT

BEFORE = "x = '😀'; y = "
TEXT = 'a "quoted",\nline; ünï 😀\r\n'


def moment(event, **fields):
    return Moment(tape="one", event=event, path="a,b.py", language="python", offset=length(BEFORE), line=0, character=length(BEFORE), t=1234.5, truth="return 1", **fields)  # fmt: skip


RECORDS = [
    Record(
        moment=moment(1, kind="if", scenario="full", hole="a,b.py:9"),
        ending=Ending("accepted"),
        suggestion=Suggestion(
            text=TEXT,
            start=14,
            end=16,
            latency=80.25,
            raw="",
            prompt="",
            provider="gguf",
            first_token=7.5,
            trail=(TrailStep("prose", "a", "b"), TrailStep("stop", "b", "c", undone=True)),
        ),
        verdict=Verdict(name="failed", passed=3, failed=1, wall_ms=12.5, log=TEXT, hole=(4, 9), fixed="passed"),
        covered=(1, 2, 3),
        keys=2,
    ),
    Record(moment=moment(2), ending=Ending("gated", "mid-word")),
    Record(
        moment=moment(3),
        ending=Ending("empty"),
        suggestion=Suggestion(text="", start=14, end=14, latency=3.0),
        verdict=Verdict(name="untestable", reason="undetected"),
    ),
]


@pytest.fixture
def written(tmp_path):
    def write(form, records=RECORDS):
        path = tmp_path / f"records.{form}"
        with path.open("wb") as file:
            assert FORMATS[form](iter(records), file) == len(records)
        return path

    return write


def queried(path, form, columns="*"):
    source = {
        "csv": f"read_csv('{path}', allow_quoted_nulls=false)",
        "parquet": f"read_parquet('{path}')",
        "jsonl": f"read_json('{path}', format='newline_delimited')",
    }[form]
    found = duckdb.sql(f"SELECT {columns} FROM {source} ORDER BY event")
    return found.columns, [str(type_) for type_ in found.types], found.fetchall()


@pytest.mark.parametrize("form", FORMATS)
def test_duckdb_reads_each_value_and_each_null_back(written, form):
    names, _, rows = queried(written(form), form)
    assert names == [column.name for column in COLUMNS]
    for record, row in zip(RECORDS, rows, strict=True):
        for (name, wanted), got in zip(row_of_record(record).items(), row, strict=True):
            is_array = form == "csv" and isinstance(wanted, list)
            assert (json.loads(got) if is_array else got) == wanted, name
            assert (got is None) == (wanted is None), name


def test_parquet_has_the_types_of_the_schema_and_says_what_columns_mean(written):
    from pyarrow import parquet

    path = written("parquet")
    kinds = {"text": "VARCHAR", "int": "BIGINT", "float": "DOUBLE", "texts": "VARCHAR[]"}
    _, types, _ = queried(path, "parquet")
    assert types == [kinds[column.type] for column in COLUMNS]
    for field, column in zip(parquet.read_schema(path), COLUMNS, strict=True):
        assert field.nullable == column.is_nullable
        assert field.metadata[b"description"].decode() == column.meaning


@pytest.mark.parametrize("form", FORMATS)
def test_pandas_reads_the_same_table(written, form):
    path = written(form)
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet, "jsonl": lambda path: pd.read_json(path, lines=True)}
    frame = read[form](path)
    assert list(frame.columns) == [column.name for column in COLUMNS]
    assert list(frame["event"]) == [1, 2, 3]
    assert frame["event"].dtype == "int64"
    assert frame["latency_ms"].dtype == "float64"
    assert frame["latency_ms"][0] == 80.25
    assert math.isnan(frame["latency_ms"][1])
    assert frame["t_ms"][0] == 1234.5
    assert frame["suggestion"][0] == TEXT
    assert list(frame["outcome"]) == ["failed", "untested", "untestable"]
    assert list(frame["verdict_fixed"].isna()) == [False, True, False]


def test_offsets_are_utf_16_code_units(written):
    _, _, ((offset, character),) = queried(written("parquet", RECORDS[:1]), "parquet", '"offset", "character"')
    assert offset == character == len(BEFORE.encode("utf-16-le")) // 2 == len(BEFORE) + 1


def test_a_null_and_an_empty_text_differ_in_csv(written):
    _, _, rows = queried(written("csv"), "csv", "suggestion")
    assert [text for (text,) in rows] == [TEXT, None, ""]


@pytest.mark.parametrize("form", FORMATS)
def test_a_table_without_rows_has_its_columns(written, form):
    path = written(form, [])
    if form == "jsonl":
        assert path.read_bytes() == b""
    else:
        names = (pd.read_csv if form == "csv" else pd.read_parquet)(path).columns
        assert list(names) == [column.name for column in COLUMNS]


def test_more_rows_than_are_held_at_once_are_all_there(written):
    many = [Record(moment=moment(event), ending=Ending("gated")) for event in range(2 * BATCH + 7)]
    path = written("parquet", many)
    ((number, last),) = duckdb.sql(f"SELECT count(*), max(event) FROM read_parquet('{path}')").fetchall()
    assert (number, last) == (len(many), 2 * BATCH + 6)


def test_the_docs_have_the_schema():
    docs = (ROOT / "docs" / "reference" / "records.md").read_text(encoding="utf-8")
    assert schema_table() in docs, "run: make reference"
