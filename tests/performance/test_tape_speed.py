"""How fast tapes of any length are checked, and that their length takes no memory."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from replay.importers.tape_check import check
from replay.tapes.line_files import reading
from replay.tapes.tape import Event

LONG_TAPES = str(Path(__file__).with_name("long_tapes.py"))
MILLION = 1_000_000
MOST_SECONDS, MOST_MB = 30, 300


def apart(*arguments):
    """Run long_tapes.py in a process of its own."""
    argv = [sys.executable, LONG_TAPES, *map(str, arguments)]
    return json.loads(subprocess.run(argv, check=True, capture_output=True, timeout=120).stdout)


def test_a_million_events_are_checked_within_30_s_and_300_mb(tmp_path):
    path = tmp_path / "long.tape.jsonl"
    made, checked = apart("make", path, MILLION), apart("check", path)
    assert checked["events"] == MILLION
    assert checked["changes"] > 700_000
    assert checked["checkpoints"] == 199
    assert checked["seconds"] < MOST_SECONDS
    assert checked["mb"] < MOST_MB
    assert made["mb"] < MOST_MB


@pytest.mark.parametrize("ending", ["tape.jsonl", "tape.jsonl.gz"])
def test_ten_times_the_events_take_no_more_memory(tmp_path, ending):
    short, long = tmp_path / f"short.{ending}", tmp_path / f"long.{ending}"
    made = apart("make", long, 100_000)["mb"] - apart("make", short, 10_000)["mb"]
    checked = apart("check", long)["mb"] - apart("check", short)["mb"]
    assert made < 3
    assert checked < 3


@pytest.mark.parametrize("ending", ["tape.jsonl", "tape.jsonl.gz"])
def test_checking_a_tape_against_decoding_its_lines(measure, tmp_path, ending):
    path, events = tmp_path / f"long.{ending}", 50_000
    apart("make", path, events)

    def decoded():
        decoder = msgspec.json.Decoder(Event)
        with reading(path) as lines:
            for number, line in lines:
                if number > 1:
                    decoder.decode(line)

    checked = measure(lambda: check(path), decoded, per_s=events, rounds=3, bytes=path.stat().st_size)
    assert checked.events == events
