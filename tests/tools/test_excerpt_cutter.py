"""What is cut from real data is small, the same each time, and leaves nothing open."""

import json
from random import Random

import pytest

from tests.support.places import EXCERPTS
from tools.excerpt_cutter import beginning, cut, drawn

MOST_BYTES = 2_000_000


def asked(request, kind):
    return {"kind": "event", "data": {"sourceId": "InlineCompletions.fetch", "kind": kind, "requestId": request}}


CHANGED = {"kind": "changed"}
REASON = {"kind": "documentEvent", "data": {"sourceId": "TextModel.setChangeReason"}}
LOG = [CHANGED, asked(1, "start"), asked(2, "start"), asked(1, "end"), asked(2, "end"), CHANGED, REASON, CHANGED]


@pytest.mark.parametrize(("most", "entries"), [(1, 1), (2, 1), (3, 1), (4, 1), (5, 5), (6, 5), (7, 7), (8, 8), (9, 8)])
def test_a_beginning_ends_where_no_request_and_no_reason_is_awaited(most, entries):
    assert beginning(LOG, most) == LOG[:entries]


def test_what_is_drawn_is_short_the_same_for_a_seed_and_in_its_order():
    sizes = {name: 100 - ord(name) % 7 for name in "abcdefghijkl"}
    short = sorted(sizes, key=sizes.get)[:4]
    found = [drawn(sizes, 2, Random(seed)) for seed in range(20)]
    assert found == [drawn(sizes, 2, Random(seed)) for seed in range(20)]
    assert {name for one in found for name in one} == set(short)
    assert all(one == sorted(one) and len(one) == 2 for one in found)


def test_instances_keep_their_answers_and_people_all_their_states(tmp_path):
    source, target = tmp_path / "whole", tmp_path / "cut"
    rows = {
        "recordings/EditSourceTracker.test1.recording.w.json": [{"log": LOG}],
        "recordings/short.json": [{"log": []}],
        "devbench/benchmark/java/api/api.jsonl": [{"id": str(number), "x": "é" * number} for number in range(9)],
        "devbench/completions/java/api/api-ada.jsonl": [{"id": str(number)} for number in range(9)],
        "devbench/LICENSE": [],
        "acceptance/copilot_study.jsonl": [{"user": number % 6, "n": number} for number in range(30)],
    }
    for name, lines in rows.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    cut(source, target)
    assert (target / "recordings/short.json").read_bytes() == (source / "recordings/short.json").read_bytes()
    (begun,) = (target / "recordings").glob("EditSourceTracker*")
    assert json.loads(begun.read_text()) == {"log": LOG}
    assert "test1" not in begun.name
    tasks, answers = (
        [json.loads(line)["id"] for line in (target / name).read_text().splitlines()]
        for name in ("devbench/benchmark/java/api/api.jsonl", "devbench/completions/java/api/api-ada.jsonl")
    )
    assert tasks == answers
    assert len(tasks) == 2
    states = [json.loads(line) for line in (target / "acceptance/copilot_study.jsonl").read_text().splitlines()]
    assert len({state["user"] for state in states}) == 2
    assert len(states) == 2 * 5


def test_the_excerpts_are_small_and_each_folder_has_its_licence():
    files = [path for path in EXCERPTS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    for folder in (path for path in EXCERPTS.iterdir() if path.is_dir()):
        assert (folder / "LICENSE").read_text(encoding="utf-8").strip().startswith("MIT License")
        assert f"`{folder.name}/LICENSE`" in (EXCERPTS / "README.md").read_text(encoding="utf-8")
