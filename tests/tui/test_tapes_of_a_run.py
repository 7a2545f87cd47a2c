"""The inspector shows a tape only as the run had it."""

import shutil
from pathlib import Path

import pytest
from msgspec import structs
from textual.widgets import Static, TabbedContent

from replay.judge.retracing import TracedTape
from replay.options import ReplayOptions
from replay.run.sources.tape_shelf import TapeShelf
from replay.run.sources.tape_source import TapeSource
from replay.run.store import Store
from replay.tapes import tape as tapes
from replay.tapes.tape import Folder, Tape, read, write
from tests.support.tapes import Typist
from tui.inspector.app import Inspector

CHANGED = "the tape has changed since the run"


@pytest.fixture
def run(real_run, tmp_path):
    """A copy of the real run, and of its tape."""
    folder = Path(shutil.copytree(real_run, tmp_path / "run"))
    with Store.open(folder) as store:
        ((name, origin),) = store.fact("origins").items()
        copy = tmp_path / "ledger.tape.jsonl"
        copy.write_bytes(Path(origin).read_bytes())
        store.put_fact("origins", {name: str(copy)})
    return folder, copy


async def pages(folder):
    """The text of each page that needs the tape, of the last moment."""
    app, found = Inspector(folder), {}
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("G")
        for key, name in (("2", "hole"), ("4", "graft"), ("7", "time")):
            await pilot.press(key)
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert app.query_one(TabbedContent).active == name
            found[name] = str(app.query_one(f"#{name} Static", Static).content)
    return found


async def test_a_tape_that_is_as_it_was_is_shown(run):
    shown = await pages(run[0])
    assert not any("The tape cannot be read" in text for text in shown.values())
    assert "In order: ms after the question" in shown["time"]


@pytest.mark.parametrize("left", [2, -1])
async def test_a_tape_that_has_changed_is_not_shown(run, left):
    folder, path = run
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:left]))
    for text in (await pages(folder)).values():
        assert f"Without the tape: {CHANGED}" in text


async def test_a_moment_that_is_not_on_its_tape_is_shown_with_the_reason(run):
    folder, _ = run
    with Store.open(folder) as store:
        last = list(store.records())[-1]
        store.put(structs.replace(last, moment=structs.replace(last.moment, path="elsewhere.py", event=10_000_000)))
    shown = await pages(folder)
    assert "Without the tape: the moment is not found on it" in shown["time"]


def test_a_project_in_a_folder_is_part_of_a_tape_that_is_tested(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "b.py").write_text("x = 1\n")
    typed = Typist(name="small").type("x = 1\n").tape()
    tests = tapes.Tests(toolchain="python", command="true")
    header = structs.replace(typed.header, workspace=Folder("project"), tests=tests)
    path = tmp_path / "small.tape.jsonl"
    write(Tape(header, typed.events), path)
    configs = {
        tested: {"tests": tested, "sources": {"small": TapeSource(read(path), ReplayOptions(tests=tested)).digest}}
        for tested in (True, False)
    }
    (tmp_path / "project" / "b.py").write_text("x = 2\n")
    assert TapeShelf({"small": str(path)}, configs[True]).read("small") == CHANGED
    assert isinstance(TapeShelf({"small": str(path)}, configs[False]).read("small"), TracedTape)
