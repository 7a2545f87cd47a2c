"""What a replay leaves out, with the reason: tapes whose tests cannot be trusted, documents, and what no person wrote."""

import tempfile

import msgspec
import pytest
from msgspec import structs

from replay.run.events import LeftOut, Note, SessionBegan
from replay.tapes.tape import Git
from replay.tapes.tape import Tests as ProjectTests
from tests.support.replays import tape
from tests.support.tapes import Typist

FAILING = ProjectTests(toolchain="none", command="echo told why; false")
ODD = "echo >> COUNT; [ $(($(wc -l < COUNT) % 2)) = 1 ]"
"""Passes every other time."""


async def test_only_documents_below_the_given_paths_are_asked_in(replay):
    summary, _, records = await replay(tape("one", path="src/a.py"), tape("two", path="test/a.py"), paths=("src/",))
    assert {record.moment.tape for record in records} == {"one"}
    assert summary["tapes"]["two"]["moments"] == 0


async def test_nothing_is_asked_in_files_of_tests_and_lock_files(replay):
    tapes = [tape("one", path="src/a.py"), tape("two", path="test/a.py"), tape("three", path="yarn.lock")]
    summary, _, records = await replay(*tapes)
    assert {record.moment.tape for record in records} == {"one"}
    assert summary["skipped"] == [
        {"tape": "two", "reason": "test/a.py: tests"},
        {"tape": "three", "reason": "yarn.lock: generated or vendored"},
    ]


@pytest.mark.parametrize("chosen", [{}, {"paths": ("src/",)}])
async def test_nothing_is_asked_in_documents_that_are_excluded_and_that_is_said(replay, chosen):
    tapes = [tape("one", path="src/a.py"), tape("two", path="src/b_pb2.py")]
    summary, _, records = await replay(*tapes, excluded=("*_pb2.py",), **chosen)
    assert {record.moment.tape for record in records} == {"one"}
    assert summary["skipped"] == [{"tape": "two", "reason": "src/b_pb2.py: left out by --exclude"}]


@pytest.mark.parametrize("chosen", [{"include_tests": True}, {"paths": ("src/", "test/")}])
async def test_files_of_tests_are_asked_in_if_one_says_so(replay, chosen):
    summary, _, records = await replay(tape("one", path="src/a.py"), tape("two", path="test/a.py"), **chosen)
    assert {record.moment.tape for record in records} == {"one", "two"}
    assert summary["skipped"] == []


@pytest.mark.parametrize(
    ("tests", "fault", "reason"),
    [
        (FAILING, "broken-baseline", "told why"),
        (ProjectTests(toolchain="none", command="true"), "no witness", "status and summary alone"),
        (None, "no tests", "--test-command"),
    ],
)
async def test_what_is_amiss_with_the_tests_of_a_tape_is_said(tests, fault, reason, replay):
    summary, heard, _ = await replay(tape(tests=tests), tests=True, keep_going=True)
    (found,) = summary["faults"]
    assert (found["tape"], found["fault"]) == ("small", fault)
    assert reason in found["reason"]
    assert f"{fault}: {found['reason']}" in [one.text for one in heard if isinstance(one, Note)]


@pytest.mark.parametrize(
    ("tests", "how"),
    [
        (FAILING, "does not pass in the finished project itself (broken-baseline: told why)"),
        (structs.replace(FAILING, command=ODD), "passes only sometimes in the finished project itself (flaky"),
        (structs.replace(FAILING, setup="echo no network >&2; exit 3"), "exit 3"),
    ],
)
async def test_a_tape_whose_finished_project_fails_is_left_out_before_its_first_moment(replay, tests, how):
    with tempfile.TemporaryDirectory() as folder:  # a path with "pytest" in it would name the runner of the tests
        tests = structs.replace(tests, command=tests.command.replace("COUNT", f"{folder}/count"))
        summary, heard, records = await replay(tape("failing", tests=tests), tape("playable"), tests=True)
    (left_out,) = summary["left_out"]
    assert (left_out["tape"], left_out["why"]) == ("failing", "failed")
    assert how in left_out["reason"], left_out["reason"]
    assert "--requires" in left_out["reason"]
    assert [one.reason for one in heard if isinstance(one, LeftOut)] == [left_out["reason"]]
    assert {record.moment.tape for record in records} == {"playable"}
    assert not any(isinstance(one, SessionBegan) and one.source == "failing" for one in heard)


async def test_what_is_left_out_says_which_command_ran_and_ends_with_its_log(replay):
    options = {"tests_over": {"command": "echo the last words; false"}, "tests": True}
    summary, _, records = await replay(tape(tests=structs.replace(FAILING, cwd=".")), **options)
    said, _, log = summary["left_out"][0]["reason"].partition("\n")
    assert "`echo the last words; false` (flag)" in said
    assert all(flag in said for flag in ("--test-command", "--keep-going"))
    assert "the last words" in log
    assert (records, summary["moments"]) == ([], 0)


async def test_with_keep_going_the_moments_of_a_failing_project_are_asked_and_untestable(replay):
    summary, _, records = await replay(tape(tests=FAILING), tests=True, keep_going=True)
    assert summary["left_out"] == []
    assert {record.verdict.reason for record in records} == {"broken-baseline"}
    again, _, _ = await replay(tape(tests=FAILING), tests=True)
    assert len(again["left_out"]) == 1  # the choice is no part of the configuration: the run goes on without it


async def test_a_tape_whose_tools_are_missing_is_left_out_with_the_reason_and_the_others_play(replay):
    missing = tape("missing", tests=ProjectTests(toolchain="none", command="true", requires=("left-pad",)))
    summary, heard, records = await replay(missing, tape("playable"), tests=True)
    assert [(one["tape"], "left-pad" in one["reason"]) for one in summary["left_out"]] == [("missing", True)]
    assert [one.source for one in heard if isinstance(one, LeftOut)] == ["missing"]
    assert {record.moment.tape for record in records} == {"playable"}
    assert set(summary["tapes"]) == {"playable"}
    assert summary["checkpoints"] == {"matched": 1, "of": 1}


async def test_a_tape_without_tests_is_left_out_for_a_user_who_goes_by_them(replay):
    summary, heard, _ = await replay(tape(), user="tests", tests=True)
    assert [entry["why"] for entry in summary["left_out"]] == ["failed"]
    assert [one.reason for one in heard if isinstance(one, LeftOut)] == [summary["left_out"][0]["reason"]]
    assert "names no tests" in summary["left_out"][0]["reason"]


async def test_a_tape_whose_clone_is_missing_is_left_out_and_the_others_are_played(replay):
    lost = tape("lost")
    header = msgspec.structs.replace(lost.header, workspace=Git("https://example.org/r.git", "c0ffee" * 6))
    summary, _, records = await replay(msgspec.structs.replace(lost, header=header), tape(), tests=True)
    assert [(entry["tape"], entry["why"], entry["project"]) for entry in summary["left_out"]] == [
        ("lost", "lacking", "https://example.org/r.git at c0ffeec0ff")
    ]
    assert {record.moment.tape for record in records} == {"small"}


async def test_what_no_person_wrote_is_left_out_and_counted(replay):
    typist = Typist(tests=None).type("def f(x):\n    ")
    typist.t += 200
    for text in ("if x:", "\n        go(x)", "\n    return", " x + 1", "\n", "\n# then", "\nf(2)"):
        size = len(typist.text)
        typist.edit((size, size, text), reason="type" if text == "\n" else None, gap=20)
    typist.t += 2000
    written = typist.type("\nf(1)\n").tape()
    summary, _, records = await replay(written)
    assert len(records) == 1
    assert summary["no_person"] == summary["tapes"]["small"]["no_person"] == {"edits": 7, "keys": 1, "places": 4}
    assert summary["metrics"]["keystrokes_saved"]["of"] == len("def f(x):\n    ") + len("\nf(1)\n")
    summary, _, records = await replay(written, policy="every", folder="timed")
    assert len(records) == len("def f(x):\n    ") + len("\nf(1)\n")
    assert "gated" not in summary["endings"]
    assert summary["no_person"] == {"edits": 7, "keys": 1, "places": 0}


async def test_a_summary_of_a_persons_own_tape_leaves_nothing_out(replay):
    summary, _, _ = await replay(tape())
    assert "no_person" not in summary
