"""A run whose file is damaged ends commands that read it with a sentence."""

import sqlite3

import pytest


@pytest.fixture(scope="module")
def whole(ghosttape_here, tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    ghosttape_here(
        folder,
        "replay",
        "demo",
        "--provider",
        "ngram",
        "--limit",
        "3",
        "--no-tests",
        "--latency",
        "fixed:80",
        "--out",
        "run",
    )
    with sqlite3.connect(folder / "run/run.sqlite") as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return (folder / "run/run.sqlite").read_bytes()


@pytest.mark.parametrize("how", ["cut off", "overwritten in the middle", "no database"])
@pytest.mark.parametrize("command", ["records", "runs show", "report"])
def test_a_damaged_run_is_told_in_a_sentence(here, tmp_path, whole, how, command):
    damaged = {
        "cut off": whole[: len(whole) // 2],
        "overwritten in the middle": whole[:4096] + b"\xa5" * (len(whole) - 8192) + whole[-4096:],
        "no database": b"x" * 10_000,
    }
    (tmp_path / "run").mkdir()
    (tmp_path / "run/run.sqlite").write_bytes(damaged[how])
    done = here(*command.split(), "./run", status=None)
    assert done.status not in {0, 1}, done.out
    assert "run" in done.err
    assert "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) <= 3
