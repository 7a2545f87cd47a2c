"""What the editor gave up is asked again apart from the session, and changes nothing of it."""

import msgspec
import pytest
from msgspec import structs

from replay.editor.command import server_command
from replay.errors import ServerError
from replay.run.store import Store
from replay.tapes.tape import Tests as ProjectTests
from tests.support.replays import options_of, run
from tests.support.tapes import Typist

HEAD, BODY = "def f(x):\n    ", "return x + 1"
TESTS = ProjectTests(toolchain="none", command="grep -q 'return x + 1' a.py")
FIXED = {"provider": {"name": "fixed", "text": BODY}, "cache": {"entries": 0}}


def tape():
    """The body is typed with a second of thought before it and after its first word; elsewhere the keys are 100 ms apart."""
    typist = Typist(tests=TESTS).type(HEAD)
    typist.t += 900
    typist.type("return ")
    typist.t += 900
    return typist.type("x + 1\n").tape()


async def played(folder, server=server_command, **options):
    """Replay the tape into a folder: the summary, and the records by their moments."""
    known = {"settings": FIXED, "policy": "vscode", "latency": "fixed:120", "sandbox": "none"}
    chosen = options_of(**{**known, **options})
    summary = await run([tape()], folder, chosen, cache=folder.with_name("cache"), server=server)
    with Store.open(folder) as store:
        return summary, {record.moment.id: record for record in store.records()}


@pytest.fixture(scope="module")
def replay(tmp_path_factory):
    """A function that replays the tape with some options, once for all tests here."""
    place, found = tmp_path_factory.mktemp("missed"), {}

    async def replay(**options):
        key = repr(sorted(options.items()))
        if key not in found:
            found[key] = await played(place / f"run-{len(found)}", **options)
        return found[key]

    return replay


def as_ended(record):
    """A record without what was found out after the session, and without the time that its tests took."""
    verdict = record.verdict and structs.replace(record.verdict, wall_ms=0.0)
    return structs.replace(record, missed=None, verdict=verdict, moment=structs.replace(record.moment, truth=""))


async def test_the_answer_and_the_verdict_are_those_of_a_model_that_is_quick_enough(replay):
    slow, late = await replay()
    quick, known = await replay(latency="fixed:0")
    given_up = [moment for moment, record in late.items() if record.missed]
    assert len(given_up) == slow["endings"]["superseded"] > 10
    for moment in given_up:
        missed, shown = late[moment].missed, known[moment]
        assert missed.suggestion.text == shown.suggestion.text
        assert missed.verdict.name == shown.verdict.name
    in_time, passed = slow["metrics"]["passed_in_time"], quick["metrics"]["pass_at_1"]
    assert in_time["n"] == passed["n"] > slow["metrics"]["pass_at_1"]["n"]
    assert in_time["value"] * in_time["n"] + in_time["too_late"] == pytest.approx(passed["value"] * passed["n"])
    assert (in_time["unanswered"], quick["metrics"]["passed_in_time"]["too_late"]) == (0, 0)


@pytest.mark.parametrize("settings", [{}, {"settings": {**FIXED, "cache": {}}}], ids=["no cache", "cache"])
async def test_nothing_of_the_session_changes_by_it(settings, replay):
    asked, with_it = await replay(**settings)
    _, without = await replay(**settings, ask_missed=False)
    assert any(record.missed for record in with_it.values())
    assert not any(record.missed for record in without.values())
    assert [*map(as_ended, with_it.values())] == [*map(as_ended, without.values())]
    assert asked["metrics"]["passed_in_time"]["unanswered"] == 0


async def test_what_is_not_asked_again_is_counted_as_unanswered(replay):
    summary, _ = await replay(ask_missed=False)
    in_time = summary["metrics"]["passed_in_time"]
    assert in_time["unanswered"] == summary["endings"]["superseded"] > 10
    assert in_time["n"] == summary["metrics"]["pass_at_1"]["n"]


async def test_an_answer_that_came_and_was_not_shown_is_judged_without_asking(replay):
    """Copilot's requests go on when the text changes, so that their answers are known."""
    summary, records = await replay(policy="copilot:min_prompt=0", ask_missed=False)
    given_up = [record for record in records.values() if record.ending.name == "superseded"]
    assert given_up
    assert {record.missed.suggestion for record in given_up} == {record.suggestion for record in given_up}
    assert summary["metrics"]["passed_in_time"]["unanswered"] == 0


async def test_drive_mode_and_moments_without_tests_are_left_alone(replay):
    for options in ({"mode": "drive"}, {"tests": False}):
        _, records = await replay(**options)
        assert not any(record.missed for record in records.values())


async def test_a_run_that_is_continued_asks_for_no_missed_answer_twice(tmp_path):
    first, records = await played(tmp_path / "run")
    started = []

    def server():
        started.append(True)
        return server_command()

    again, same = await played(tmp_path / "run", server)
    assert (msgspec.to_builtins(same), again) == (msgspec.to_builtins(records), first)
    assert len(started) == 1


async def test_a_server_that_dies_while_missed_answers_are_asked_ends_the_run_with_its_words(tmp_path):
    started = []

    def server():
        started.append(True)
        return server_command() if len(started) == 1 else ["false"]

    with pytest.raises(ServerError):
        await played(tmp_path / "run", server)


@pytest.mark.parametrize(
    ("provider", "asks"),
    [({"name": "gguf"}, True), ({"name": "ngram"}, True), ({"name": "openai"}, False), ({"name": "lsp"}, False)],
)
def test_what_may_cost_money_is_only_asked_again_if_it_is_said(provider, asks):
    assert options_of(settings={"provider": provider}).asks_missed is asks
    assert options_of(settings={"provider": provider}, ask_missed=True).asks_missed
    record = {"record": {"path": "answers.jsonl", "mode": "require"}}
    assert options_of(settings={"provider": {**provider, **record}}).asks_missed
