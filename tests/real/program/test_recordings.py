"""Real recordings through the command line: imported, refused, and played to their end."""

import json

import pytest

from replay.run.store import Store

LONG = "EditSourceTracker.test1"


@pytest.fixture(scope="session")
def tapes(recordings, once, run_folder):
    """All recordings as tapes."""
    from replay.importers.import_batch import import_many

    def make():
        import_many(recordings, run_folder / "tapes")
        return run_folder / "tapes"

    return once("tapes", make)


def test_all_recordings_are_imported(ghosttape, recordings, tmp_path):
    report = ghosttape("import", *recordings, "-o", tmp_path / "out", "--json").json
    assert (report["tapes"], report["changes"], report["checkpoints"]) == (16, 3526, 8)
    assert len(list((tmp_path / "out").glob("*.tape.jsonl"))) == 16


def test_a_recording_that_cannot_be_true_leaves_nothing_behind(ghosttape, recordings, tmp_path):
    recording = json.loads(recordings[0].read_text())
    number = next(at for at, entry in enumerate(recording["log"]) if entry["kind"] == "changed")
    recording["log"][number]["edit"] = [[10**6, 10**6, "x"]]
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(recording))
    done = ghosttape("import", recordings[1], broken, "-o", tmp_path / "out", status=2)
    assert f"{broken}: entry {number}: " in done.err
    assert "lies outside its document" in done.err
    assert not (tmp_path / "out").exists()


def test_the_long_recording_plays_to_its_end_with_every_checkpoint_right(ghosttape, tapes, tmp_path):
    summary = ghosttape(
        "replay", tapes / f"{LONG}.tape.jsonl", "--provider", "ngram", "--policy", "vscode", "--mode", "judge", "--include-tests",
        "--latency", "fixed:80", "--no-tests", "--json", "--out", tmp_path / "run",
    ).json  # fmt: skip
    by_no_person = 466 + 9 + 18  # an agent's, other programs', and formats (docs/tapes.md, "Who wrote it")
    moments = 3247 - by_no_person + 5  # a person's changes, and five requests by hand
    assert summary["moments"] == moments
    assert sum(summary["endings"].values()) == moments
    assert "failed" not in summary["endings"]
    assert summary["checkpoints"] == {"matched": 8, "of": 8}
    with Store.open(tmp_path / "run") as store:
        assert sum(1 for _ in store.records()) == moments


def test_the_oracle_drives_the_long_recording_to_its_recorded_end(ghosttape, tapes):
    """Each document is compared in the server's own state at the end; nothing else can match a checkpoint there."""
    summary = ghosttape(
        "replay", tapes / f"{LONG}.tape.jsonl", "--provider", "oracle", "--policy", "vscode", "--mode", "drive",
        "--latency", "fixed:0", "--no-tests", "--json",
    ).json  # fmt: skip
    effort, saved = summary["effort"], summary["metrics"]["keystrokes_saved"]
    assert effort["typed"] + effort["dropped"] == effort["tape"] == saved["of"]
    needed = sum(effort[part] for part in ("typed", "accepts", "rejections", "deletions", "mending"))
    assert saved["value"] == effort["tape"] - needed > 0
    assert summary["checkpoints"]["matched"] == summary["checkpoints"]["of"] > 8


def test_moments_of_the_long_recording_are_judged_by_the_projects_own_tests(ghosttape, tapes, need):
    need("bwrap", "node", "npm")
    summary = ghosttape(
        "replay", tapes / f"{LONG}.tape.jsonl", "--provider", "oracle", "--policy", "blocks",
        "--path", "language-service-plugin/src", "--latency", "fixed:0", "--json", timeout=1500,
    ).json  # fmt: skip
    assert summary["metrics"]["pass_at_1"]["n"] >= 8  # of the places where a person, and not an agent, wrote
    assert summary["metrics"]["pass_at_1"]["value"] == 1.0
    assert set(summary["verdicts"]) == {"passed"}
