import sqlite3

import pytest
from msgspec import structs

from replay.numbers.metrics import pass_at_1
from replay.run.listing.moment_selection import MomentSelection
from replay.run.store import Store
from tests.support.tapes import record_of
from tui.errors import RunReadError
from tui.inspector.model import RunView
from tui.live.app import stored_state


@pytest.fixture
def view(folder):
    opened = RunView.open(folder)
    yield opened
    opened.close()


def endings(view):
    return [view.row(index).ending for index in range(len(view.order))]


def test_a_run_without_a_summary_is_counted(view):
    assert view.summary["moments"] == 6
    assert view.summary["endings"]["accepted"] == 1
    assert view.summary["verdicts"] == {"passed": 1, "failed": 1, "syntax": 1}
    assert view.summary["untestable"] == {"undetected": 1}
    passed = view.summary["metrics"]["pass_at_1"]
    assert passed["n"] == 3
    assert passed["value"] == pytest.approx(1 / 3)
    assert passed["low"] < passed["value"] < passed["high"]
    assert (passed["testable"]["n"], passed["testable"]["value"]) == (4, 0.75)


def test_answers_to_one_question_count_as_one_moment_of_a_run_that_goes_on(tmp_path):
    """As in its summary: the task with three answers of which one passes, and the one with a single answer so far."""
    own = {1: ["passed", "failed", "syntax"], 2: ["passed"], 3: ["untestable"], 4: ["infrastructure"]}
    answers = [(record_of(at, "shown", name), number) for at, names in own.items() for number, name in enumerate(names)]
    records = [
        structs.replace(one, moment=structs.replace(one.moment, sample=number, path=f"{one.moment.event}.py"))
        for one, number in answers
    ]
    with Store.create(tmp_path / "run", {"corpus": "devbench"}) as store:
        store.put_all(records)
    view = RunView.open(tmp_path / "run")
    found = view.summary["metrics"]["pass_at_1"]
    view.close()
    assert (found["value"], found["n"]) == (pytest.approx((1 / 3 + 1) / 2), 2)
    assert (found["testable"]["value"], found["testable"]["n"]) == (pytest.approx(2 / 3), 3)
    assert found == pass_at_1(records, "program")


@pytest.mark.parametrize(("by", "clusters"), [("hole", 3), ("tape", 2), ("program", 2)])
def test_a_run_that_goes_on_is_counted_by_the_clusters_of_its_table(folder, view, by, clusters):
    """Three of its moments count, each with a hole of its own, in one document of each of two tapes."""
    with Store.open(folder) as store:
        store.put_fact("cluster_by", by)
    view.read()
    assert view.summary["cluster_by"] == by
    assert view.summary["metrics"]["pass_at_1"]["clusters"] == clusters
    assert stored_state(folder).plan.cluster_by == by


@pytest.mark.parametrize(("config", "by"), [({"corpus": "devbench"}, "program"), ({"policy": "blocks"}, "hole")])
def test_a_run_of_an_older_version_goes_by_what_its_command_takes_by_default(tmp_path, config, by):
    with Store.create(tmp_path / "old", config) as store:
        assert store.cluster_by == by


def test_a_kept_summary_is_taken_unless_the_run_went_on(folder, view):
    with Store.open(folder) as store:
        store.put_fact("summary", {"moments": 6, "endings": {"accepted": 6}})
    assert view.has_grown()
    view.read()
    assert (view.summary["endings"], view.state) == ({"accepted": 6}, "")
    with Store.open(folder) as store:
        store.put_fact("summary", {"moments": 5, "endings": {"accepted": 5}})
    view.read()
    assert (view.summary["endings"]["accepted"], view.state) == (1, "stopped before its end")


def test_a_run_that_is_being_written_is_still_running(folder):
    with Store.continued(folder, {"provider": "gguf", "policy": "blocks"}):
        view = RunView.open(folder)
        assert view.state == "still running"
        view.close()


def test_rows_and_records_come_in_the_order_of_the_selection(view):
    view.select(MomentSelection(sort="ms", descending=True))
    assert endings(view)[:3] == ["rejected", "shown", "accepted"]
    assert view.record(0).ending.name == "rejected"
    assert view.place_of(view.order[2]) == 2
    view.select(MomentSelection(failures=True))
    assert view.total == 6
    assert endings(view) == ["shown", "rejected", "failed"]


def test_the_next_match_is_found_in_both_directions_and_round_the_ends(view):
    assert view.next_match("cart.py", 0, 1) == (1, 4)
    assert view.next_match("cart.py", 5, 1) == (1, 4)
    assert view.next_match("cart.py", 0, -1) == (4, 4)
    assert view.next_match("nowhere", 0, 1) == (None, 0)


def test_the_next_failure_comes_before_what_is_only_untestable(view):
    assert endings(view)[view.next_failure(1)] == "rejected"
    assert endings(view)[view.next_failure(4)] == "failed"
    view.select(MomentSelection(facets={"ending": ("accepted", "filtered")}))
    assert endings(view)[view.next_failure(0)] == "filtered"
    view.select(MomentSelection(facets={"ending": ("accepted",)}))
    assert view.next_failure(0) is None


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(RunReadError, match="holds no run"):
        RunView.open(tmp_path)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "run.sqlite").write_bytes(b"not a database, but long enough to be looked at" * 50)
    with pytest.raises(RunReadError, match=r"run\.sqlite"):
        RunView.open(tmp_path)


def test_a_damaged_record_is_refused_when_it_is_looked_at(folder, view):
    with sqlite3.connect(folder / "run.sqlite") as connection:
        connection.execute("UPDATE records SET body = x'00'")
    connection.close()
    with pytest.raises(RunReadError, match="cannot be read"):
        view.record(0)
