import json

import pytest

from replay.errors import TapeError
from replay.tapes.coding import FORMAT, UPGRADES, upgrade_from
from replay.tapes.tape import Header, read, stream, write
from tests.support.tapes import Typist


def renamed(line):
    """From format 0, in which an edit's changes were called `edits`, and `created` was `date`."""
    line = dict(line)
    for old, new in (("edits", "changes"), ("date", "created")):
        if old in line:
            line[new] = line.pop(old)
    return line


def old_tape(tmp_path, number=0):
    """A tape of format 0, and the tape of today that it stands for."""
    tape = Typist().type("ab").checkpoint().tape()
    path = tmp_path / "x.tape.jsonl"
    write(tape, path)
    lines = [
        line.replace('"changes"', '"edits"').replace('"created"', '"date"') for line in path.read_text().splitlines()
    ]
    path.write_text("\n".join([lines[0].replace('"tape":1', f'"tape":{number}'), *lines[1:]]) + "\n")
    return path, tape


def test_the_formats_that_can_be_read_are_told_by_the_registry_and_the_header():
    assert sorted(UPGRADES) == list(range(FORMAT - len(UPGRADES), FORMAT))
    assert Header.__annotations__["tape"] == f"Literal[{FORMAT}]"


def test_an_older_tape_is_upgraded_line_by_line(tmp_path):
    path, tape = old_tape(tmp_path)
    with stream(path, upgrades={0: renamed}) as old:
        assert old.header == tape.header
        assert tuple(event for _, event in old.events) == tape.events


def test_no_line_is_upgraded_before_it_is_asked_for(tmp_path):
    path, _ = old_tape(tmp_path)
    seen = []
    with stream(path, upgrades={0: lambda line: seen.append(line.get("event")) or renamed(line)}) as old:
        next(old.events)
    assert seen == [None, "open"]


def test_formats_are_passed_through_one_after_the_other():
    steps = {
        number: lambda line, number=number: {**line, "went": [*line.get("went", []), number]} for number in (3, 4, 5)
    }
    assert upgrade_from("x", 3, steps, 6)({"event": "e"}) == {"event": "e", "went": [3, 4, 5]}
    assert upgrade_from("x", 5, steps, 6)({"tape": 5}) == {"tape": 6, "went": [5]}
    assert upgrade_from("x", 6, steps, 6) is None


def test_a_tape_from_the_future_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "x.tape.jsonl"
    path.write_text(json.dumps({"tape": FORMAT + 1, "whatever": "there is by then"}) + "\n")
    with pytest.raises(TapeError, match=rf":1: is a tape of format {FORMAT + 1}, but .* install a newer ghosttape"):
        read(path)


@pytest.mark.parametrize("number", [-1, 0, -(10**15)])
def test_a_tape_that_no_upgrade_reaches_is_refused_with_what_to_do(tmp_path, number):
    path, _ = old_tape(tmp_path, number)
    with pytest.raises(TapeError, match=rf":1: is a tape of format {number}, and this ghosttape reads none before 1"):
        read(path)


def test_a_gap_in_the_chain_counts_from_behind_it():
    with pytest.raises(TapeError, match="format 1, and this ghosttape reads none before 3: use an older"):
        upgrade_from("x", 1, {1: renamed, 3: renamed}, 4)


def failing(line):
    raise KeyError("doc")


@pytest.mark.parametrize(
    ("upgrade", "reason"),
    [
        (failing, "2: cannot be upgraded to the format of today: KeyError"),
        (lambda line: {}, "2: .*missing required field"),
    ],
)
def test_a_line_that_cannot_be_upgraded_is_refused_with_file_and_line(tmp_path, upgrade, reason):
    path, _ = old_tape(tmp_path)
    with stream(path, upgrades={0: lambda line: (renamed if "tape" in line else upgrade)(line)}) as old:
        with pytest.raises(TapeError, match=reason) as refused:
            next(old.events)
        assert refused.value.line == 2
