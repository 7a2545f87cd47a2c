"""Whole replays of small tapes: the real server, the store, what the listener hears."""

import json
import sys
import time
from types import SimpleNamespace

import pytest

from replay.errors import ReplayError, ServerError, StoreError
from replay.play.latency import LatencyError
from replay.play.playback import Playback
from replay.play.users.user import UnknownUserError
from replay.run.events import Ended, Judged, Note, Played, RunBegan, SessionBegan
from replay.run.store import Store
from replay.tapes.tape import Tests as ProjectTests
from server.errors import ServerRoomError
from tests.support.places import ROOT
from tests.support.replays import BODY, FIXED, HEAD, options_of, run, tape
from tests.support.tapes import Typist


async def test_a_tape_plays_through_the_real_server_into_the_store(replay):
    summary, heard, records = await replay(tape())
    offered = {(record.moment.stop, record.moment.before): record for record in records}
    full = offered["block", HEAD]
    assert (full.suggestion.text, full.suggestion.provider, full.ending.name) == (BODY, "fixed", "accepted")
    assert full.moment.truth == BODY
    assert len(full.covered) == len(BODY)
    assert summary["moments"] == len(records) == sum(isinstance(one, Ended) for one in heard)
    assert summary["checkpoints"] == {"matched": 1, "of": 1}
    assert summary["left_out"] == []
    saved = summary["metrics"]["keystrokes_saved"]
    assert (saved["value"], saved["of"]) == (len(BODY) - 1, len(f"{HEAD}{BODY}\n"))


async def test_without_tests_there_are_no_verdicts_and_none_is_waited_for(replay):
    summary, heard, records = await replay(tape(tests=ProjectTests(toolchain="none", command="true")))
    assert {record.verdict for record in records} == {None}
    assert summary["metrics"]["pass_at_1"]["n"] == 0
    assert not any(isinstance(one, Judged) or (isinstance(one, Ended) and one.awaits_verdict) for one in heard)


async def test_with_tests_every_answer_gets_its_verdict(replay):
    tests = ProjectTests(toolchain="none", command="grep -q 'return x + 1' a.py")
    summary, heard, records = await replay(tape(tests=tests), tests=True)
    assert {record.verdict.name for record in records} == {"passed"}
    assert len([one for one in heard if isinstance(one, Judged)]) == len(records) == summary["moments"]
    assert summary["metrics"]["pass_at_1"]["value"] == 1.0


async def test_what_is_judged_is_checked_against_chosen_instructions(replay):
    seen = []

    def adherence(language, before, after):
        seen.append((language, before, after))
        return {"say-it": "followed" if BODY in after else "broken"}

    tests = ProjectTests(toolchain="none", command="grep -q 'return x + 1' a.py")
    summary, _, records = await replay(tape(tests=tests), tests=True, adherence=adherence, instructions=("say-it",))
    assert {record.verdict.instructions["say-it"] for record in records} == {"followed"}
    assert {language for language, _, _ in seen} == {"python"}
    assert all(BODY not in before and BODY in after for _, before, after in seen)
    found = summary["instructions"]["by_id"]["say-it"]
    assert (found["adherence"]["value"], found["follows_and_passes"]["value"], found["follows_and_fails"]) == (1, 1, 0)
    assert summary["instructions"]["suggestions"] == len(records)


async def test_the_listener_hears_how_far_the_tape_is_up_to_its_end(replay):
    played = tape()
    _, heard, _ = await replay(played)
    steps = [one for one in heard if isinstance(one, Played)]
    assert [one.done for one in steps] == sorted(one.done for one in steps)
    assert steps[-1] == Played("small", len(played.events), len(played.events))
    assert any(isinstance(one, Note) for one in heard)


@pytest.mark.parametrize("options", [{}, {"limit": 1}, {"samples": 2}, {"paths": ("src/",)}, {"policy": "pause:50"}])
async def test_a_session_says_beforehand_how_many_moments_it_will_have(replay, options):
    tapes = [tape("one", path="src/a.py"), tape("two", path="lib/a.py"), tape("three", path="tests/test_a.py")]
    summary, heard, _ = await replay(*tapes, **options)
    planned = [(one.source, one.moments) for one in heard if isinstance(one, SessionBegan)]
    if "policy" in options:
        assert {moments for _, moments in planned} == {None}
        return
    found = {name: sum(moments for source, moments in planned if source == name) for name in summary["tapes"]}
    assert found == {name: one["moments"] for name, one in summary["tapes"].items()}
    (began,) = (one for one in heard if isinstance(one, RunBegan))
    assert began.sizes == {one.header.id: len(one.events) for one in tapes}


async def test_what_an_agent_wrote_counts_as_no_key_of_the_persons(replay):
    typist = Typist().type("x = 1\n").edit((6, 6, "y = 2\n"), reason="agent").edit((0, 1, "z"), reason="paste")
    summary, _, _ = await replay(typist.tape())
    assert summary["metrics"]["keystrokes_saved"]["of"] == 6


async def test_a_limit_ends_the_asking_on_each_tape(replay):
    summary, _, _ = await replay(tape("one"), tape("two"), limit=1)
    assert [summary["tapes"][name]["moments"] for name in ("one", "two")] == [1, 1]


async def test_the_summary_says_where_the_tests_come_from(replay):
    tests = ProjectTests(toolchain="none", command="false")
    options = {"project_tests": {"command": "true"}, "sandbox": "auto"}
    summary, _, _ = await replay(tape(tests=tests), tests=True, **options)
    assert summary["tests_from"] == {"small": {"toolchain": "tape", "command": "ghosttape.toml"}}
    untested, _, _ = await replay(tape(tests=tests), folder="untested", **options)
    assert "tests_from" not in untested


async def test_moments_that_the_provider_refuses_end_as_failed_and_the_tape_goes_on(replay, tmp_path):
    empty = tmp_path / "answers.jsonl"
    empty.write_text("")
    provider = {"name": "recorded", "answers": str(empty), "required": True}
    summary, _, records = await replay(tape(), policy="every", settings={"provider": provider})
    assert len(records) > 1
    assert {record.ending.name for record in records} == {"failed"}
    assert {record.suggestion for record in records} == {None}
    assert summary["checkpoints"] == {"matched": 1, "of": 1}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"user": "nobody"}, UnknownUserError),
        ({"latency": "soon"}, LatencyError),
        ({"settings": {"provider": {"name": "crystal-ball"}}}, ServerRoomError),
    ],
)
async def test_what_cannot_work_is_refused_before_anything_runs(replay, tmp_path, options, error):
    broken = tape(tests=ProjectTests(toolchain="none", command="true", setup="touch never"))
    with pytest.raises(error):
        await replay(broken, tests=True, **options)
    assert not (tmp_path / "run").exists(), "the corrected command can have the same folder"


@pytest.fixture
def other_server(tmp_path):
    """A function that tells how to start a server of the standard library in the place of ours."""

    def stand_in(plan):
        script = str(ROOT / "tests/support/stdio_server.py")
        argv = [sys.executable, script, json.dumps(plan), str(tmp_path / "log")]
        return lambda: argv

    return stand_in


async def test_a_server_whose_document_differs_from_a_checkpoint_ends_the_replay_with_its_name(replay, other_server):
    server = other_server({"ghosttape/state": {"result": {"version": 9, "sha256": "0" * 64}}})
    with pytest.raises(ServerError, match=r"the server's document a\.py differs from the checkpoint \(version 9\)"):
        await replay(tape(), server=server)


async def test_a_server_that_dies_ends_the_replay_with_its_last_words(replay, other_server):
    server = other_server({"textDocument/inlineCompletion": {"stderr": "out of memory\n", "die": 3}})
    with pytest.raises(ServerError, match="status 3; its last words:\nout of memory"):
        await replay(tape(), server=server)


async def test_any_server_with_inline_completion_can_be_replayed(replay, other_server):
    server = other_server({"textDocument/inlineCompletion": {"result": [{"insertText": BODY}]}})
    summary, _, records = await replay(tape(), server=server)
    assert summary["endings"].get("accepted", 0) >= 1
    assert {record.suggestion.text for record in records} == {BODY}
    assert summary["checkpoints"] == {"matched": 1, "of": 1}


async def test_a_driven_session_saves_keys_and_ends_as_recorded_in_the_server_too(replay):
    summary, _, _ = await replay(tape(), mode="drive")
    keys = len(f"{HEAD}{BODY}\n")
    assert summary["effort"]["accepts"] == 1
    assert summary["metrics"]["keystrokes_saved"]["value"] == len(BODY) - 1
    assert summary["metrics"]["keystrokes_saved"]["of"] == keys == summary["effort"]["tape"]
    assert summary["checkpoints"]["matched"] == summary["checkpoints"]["of"] == 2


async def test_the_oracle_is_told_what_to_say_also_behind_what_was_accepted(replay):
    typed = Typist(gap=500).type("x = 1 + 1\ny = 2 + 2\n").tape()
    settings = {"provider": {"name": "oracle"}}
    summary, _, records = await replay(typed, mode="drive", policy="vscode", settings=settings)
    offered = [record.suggestion.text for record in records if record.ending.name == "accepted"]
    assert offered == [" = 1 + 1", "\ny = 2 + 2"]
    assert summary["metrics"]["keystrokes_saved"]["value"] == len(" = 1 + 1") + len("\ny = 2 + 2") - 2


async def test_two_replays_with_one_seed_are_equal_whatever_the_speed(replay, tmp_path):
    typed = Typist(gap=100).type("a = 1\nb = 2\n").tape()
    runs = []
    for speed in (None, 20.0):
        options = options_of(settings=FIXED, policy="vscode", latency="lognormal:60,0.8", seed=3, tests=False)
        began, folder = time.monotonic(), tmp_path / f"at-{speed}"
        summary = await run([typed], folder, options, cache=tmp_path / "cache", playback=Playback(speed))
        took = time.monotonic() - began
        with Store.open(folder) as store:
            runs.append((list(store.records()), summary["endings"], took))
    assert runs[0][:2] == runs[1][:2]
    assert {record.ending.name for record in runs[0][0]} >= {"superseded", "rejected"}
    assert runs[1][2] > typed.events[-1].t / 1000 / 20


async def test_a_user_who_goes_by_the_tests_needs_them(replay):
    with pytest.raises(ReplayError, match=r"leave --no-tests out"):
        await replay(tape(), user="tests")


async def test_with_several_samples_each_moment_counts_once(replay):
    tests = ProjectTests(toolchain="none", command="grep -q 'return x + 1' a.py")
    one, _, _ = await replay(tape(tests=tests), tests=True)
    several, _, records = await replay(tape(tests=tests), tests=True, samples=3, folder="several")
    assert len(records) == several["moments"] == 3 * one["moments"]
    assert {record.moment.sample for record in records} == {0, 1, 2}
    for name in ("pass_at_1", "acceptance", "keystrokes_saved", "passed_in_time"):
        assert several["metrics"][name] == one["metrics"][name]
    assert several["metrics"]["pass_at_k"].keys() == {"1", "2", "3"}
    assert several["checkpoints"] == one["checkpoints"]


@pytest.mark.parametrize("options", [{"policy": "vscode"}, {"ablate": "repairs", "tests": True}])
async def test_samples_are_refused_where_moments_do_not_stand_alone_or_are_compared_in_arms(replay, options):
    with pytest.raises(ReplayError, match="--samples"):
        await replay(tape(), samples=2, **options)


async def test_a_run_that_is_continued_has_no_summary_until_it_ends(replay, tmp_path):
    await replay(tape(), cluster_by="tape")
    during = []

    def look(event):
        with Store.open(tmp_path / "run") as store:
            during.append((store.fact("summary"), store.cluster_by))

    again = options_of(settings=FIXED, latency="fixed:0", tests=False, sandbox="none", cluster_by="function")
    await run((tape(),), tmp_path / "run", again, SimpleNamespace(append=look), cache=tmp_path / "cache")
    assert during
    assert {*during} == {(None, "function")}
    with Store.open(tmp_path / "run") as store:
        assert store.fact("summary")["cluster_by"] == "function"


async def test_two_processes_do_not_write_one_run(replay, tmp_path):
    await replay(tape())
    other = Store.open(tmp_path / "run")
    other.lock()
    with pytest.raises(StoreError, match="another process"):
        await replay(tape())
    other.close()
    await replay(tape())


async def test_a_place_has_the_truth_of_the_block_and_that_of_its_first_statement(replay):
    _, _, records = await replay(Typist().type("def f(x):\n    y = x + 1\n    return y\n").tape())
    first = next(record.moment for record in records if record.moment.line == 1)
    assert (first.kind, first.truth) == ("function", "y = x + 1\n    return y")
    assert [(part.kind, part.truth) for part in first.within] == [("statement", "y = x + 1")]


async def test_a_place_that_was_rewritten_is_explained_in_the_summary(replay):
    typist = Typist(tests=ProjectTests(toolchain="none", command="true")).type("def f(x):\n    return x\n")
    changed = typist.edit((4, 5, "g"), reason="paste").tape()
    summary, _, (record,) = await replay(changed, tests=True)
    assert (record.verdict.reason, record.verdict.rewriting.cause) == ("rewritten", "before")
    assert summary["rewritten"] == [
        {
            "tape": "small",
            "moment": record.moment.id,
            "place": "a.py:2:5",
            "cause": "before",
            "then": "def f(x):\n    ",
            "now": "def g(x):\n    ",
        }
    ]
