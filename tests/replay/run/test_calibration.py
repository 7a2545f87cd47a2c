"""What is said of a machine on which latencies are measured."""

import os

import pytest

from replay.run.calibration import REPEATS, Calibration, calibrate, described
from replay.run.events import Note
from replay.run.store import Store
from tests.support.replays import options_of, run
from tests.support.tapes import Typist


def at(when="start", load=0.3, processors=2, best=10.0, middle=10.5):
    return Calibration(when=when, load=load, processors=processors, best_ms=best, middle_ms=middle)


def test_a_calibration_has_the_shortest_and_the_middle_time_of_the_computation():
    """Nine times of 3, 1, 2, 9, 8, 7, 4, 6, 5 s: the shortest is 1 s, the middle one 5 s."""
    stamps = iter([stamp for number in (3, 1, 2, 9, 8, 7, 4, 6, 5) for stamp in (100.0, 100.0 + number)])
    found = calibrate("start", lambda: next(stamps))
    assert (found.when, found.best_ms, found.middle_ms, REPEATS) == ("start", 1000.0, 5000.0, 9)
    assert found.processors == len(os.sched_getaffinity(0))
    assert next(stamps, None) is None


def test_the_computation_takes_time_and_little_of_it():
    assert 0.1 < calibrate("start").best_ms < 1000


@pytest.mark.parametrize(
    ("processes", "warnings"),
    [
        ([[at()]], []),
        ([[at(load=1.0), at("t", load=9.0)]], []),  # the load at the end is that of the run's own tests
        ([[at(load=None)]], []),
        ([[at(load=1.1)]], ["load 1.1 on 2 processors"]),
        ([[at(load=0.1, processors=1)]], ["load 0.1 on 1 processor,"]),
        ([[at(load=6.9, processors=8)]], []),
        ([[at()], [at(load=3.0)]], ["load 3.0 on 2 processors"]),
        ([[at(best=10, middle=15)]], []),
        ([[at(best=10, middle=15.1)]], ["(start): a computation of 10.0 ms mostly took 15.1 ms"]),
        ([[at(middle=10), at("t", middle=12.5)]], []),
        ([[at(middle=10), at("t", best=12, middle=12.6)]], ["10.0 ms (start) and 12.6 ms (t)"]),
        ([[at(best=12, middle=12.6)], [at("t", best=9, middle=10)]], ["10.0 ms (t) and 12.6 ms (start)"]),
        ([], []),
    ],
)
def test_a_run_says_when_its_machine_was_busy_or_changed_its_speed(processes, warnings):
    found = described(processes)["warnings"]
    assert len(found) == len(warnings)
    assert all(part in said for part, said in zip(warnings, found, strict=True))


async def replayed(folder, **options):
    heard = []
    known = {"settings": {"provider": {"name": "fixed", "text": "1"}}, "tests": False}
    tapes = [Typist(name=name).type("x = 1\n").tape() for name in ("one", "two")]
    return await run(tapes, folder / "run", options_of(**{**known, **options}), heard, cache=folder / "cache"), heard


async def test_a_measured_run_keeps_its_calibrations_and_a_continued_one_adds_its_own(tmp_path):
    for times in (1, 2):
        summary, heard = await replayed(tmp_path)
        taken = summary["machine"]["calibrations"]
        assert [each["when"] for each in taken] == ["start", "one", "two"] * times
        assert {*summary["machine"]["warnings"]} >= {
            one.text for one in heard if isinstance(one, Note) and "load " in one.text
        }
    with Store.open(tmp_path / "run") as store:
        assert [one for process in store.fact("machine") for one in process] == taken


async def test_where_nothing_is_measured_or_no_model_works_there_is_no_calibration(tmp_path):
    (tmp_path / "answers.jsonl").touch()
    record = {"path": str(tmp_path / "answers.jsonl"), "mode": "require"}
    required = {"settings": {"provider": {"name": "fixed", "text": "1", "record": record}}}
    oracle = {"settings": {"provider": {"name": "oracle"}}}
    for number, options in enumerate(({"latency": "fixed:0"}, required, oracle)):
        summary, _ = await replayed(tmp_path / str(number), **options)
        assert "machine" not in summary
