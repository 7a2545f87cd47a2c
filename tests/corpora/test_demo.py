"""The bundled tapes: what is on them, and that their projects are what they say."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest

from corpora.demo.bundled import DEMO, NAMES, demo_tapes, typed
from replay.play.policies.policy import policy_of
from replay.tapes import tape as tapes
from replay.tapes.tape import verify, walk
from replay.tapes.timeline import Timeline
from tests.support.waiting import PATIENCE_S

TAPES = {name: tapes.read(path) for name, path in zip(NAMES, demo_tapes(), strict=True)}
each = pytest.mark.parametrize("name", NAMES)


def of_kind(name, kind):
    return [event for event in TAPES[name].events if isinstance(event, kind)]


def edits(name, reason):
    return [event for event in of_kind(name, tapes.Edit) if event.reason == reason]


def outcome(tape, texts, folder):
    """How a project does in its own tests: exit status, passed, failed."""
    shutil.copytree(DEMO / tape.header.workspace.path, folder)
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    program, *arguments = tape.header.tests.command.split()
    program = sys.executable if program == "python" else program
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [program, *arguments], cwd=folder, env=alone, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    return done.returncode, _count(done.stdout, "passed", "pass"), _count(done.stdout, "failed", "fail")


def _count(output, pytest_word, node_word):
    found = re.search(rf"(\d+) {pytest_word}|^# {node_word} (\d+)", output, re.MULTILINE)
    return int(found[1] or found[2]) if found else 0


@each
def test_the_tape_is_what_its_script_gives_byte_for_byte(name, tmp_path):
    tapes.write(typed(name), tmp_path / "again.tape.jsonl")
    assert (tmp_path / "again.tape.jsonl").read_bytes() == (DEMO / f"{name}.tape.jsonl").read_bytes()


@each
def test_the_tape_is_small_and_clearly_synthesised(name):
    tape = TAPES[name]
    assert (DEMO / f"{name}.tape.jsonl").stat().st_size < 400_000
    assert tape.header.origin == "synthesised"
    assert tape.header.workspace == tapes.Folder(name)
    assert 1_500 <= len(tape.events) <= 3_000


@each
def test_documents_that_exist_before_the_tape_are_those_of_the_folder(name):
    for event in of_kind(name, tapes.Open):
        file = DEMO / name / event.path
        assert event.text.encode() == (file.read_bytes() if file.exists() else b"")


@each
def test_where_a_run_fails_the_project_really_failed_like_that(name, tmp_path):
    tape = TAPES[name]
    runs = [(event, documents.finished()) for _, event, documents in walk(tape) if isinstance(event, tapes.Run)]
    [(run, texts)] = [(event, texts) for event, texts in runs if event.exit]
    assert outcome(tape, texts, tmp_path / "then") == (run.exit, run.passed, run.failed)


@each
def test_the_finished_project_passes_its_own_tests(name, tmp_path):
    run = of_kind(name, tapes.Run)[-1]
    finished = verify(TAPES[name]).finished()
    assert outcome(TAPES[name], finished, tmp_path / "finished") == (0, run.passed, run.failed)
    assert run.failed == 0


@each
def test_the_project_before_the_feature_passes_its_own_tests_too(name, tmp_path):
    assert outcome(TAPES[name], {}, tmp_path / "before")[0] == 0


@each
def test_it_is_typed_with_pauses_and_typos_are_mended(name):
    keys = edits(name, "type")
    assert len(keys) > 1_000
    gaps = [later.t - earlier.t for earlier, later in pairwise(keys)]
    assert sum(gap > 2_000 for gap in gaps) > 10
    assert len(edits(name, "delete")) >= 10


@each
def test_the_cursor_jumps_within_and_between_documents(name):
    assert len({event.doc for event in of_kind(name, tapes.Focus)}) >= 5
    selections = [event for event in of_kind(name, tapes.Select) if event.ranges[0][0] != event.ranges[0][1]]
    assert selections


@each
def test_something_is_pasted_undone_saved_and_closed(name):
    assert any(len(change[2]) > 300 for edit in edits(name, "paste") for change in edit.changes)
    assert len(edits(name, "undo")) == 1
    assert len(of_kind(name, tapes.Save)) >= 5
    assert len(of_kind(name, tapes.Close)) == 1


@each
def test_a_symbol_is_renamed_across_files_in_one_go(name):
    renames = edits(name, None)
    assert len({edit.doc for edit in renames}) >= 2
    assert any(len(edit.changes) > 1 for edit in renames)


@each
def test_a_run_fails_and_a_later_one_passes(name):
    statuses = [run.exit for run in of_kind(name, tapes.Run)]
    assert 1 in statuses
    assert statuses[-1] == 0


@each
def test_brackets_close_by_themselves_and_are_written_over(name):
    typed_texts = Counter(change[2] for edit in edits(name, "type") for change in edit.changes)
    assert typed_texts["()"] >= 3
    over = [
        edit for edit in edits(name, "type") if edit.changes[0][2] == ")" and edit.changes[0][1] > edit.changes[0][0]
    ]
    assert over


@each
def test_one_document_has_windows_line_ends_and_is_typed_in(name):
    opened = {event.doc: event.text for event in of_kind(name, tapes.Open)}
    windows = {doc for doc, text in opened.items() if "\r\n" in text}
    assert len(windows) == 1
    assert any("\r\n" in change[2] for edit in edits(name, "type") if edit.doc in windows for change in edit.changes)
    final = verify(TAPES[name]).texts
    assert all(not re.search(r"(?<!\r)\n", final[doc]) for doc in windows)


@each
def test_one_document_holds_characters_of_two_code_units_before_what_is_typed(name):
    wide = 0
    for _, event, documents in walk(TAPES[name]):
        if isinstance(event, tapes.Edit) and event.reason == "type":
            text = documents.texts[event.doc].encode("utf-16-le")[: 2 * event.changes[0][0]].decode("utf-16-le")
            wide += any(letter > "\uffff" for letter in text)
    assert wide > 50


@each
def test_every_open_document_has_a_checkpoint_at_the_end(name):
    tape = TAPES[name]
    assert {event.doc for event in of_kind(name, tapes.State)} == verify(tape).shown
    assert isinstance(tape.events[-1], tapes.State)


def test_the_blocks_policy_finds_thirty_one_places_at_which_things_of_all_kinds_begin():
    places = [place for tape in TAPES.values() for place in policy_of("blocks").places(Timeline(tape))]
    assert len(places) == 31
    assert sum(len(place.within) for place in places) == 19
    assert {place.kind for place in places} == {"function", "if", "for", "while", "try", "statement"}
    assert {place.scenario for place in places} == {"full", "inner"}
    assert not any("test" in place.path for place in places)
