import contextlib
import signal
import sqlite3
import subprocess
import sys
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from replay.errors import StoreError
from replay.options import ReplayOptions
from replay.records import (
    DocumentChange,
    Ending,
    Missed,
    NextEdit,
    Record,
    Rewriting,
    Suggestion,
    TrailStep,
    Verdict,
    Within,
)
from replay.run.storage.database import connect
from replay.run.store import Store
from runners.errors import MachineFails
from server.settings import ProviderSettings, Settings
from tests.support.places import ROOT
from tests.support.tapes import moment_of, record_of

WITHIN = (Within(stop="statement", kind="statement", scenario="full", truth="pass"),)
FULL = Record(
    moment=moment_of(
        3,
        "s = '😀'\r\n",
        "\0x\n",
        stop="block",
        kind="if",
        scenario="inner",
        truth="pass",
        hole="a.py:9",
        function="a.py:1",
        program="4d1e",
        within=WITHIN,
        request=7,
        selected=(3, 4, "item"),
        next_edit=NextEdit(kind="jump", changes=(DocumentChange("b.py", 1, 2, "x"),), until=9, lines=4),
    ),
    ending=Ending("filtered", "prose"),
    suggestion=Suggestion(
        text="pass",
        start=1,
        end=2,
        latency=12.5,
        raw="```pass```",
        prompt="<fim>é",
        provider="fixed",
        cache="typed",
        first_token=12.5,
        finish="length",
        changes=(DocumentChange("b.py", 1, 2, "y"),),
        prompt_tokens=21,
        tokens=4,
        trail=(TrailStep("prose", "```pass```", "pass"), TrailStep("stop", "pass", "", undone=True)),
    ),
    verdict=Verdict(
        name="undefined-name",
        reason="r",
        message="NameError",
        passed=3,
        failed=0,
        log="line\nline",
        wall_ms=9.5,
        cause="network",
        program="import os\n",
        hole=(3, 9),
        part=0.5,
        fixed="assertion",
        alone="passed",
        rewriting=Rewriting(cause="tail", then="a\n", now="b 😀"),
        instructions={"avoid-recursion": "followed"},
    ),
    covered=(4, 5, 7),
    missed=Missed(
        suggestion=Suggestion(text="x", start=1, end=1, latency=1.0, prompt="<fim>è"),
        failed="why",
        verdict=Verdict(name="failed", log="another log"),
    ),
)


@pytest.fixture
def store(tmp_path):
    with Store.create(tmp_path / "run", {"policy": "blocks"}) as store:
        yield store


def reopened(store):
    with Store.open(store.folder) as other:
        return list(other.records())


def test_a_record_comes_back_with_every_field(store):
    assert all(getattr(FULL, field) for field in FULL.__struct_fields__)
    for part in (FULL.moment, FULL.suggestion, FULL.verdict):
        left_out = {name for name in part.__struct_fields__ if getattr(part, name) in ("", None, ())}
        assert not left_out, "a field with its default would come back by chance"
    store.put(FULL)
    assert reopened(store) == [FULL]


def test_a_run_is_continued_only_under_the_configuration_that_it_was_made_with(tmp_path):
    config = {"seed": 3, "limit": None, "settings": {"provider": {"name": "fixed", "heal": None}}}
    for _ in range(2):
        with Store.continued(tmp_path / "run", config) as store:
            store.put(FULL)
    with Store.continued(tmp_path / "run", config) as store:
        assert list(store.records()) == [FULL]
    with pytest.raises(StoreError, match="holds a run of another configuration"):
        Store.continued(tmp_path / "run", {**config, "seed": 4})


def test_a_record_without_suggestion_and_verdict_comes_back_without(store):
    bare = Record(moment=moment_of(1), ending=Ending("debounced"))
    store.put(bare)
    assert reopened(store) == [bare]


def test_records_come_in_the_order_of_tapes_and_events_however_they_were_put(store):
    put = [record_of(event, "shown", tape=tape) for tape in "ba" for event in (10, 2)]
    for record in put:
        store.put(record)
    assert [(record.moment.tape, record.moment.event) for record in store.records()] == [
        ("a", 2),
        ("a", 10),
        ("b", 2),
        ("b", 10),
    ]


def test_a_fact_about_a_path_that_is_not_utf_8_is_kept(store):
    store.put_fact("origins", {"tape": "/tapes/bad\udcff.tape.jsonl"})
    assert store.fact("origins") == {"tape": "/tapes/bad\ufffd.tape.jsonl"}


def test_a_later_record_of_the_same_moment_takes_the_place_of_the_earlier(store):
    store.put(record_of(1, "shown"))
    store.put(record_of(1, "accepted", "passed"))
    assert [(record.ending.name, record.verdict.name) for record in reopened(store)] == [("accepted", "passed")]
    rows = sqlite3.connect(store.folder / "run.sqlite").execute("SELECT ending, verdict FROM records").fetchall()
    assert rows == [("accepted", "passed")]


def test_a_prompt_that_many_records_share_is_kept_once(store):
    for event in range(5):
        suggestion = Suggestion(text=str(event), start=0, end=0, latency=0, prompt="the same" * 1000)
        store.put(Record(moment=moment_of(event), ending=Ending("shown"), suggestion=suggestion))
    rows = sqlite3.connect(store.folder / "run.sqlite").execute("SELECT count(*) FROM texts").fetchall()
    assert rows == [(1,)]
    assert {record.suggestion.prompt for record in reopened(store)} == {"the same" * 1000}


def test_halves_of_surrogate_pairs_become_replacement_characters_and_nothing_else_changes(store):
    half = Record(
        moment=moment_of(1, "a\ud83d", "\ude00b"),
        ending=Ending("shown"),
        suggestion=Suggestion(text="\udfffx", start=0, end=0, latency=0, prompt="p\ud800 😀"),
        verdict=Verdict(name="failed", log="\ud800!"),
    )
    store.put(half)
    (back,) = reopened(store)
    assert (back.moment.before, back.moment.after) == ("a\ufffd", "\ufffdb")
    assert (back.suggestion.text, back.suggestion.prompt, back.verdict.log) == ("\ufffdx", "p\ufffd 😀", "\ufffd!")
    assert back.moment.id == half.moment.id


def test_a_fact_may_be_named_by_half_a_surrogate_pair(store):
    store.put_fact("summary", {"reasons": {"failed(\ud800)": 1}})
    assert store.fact("summary") == {"reasons": {"failed(\ufffd)": 1}}


def test_facts_come_back_and_what_was_never_put_is_none(store):
    store.put_fact("summary", {"moments": 3})
    store.put_fact("summary", {"moments": 4, "value": None})
    assert store.fact("summary") == {"moments": 4, "value": None}
    assert store.fact("other") is None


def test_a_folder_that_holds_a_run_is_refused_and_left_as_it_is(store):
    store.put(FULL)
    with pytest.raises(StoreError, match="holds a run already: choose another --out"):
        Store.create(store.folder, {"policy": "other"})
    assert reopened(store) == [FULL]
    assert store.config == {"policy": "blocks"}


def test_a_folder_without_a_run_cannot_be_opened(tmp_path):
    with pytest.raises(StoreError, match=r"holds no run \(there is no run.sqlite in it\)"):
        Store.open(tmp_path)


def test_a_run_cannot_be_made_below_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file/run cannot be written"):
        Store.create(tmp_path / "file" / "run", {})


def test_a_database_that_is_none_is_refused_by_name(tmp_path):
    (tmp_path / "run.sqlite").write_text("no database at all, but long enough to look like one" * 100)
    with pytest.raises(
        StoreError, match=r"run\.sqlite: file is not a database: the run is damaged: remove .*, or choose another --out"
    ):
        Store.open(tmp_path)


def test_the_configuration_is_kept_as_toml_without_what_is_none(tmp_path):
    options = ReplayOptions(limit=None, paths=("src",))
    with Store.create(tmp_path / "run", options.kept()) as store:
        kept = tomllib.loads((store.folder / "config.toml").read_text())
        assert store.config == kept
    assert "limit" not in kept
    assert "first_s" not in kept["settings"]["provider"]
    assert msgspec.convert(kept, ReplayOptions) == options


def test_another_configuration_is_refused_by_the_names_of_what_differs(tmp_path):
    with Store.continued(tmp_path / "run", ReplayOptions(seed=1).kept()) as store:
        store.put(FULL)
    Store.continued(tmp_path / "run", ReplayOptions(seed=1).kept()).close()
    other = ReplayOptions(seed=2, settings=Settings(provider=ProviderSettings(name="fixed")))
    with pytest.raises(StoreError, match=r"another configuration \(seed, settings\.provider\.name\)"):
        Store.continued(tmp_path / "run", other.kept())


@pytest.mark.parametrize("ending", ["failed", "gated", "superseded", None])
def test_a_run_without_any_answer_begins_anew_under_another_configuration(ending, tmp_path):
    with Store.continued(tmp_path / "run", ReplayOptions(seed=1).kept()) as store:
        if ending:
            store.put(Record(moment=moment_of(1), ending=Ending(ending)))
        store.put_fact("summary", {"moments": 1})
        assert not store.is_answered
    other = ReplayOptions(seed=2)
    with Store.continued(tmp_path / "run", other.kept()) as store:
        assert msgspec.convert(store.config, ReplayOptions) == other
        assert (list(store.records()), store.fact("summary")) == ([], None)
        store.put(FULL)
    with Store.continued(tmp_path / "run", other.kept()) as store:
        assert list(store.records()) == [FULL]


@pytest.fixture
def full_disk(tmp_path):
    """A folder on a file system of its own on which nothing more has room."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], check=False).returncode:
        pytest.skip("this user may not mount a file system")
    with contextlib.suppress(OSError):
        (folder / "others").write_bytes(bytes(1 << 20))
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("left", [0, 8192])
def test_a_run_that_finds_no_room_leaves_nothing_that_blocks_the_same_command(full_disk, left):
    with (full_disk / "others").open("r+b") as others:
        others.truncate((1 << 20) - left)
    with pytest.raises(MachineFails, match="make room there"):
        Store.continued(full_disk / "run", ReplayOptions().kept())
    assert list((full_disk / "run").glob("*")) == []
    (full_disk / "others").unlink()
    with Store.continued(full_disk / "run", ReplayOptions(seed=2).kept()) as store:
        assert list(store.records()) == []


def test_what_is_forgotten_is_in_no_result(tmp_path):
    with Store.create(tmp_path / "run", {}) as store:
        for event in (1, 2):
            store.put(record_of(event, "shown", "passed"))
        store.forget([record_of(1, "shown").moment.id])
        assert [record.moment.event for record in store.records()] == [2]


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.support.tapes import record_of
from replay.run.store import Store
from server.settings import ProviderSettings, Settings
store = Store.open(Path({folder!r}))
for event in range(1_000_000):
    store.put(record_of(event, "shown", "passed"))
    print(event, flush=True)
"""


@pytest.fixture
def writer(store):
    """Another process that puts records without end and says the number of each when it has."""
    code = WRITER.format(root=str(ROOT), folder=str(store.folder))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def events(store):
    return [record.moment.event for record in store.records()]


def test_what_was_put_is_there_after_the_writing_process_was_killed(store, writer):
    told = [int(writer.stdout.readline()) for _ in range(50)]
    writer.send_signal(signal.SIGKILL)
    told += [int(line) for line in writer.stdout if line.endswith("\n")]
    assert writer.wait() == -signal.SIGKILL
    found = [record.moment.event for record in reopened(store)]
    assert found[: len(told)] == told
    assert len(found) - len(told) <= 1, "at most the one that was put but not told"
    assert found == list(range(len(found)))


def test_who_is_in_the_middle_of_reading_does_not_hold_the_writer_up(store):
    for event in range(3):
        store.put(record_of(event, "shown"))
    with contextlib.closing(sqlite3.connect(store.folder / "run.sqlite")) as reader:
        rows = reader.execute("SELECT event FROM records ORDER BY event")
        assert next(rows) == (0,)
        store.put(record_of(3, "shown"))
        assert rows.fetchall() == [(1,), (2,)]


def test_another_process_reads_and_writes_while_one_writes(store, writer):
    for _ in range(20):
        writer.stdout.readline()
    before = len(events(store))
    store.put(record_of(1, "accepted", tape="mine"))
    for _ in range(20):
        writer.stdout.readline()
    after = events(store)
    assert before >= 20
    assert len(after) > before
    assert next(store.records()).moment.tape == "mine"


def test_which_moments_are_one_cluster_is_no_part_of_the_configuration():
    assert ReplayOptions(cluster_by="tape").kept() == ReplayOptions().kept()


def test_a_file_of_the_persons_is_not_written_over(tmp_path):
    (tmp_path / "config.toml").write_text('mine = "precious"\n')
    with pytest.raises(StoreError, match=r"config\.toml of something else"):
        Store.continued(tmp_path, {"provider": "fixed"})
    assert (tmp_path / "config.toml").read_text() == 'mine = "precious"\n'


def test_a_run_that_was_killed_as_its_folder_was_made_goes_on(tmp_path):
    config = {"provider": "fixed"}
    Store.continued(tmp_path, config).close()
    (tmp_path / "run.sqlite").unlink()
    Store.continued(tmp_path, config).close()


def test_a_file_in_place_of_the_folder_is_called_a_file(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(StoreError, match="is a file, not a folder"):
        Store.continued(tmp_path / "run", {})


def test_a_run_that_begins_while_others_look_at_it_begins(tmp_path):
    """SQLite refuses one of two that open a new database at once, whatever patience it is given."""
    for number in range(30):
        folder, together = tmp_path / str(number), threading.Barrier(4)
        folder.mkdir()

        def opened(folder=folder, together=together):
            together.wait()
            with Store(folder, connect(folder)) as store:
                return list(store.records())

        with ThreadPoolExecutor(4) as pool:
            assert [one.result() for one in [pool.submit(opened) for _ in range(4)]] == [[]] * 4
