"""The embedded model, and a real llama.cpp server over HTTP: both complete; one that is stopped half way is no catastrophe."""

import threading
import time

import pytest

from replay.run.store import Store
from server.providers import gguf
from tests.support.llama_server import llama_server


@pytest.fixture(autouse=True)
def tools(need):
    need("bwrap", "node", "npm")


@pytest.fixture
def llama():
    """(base URL, process) of a llama.cpp server."""
    with llama_server(gguf.bundled_model()) as (address, process):
        yield f"{address}/v1", process


SHORT = [
    "--settings",
    '{"context": {"before": 96, "after": 0}, "provider": {"timeout_s": 150, "max_tokens": 24}}',
]
"""A small prompt and a short answer: the model reads some hundred tokens a second, and writes some ten."""


def answered(folder):
    with Store.open(folder) as store:
        return [record for record in store.records() if record.suggestion and record.suggestion.raw]


def test_the_embedded_model_completes_a_run(ghosttape, tmp_path):
    summary = ghosttape(
        "replay", "demo", "--provider", "gguf", "--limit", "2", "--json", "--out", tmp_path / "run"
    ).json
    assert summary["moments"] == 4
    assert summary["metrics"]["pass_at_1"]["n"] == 4
    assert summary["metrics"]["latency_ms"]["p50"] > 0
    assert len(answered(tmp_path / "run")) >= 2


def test_a_llama_server_completes_a_run_over_http(ghosttape, llama, tmp_path):
    base_url, _ = llama
    words = ["--provider", "openai", "--base-url", base_url, "--limit", "3", "--out", tmp_path / "run", "--json"]
    summary = ghosttape("replay", "demo", *words, *SHORT).json
    assert summary["moments"] == 6
    assert "failed" not in summary["endings"]
    assert len(answered(tmp_path / "run")) >= 4


def test_a_server_stopped_half_way_gives_failed_endings_and_with_keep_going_a_whole_run(ghosttape, llama, tmp_path):
    base_url, process = llama
    folder = tmp_path / "run"

    def stop_after_some():
        while process.poll() is None:
            if (folder / "run.sqlite").exists() and len(answered(folder)) >= 3:
                process.kill()
            time.sleep(0.2)

    threading.Thread(target=stop_after_some, daemon=True).start()
    words = ["--provider", "openai", "--base-url", base_url, "--limit", "10", "--no-tests", "--out", folder, "--json"]
    summary = ghosttape("replay", "demo", *words, *SHORT, "--keep-going", status=1).json
    assert summary["moments"] == 20
    assert 0 < summary["endings"]["failed"] < 20
    assert sum(summary["endings"].values()) == 20
    with Store.open(folder) as store:
        reasons = {record.ending.reason for record in store.records() if record.ending.name == "failed"}
    assert reasons
    assert all(base_url.split("//")[1].split("/")[0] in reason for reason in reasons), reasons
