import sqlite3

import pytest

from replay.run.store import Store
from tui.errors import RunReadError
from tui.inspector.model import MomentFilter, read_run


def names(records):
    return [record.ending.name for record in records]


def test_a_run_without_a_summary_is_counted(folder):
    run = read_run(folder)
    assert run.summary["moments"] == 6
    assert run.summary["endings"]["accepted"] == 1
    assert run.summary["untestable"] == {"undetected": 1}
    passed = run.summary["metrics"]["pass_at_1"]
    assert passed["n"] == 3
    assert passed["value"] == pytest.approx(1 / 3)
    assert passed["low"] < passed["value"] < passed["high"]


def test_a_kept_summary_is_taken_unless_the_run_went_on(folder):
    with Store.open(folder) as store:
        store.put_fact("summary", {"moments": 6, "endings": {"accepted": 6}})
    assert read_run(folder).summary["endings"] == {"accepted": 6}
    with Store.open(folder) as store:
        store.put_fact("summary", {"moments": 5, "endings": {"accepted": 5}})
    assert read_run(folder).summary["endings"]["accepted"] == 1


@pytest.mark.parametrize(
    ("wanted", "endings"),
    [
        (MomentFilter(ending="gated"), ["gated"]),
        (MomentFilter(verdict="not tested"), ["gated", "failed"]),
        (MomentFilter(verdict="untestable"), ["filtered"]),
        (MomentFilter(tape="basket"), ["shown"]),
        (MomentFilter(failures=True), ["shown", "rejected", "failed"]),
        (MomentFilter(text="DID NOT raise"), ["rejected"]),
        (MomentFilter(text="prices.py:4"), ["failed"]),
        (MomentFilter(text="mid-word", tape="basket"), []),
    ],
)
def test_a_filter_lets_through_what_it_names(folder, wanted, endings):
    assert names(read_run(folder).select(wanted)) == endings


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(RunReadError, match="holds no run"):
        read_run(tmp_path)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "run.sqlite").write_bytes(b"not a database, but long enough to be looked at" * 50)
    with pytest.raises(RunReadError, match=r"run\.sqlite"):
        read_run(tmp_path)


def test_a_damaged_record_is_refused(folder):
    with sqlite3.connect(folder / "run.sqlite") as connection:
        connection.execute("UPDATE records SET body = x'00'")
    connection.close()
    with pytest.raises(RunReadError, match="cannot be read"):
        read_run(folder)
