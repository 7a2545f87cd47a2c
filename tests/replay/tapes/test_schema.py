"""The published schema, read by a validator that is not ours, against the reader."""

import json
import re

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.importers.tape_check import check
from replay.tapes.tape import Event, Header
from tests.support.places import ROOT
from tools.tape_schema import publish, schema

PUBLISHED = ROOT / "docs/tape.schema.json"
DOCUMENT = {"t": 1, "doc": 0}
HEADER = {
    "tape": 1,
    "id": "x",
    "editor": "e",
    "origin": "recorded",
    "workspace": {"type": "embedded", "files": {}},
    "created": "2026-01-01",
}


@pytest.fixture(scope="module")
def validator():
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    return jsonschema.Draft202012Validator(published)


def is_read(line):
    """Whether the reader takes a value as a header or an event."""
    form = Header if isinstance(line, dict) and "event" not in line else Event
    try:
        msgspec.json.decode(json.dumps(line), type=form)
    except msgspec.ValidationError:
        return False
    return True


def test_the_published_schema_is_that_of_the_reader(tmp_path):
    publish(tmp_path / "now")
    assert PUBLISHED.read_text(encoding="utf-8") == (tmp_path / "now").read_text(encoding="utf-8"), (
        "docs/tape.schema.json is not what tools.tape_schema makes of the types: run `make schema`"
    )


def test_the_schema_says_what_it_is_and_names_no_place_of_its_own():
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert {"title", "description"} <= schema().keys()
    assert "$id" not in json.dumps(schema())
    assert all(part["description"] for part in schema()["$defs"].values())


@pytest.mark.parametrize("name", ["ledger", "router"])
def test_the_lines_of_real_tapes_are_valid(validator, name):
    lines = list(map(json.loads, (ROOT / f"corpora/demo/{name}.tape.jsonl").read_text().splitlines()))
    kinds = {line.get("event"): line for line in lines}  # the last of each kind, and of the rest one in seven
    for line in [*kinds.values(), *lines[::7]]:
        validator.validate(line)


WRONG = [
    [],
    {},
    {"event": "dance", "t": 1},
    {"event": "focus", "t": 1},
    {"event": "focus", "t": "1", "doc": 0},
    {"event": "focus", "t": 1, "doc": "a"},
    {"event": "focus", "t": 1, "doc": 0, "colour": "red"},
    {"event": "edit", **DOCUMENT, "changes": [[0, 0]]},
    {"event": "edit", **DOCUMENT, "changes": [[0, 0, 1]]},
    {"event": "edit", **DOCUMENT, "changes": [[0, 0, "", ""]]},
    {"event": "edit", **DOCUMENT, "changes": [], "reason": "magic"},
    {"event": "select", **DOCUMENT, "ranges": [[-1, 0]]},
    {"event": "ghost", **DOCUMENT, "request": 1, "phase": "seen"},
    {"event": "ghost", **DOCUMENT, "request": 1, "phase": "asked", "trigger": "nobody"},
    {"event": "foreign", "t": 1, "format": "x", "entry": 1, "tells": -1},
    *(
        {"event": "open", **DOCUMENT, "language": "", "text": "", "path": path}
        for path in ("", "/a", "a/../b", "..", "a\\b", "a\0")
    ),
    {**HEADER, "tape": 2},
    {**HEADER, "origin": "found"},
    {**HEADER, "workspace": {"type": "cloud"}},
    {**HEADER, "workspace": {"type": "git", "url": "u"}},
    {**HEADER, "tests": {"toolchain": "abacus", "command": "true"}},
    {**HEADER, "tests": {"toolchain": "none", "command": " "}},
    {**HEADER, "tests": {"toolchain": "none", "command": "true", "timeout_s": 0}},
    {**HEADER, "tests": {"toolchain": "none", "command": "true", "timeout_s": 1e9}},
    {**HEADER, "tests": {"toolchain": "none", "command": "true", "cwd": "/etc"}},
    {**HEADER, "tests": {"toolchain": "none", "command": "true", "cwd": "a/../../b"}},
    {key: value for key, value in HEADER.items() if key != "id"},
]


@pytest.mark.parametrize("line", WRONG, ids=str)
def test_a_wrong_line_is_refused_by_the_schema_and_by_the_reader(validator, line):
    assert not validator.is_valid(line)
    assert not is_read(line)


RIGHT = [
    HEADER,
    {
        **HEADER,
        "origin": "imported:x@1",
        "tests": {"toolchain": "none", "command": "true", "requires": ["a"]},
        "carried": {"a": 1},
    },
    {**HEADER, "workspace": {"type": "git", "url": "u", "commit": "c"}, "tests": None},
    {**HEADER, "workspace": {"type": "folder", "path": "."}},
    {"event": "edit", **DOCUMENT, "changes": [], "reason": None},
    {"event": "foreign", "t": -1.5, "format": "x", "entry": None, "tells": 2},
    {
        "event": "ghost",
        **DOCUMENT,
        "request": -1,
        "phase": "part",
        "offset": 3,
        "text": "x",
        "latency": 0.5,
        "trigger": "invoked",
    },
    {"event": "run", "t": 0, "command": "", "passed": 0, "failed": 0, "exit": -9},
]


@pytest.mark.parametrize("line", RIGHT, ids=str)
def test_a_right_line_is_taken_by_the_schema_and_by_the_reader(validator, line):
    validator.validate(line)
    assert is_read(line)


@given(st.lists(st.sampled_from(["a", "é", "/", ".", "..", "./", "\\", " ", "\0"]), max_size=6).map("".join))
def test_the_schema_and_the_reader_agree_on_paths(path):
    pattern = schema()["$defs"]["Open"]["properties"]["path"]["pattern"]
    line = {"event": "open", **DOCUMENT, "language": "", "text": "", "path": path}
    assert bool(re.search(pattern, path)) == is_read(line)


def test_an_integer_with_a_point_is_valid_and_refused_as_the_schema_says(validator):
    line = {"event": "focus", "t": 1, "doc": 0.0}
    validator.validate(line)
    assert not is_read(line)
    assert "an integer has no decimal point" in schema()["description"]


def test_the_tape_in_the_docs_is_valid_and_has_an_event_of_every_kind(validator, tmp_path):
    text = (ROOT / "docs/tapes.md").read_text(encoding="utf-8")
    shown = "".join(re.findall(r"^```json\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    values = [json.loads(part) for part in re.findall(r"^\{.*?\}$(?=\n\{|\n\Z)", shown, re.DOTALL | re.MULTILINE)]
    for value in values:
        validator.validate(value)
    path = tmp_path / "docs.tape.jsonl"
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    assert set(check(path).kinds) == {kind.__name__.lower() for kind in Event.__args__}
    assert check(path).checkpoints == 1
