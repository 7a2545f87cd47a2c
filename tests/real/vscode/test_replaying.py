"""*Replay a Tape…* under a person's hands: a session that was recorded in the editor ends there as on the command line, and its results open."""

import json
import subprocess
import time
from collections import Counter
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from replay.run.store import Store
from replay.tapes import tape as tapes
from tests.support.program import run_in
from tests.support.vscode.model_server import ModelServer
from tests.support.vscode.questions import ask_again
from tests.support.vscode.replays import go_on, order_replay, pause, place
from tests.support.vscode.results_screen import finished, groups, moment, named, pages
from tests.support.vscode.windows import workspace_window

START = '"""A shop."""\n\n\ndef total(prices):\n    '
END = START + "s = sum(prices)\n    return s"
TEST = """import unittest

from shop import total


class TotalTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2, 3]), 6)
"""
WRITTEN = {"s": " = sum(prices)", "r": "aise ValueError", "re": "turn s"}
KEYS = (("s", True), ("\nr", False), ("e", True))
"""What is typed until ghost text is there, and whether that is taken then."""
SLOWER = 5
"""The copy of the recording has so much more time between its events: at the speed at which a replay begins it takes as long as the recording did."""
REST_S = 0.5
STEP_S = 4
"""How long a step of a replay takes at most to be shown, where it can be seen at all; on a machine at rest it is at once."""


def answer(asked):
    return WRITTEN.get(asked["prompt"].rpartition("\n")[2].strip(), "")


def cloned(folder):
    """Make a folder what people work in: a clone with all its files committed, and a remote that is elsewhere."""
    for words in (
        ("init", "-q"),
        ("remote", "add", "origin", "https://example.org/shop.git"),
        ("add", "shop.py", "test_shop.py"),
        ("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "shop"),
    ):
        subprocess.run(["git", "-C", str(folder), *words], check=True, timeout=60)


def recorded(window):
    """Record a session in a clone of a repository: the file of its tape, with how it is tested and its times drawn out."""
    cloned(window.workspace)
    window.record()
    for (text, takes), offered in zip(KEYS, WRITTEN.values(), strict=True):
        window.type(text, gap=REST_S)
        window.until_ghost(offered)
        if takes:
            window.press("Tab", gap=REST_S)
            window.until_ghost("")
    assert window.save() == END
    window.pause()
    tape = tapes.read(window.tapes[-1])
    tests = tapes.Tests("none", "python3 -m unittest")
    assert isinstance(tape.header.workspace, tapes.Git)
    header = replace(tape.header, tests=tests)
    events = tuple(replace(event, t=event.t * SLOWER) for event in tape.events)
    copy = window.workspace / "slow.tape.jsonl"
    tapes.write(tapes.Tape(header, events, tape.source), copy)
    return copy


@pytest.fixture(scope="module")
def replayed(browser, start_editor, tmp_path_factory, need):
    """A window in which a session was recorded and replayed; what it showed meanwhile, and the records of the command line."""
    need("bwrap")
    model, folder = ModelServer(answer), tmp_path_factory.mktemp("replayed")
    window = workspace_window(browser, start_editor(), folder / "shop", model, {"shop.py": START, "test_shop.py": TEST})
    try:
        tape = recorded(window)
        order_replay(window, tape, "recorded", "With the tests of its project")
        watched = watch(window)
        finished(window, "ghosttape replay")
        words = ("--policy", "recorded", "--settings", json.dumps({"provider": model.settings}))
        run_in(folder, "replay", tape, *words, "--project", window.workspace, "--out", folder / "run", "--json")
        with Store.open(folder / "run") as store:
            records = list(store.records())
        yield SimpleNamespace(window=window, model=model, records=records, watched=watched)
    finally:
        window.page.close()
        model.close()


def watch(window):
    """Pause a replay, go one step, to the ends of the next moments, and let it go on; what was seen."""
    pause(window)
    seen = [(place(window), pages(window))]
    time.sleep(1.5)
    seen.append((place(window), pages(window)))
    for title in ("One Step", "To the End of the Next Moment", "To the End of the Next Moment"):
        before = place(window)
        window.command(f"ghosttape: Replay: {title}")
        stands_elsewhere(window, before)
        seen.append((place(window), pages(window)))
    window.type("typed")
    seen.append((place(window), pages(window)))
    go_on(window)
    return seen


def stands_elsewhere(window, before):
    """Wait until the replay has gone on from a place and stands again. One step may lie within the same second: it gets a while."""
    end = time.monotonic() + STEP_S
    while time.monotonic() < end and not (place(window)[1] and place(window)[0] > before[0]):
        time.sleep(0.1)
    window.until(lambda: place(window)[1], "it stands")
    time.sleep(REST_S)


def shown(window, *texts):
    """Wait until each text stands in an editor."""
    window.until(lambda: all(any(text in page for page in pages(window)) for text in texts), f"{texts} in an editor")


def test_a_replay_stands_when_it_is_paused_goes_on_step_by_step_and_cannot_be_changed(replayed):
    paused, later, stepped, first, second, typed = replayed.watched
    assert paused == later
    assert all(stands for (_, stands), _ in replayed.watched)
    assert paused[0] <= stepped[0] <= first[0] < second[0]
    assert any(
        "    s = sum(prices)" in page for page in second[1]
    )  # on a busy machine the pause comes before it is typed
    assert typed == second
    assert replayed.window.on_disk == END


def test_the_endings_and_verdicts_of_a_recorded_session_are_those_of_the_command_line(replayed):
    window, records = replayed.window, replayed.records
    verdicts = Counter((record.ending.name, named(record)) for record in records)
    assert {("accepted", "passed"), ("rejected", "exception")} <= set(verdicts)
    window.until(lambda: groups(window, 2) == verdicts, lambda: f"{verdicts} (there are {groups(window, 2)})")
    endings = Counter(record.ending.name for record in records)
    window.until(lambda: groups(window, 1) == endings, lambda: f"{endings} (there are {groups(window, 1)})")
    for record in records:
        assert moment(window, f"{record.moment.path}:{record.moment.line + 1}:{record.moment.character + 1}").count()


def test_a_moment_of_the_results_opens_as_code_difference_hole_and_log(replayed):
    window, row = replayed.window, moment(replayed.window, "shop.py:6:6").first
    row.click()
    shown(window, "    s = sum(prices)\n    raise ValueError")
    row.get_by_role("button", name="Show Truth and Suggestion").click()
    shown(window, "    return s", "    raise ValueError")
    row.get_by_role("button", name="Show the Hole").click()
    window.page.locator(".monaco-diff-editor").wait_for(state="detached")
    shown(window, "    s = sum(prices)\n    return s")
    row.get_by_role("button", name="Show the Log").click()
    shown(window, "Ending: rejected", "raise ValueError", "Log of the test run")


def test_at_a_moment_another_model_is_asked_again_about_the_text_as_it_stood(replayed):
    window, model = replayed.window, replayed.model
    moment(window, "shop.py:6:7").first.click()
    shown(window, "    return s")
    ask_again(window, "scripted")
    shown(window, "shop.py:6:7", "asked again: openai · scripted", "What would be offered")
    assert model.prompts[-1].endswith("s = sum(prices)\n    re")
