"""What a stranger may type, and what may be broken."""

import json
import os
import re
import signal
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from replay.run.store import Store
from tests.support.places import LEDGER, SCRIPT

STOPPING = "ghosttape: stopping: the tests that run are ended, and what is finished is kept …"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["replay", "nowhere"], "nowhere: no such file or folder"),
        (["replay", "demo", "--policy", "psychic"], "no policy is called 'psychic'"),
        (["replay", "demo", "--user", "nobody"], "no user is called 'nobody'"),
        (["replay", "demo", "--latency", "soon"], "'soon' is no latency"),
        (["replay", "demo", "--provider", "crystal-ball"], "crystal-ball"),
        (["replay", "demo", "--repairs", "hope"], "no repair is called 'hope'"),
        (["replay", "demo", "--repairs", ""], "no repair is named: choose one of prose, repeats,"),
        (["replay", "demo", "--repairs", "none,prose"], "'none' cannot stand beside repairs"),
        (
            ["replay", "demo", "--mode", "dream"],
            "--mode: Invalid enum value 'dream' (did you mean 'drive'?): choose one of judge, drive",
        ),
        (["replay", "demo", "--ablate", "prose"], "--ablate: Invalid enum value 'prose': choose one of repairs"),
        (["replay", "demo", "--provider", "lsp", "--server", '"a'], "command (--server) cannot be split into words"),
        (["replay", "demo", "--settings", "{"], "settings are not JSON"),
        (["replay", "demo", "--limit", "0"], "--limit"),
        (["replay", "demo", "--no-such-flag"], "--no-such-flag"),
        (["tui"], "there is no run in"),
        (["tui", "nowhere"], "nowhere"),
        (["import", "nowhere.json"], "nowhere.json"),
        (["replay", "demo", "--provider", "fixed", "--sandbox", "castle"], "there is no sandbox 'castle'"),
        (["replay", "demo", "--provider", "fixed", "--test-command", ""], "command is empty"),
        (["replay", "demo", "--provider", "fixed", "--tests", "touchng"], "--tests: Invalid enum value 'touchng'"),
    ],
)
def test_wrong_use_ends_with_status_2_and_says_what_is_wrong(ghosttape, words, said):
    done = ghosttape(*words, status=2)
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert done.out == ""


def test_a_folder_that_holds_another_run_is_not_written_over(ghosttape):
    words = ["replay", LEDGER, "--provider", "fixed", "--no-tests", "--latency", "fixed:0", "--out", "here", "--json"]
    first = ghosttape(*words, "--limit", "1").json
    done = ghosttape(*words, "--limit", "2", status=2)
    assert "here holds a run of another configuration (limit)" in done.err
    assert ghosttape(*words, "--limit", "1").json == first


def test_a_broken_tape_is_refused_with_its_line(ghosttape, tmp_path):
    path = tmp_path / "x.tape.jsonl"
    path.write_text('{"tape": 1}\n')
    assert f"{path}:1: " in ghosttape("replay", path, status=2).err


def test_help_teaches_by_example(ghosttape):
    assert "ghosttape replay demo" in ghosttape("replay", "--help").out


def test_the_doctor_tries_everything(ghosttape, need):
    need("bwrap", "node", "npm")
    checks = {check["name"]: check for check in ghosttape("doctor", "--json").json["checks"]}
    assert checks["sandbox bubblewrap"]["ok"]
    assert checks["toolchain python"]["ok"]
    assert checks["toolchain node"]["ok"]


def test_settings_of_the_workspace_are_used_and_flags_win(ghosttape, tmp_path):
    (tmp_path / "ghosttape.toml").write_text('[server.provider]\nname = "fixed"\ntext = "from the file"\n')
    ghosttape("replay", LEDGER, "--no-tests", "--limit", "1", "--out", "a", "--json")
    assert "from the file" in (tmp_path / "a/config.toml").read_text()
    ghosttape(
        "replay", LEDGER, "--no-tests", "--limit", "1", "--provider", "fixed", "--text", "x", "--out", "b", "--json"
    )
    assert "from the file" not in (tmp_path / "b/config.toml").read_text()


@pytest.fixture
def echo():
    """A model server that says in its refusal which key it was sent."""

    class Echo(BaseHTTPRequestHandler):
        def do_POST(self):
            keys.append(self.headers.get("Authorization"))
            body = f'{{"error": {{"message": "no: {keys[-1]}"}}}}'.encode()
            self.send_response(400)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    keys = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", keys
        server.shutdown()


KEY = "sk-this-must-not-be-kept"
ONE = ["--no-tests", "--limit", "1", "--latency", "fixed:0", "--out", "a"]


def test_a_key_reaches_the_server_and_neither_the_run_nor_the_screen(ghosttape, tmp_path, echo):
    base_url, keys = echo
    words = ["--provider", "openai", "--base-url", base_url, *ONE]
    done = ghosttape("replay", LEDGER, *words, status=1, env={"GHOSTTAPE_API_KEY": KEY})
    with Store.open(tmp_path / "a") as store:
        kept = repr([store.config, *store.records()])
    assert set(keys) == {f"Bearer {KEY}"}
    assert "failed" in kept
    assert KEY not in kept + done.out + done.err


def test_a_server_that_only_the_folders_file_names_gets_no_key(ghosttape, tmp_path, echo):
    base_url, keys = echo
    (tmp_path / "ghosttape.toml").write_text(f'[server.provider]\nname = "openai"\nbase_url = "{base_url}"\n')
    ghosttape("replay", LEDGER, *ONE, status=1, env={"GHOSTTAPE_API_KEY": KEY})
    assert set(keys) == {None}


def test_two_tapes_of_one_id_are_refused(ghosttape, tmp_path):
    (tmp_path / "copy.tape.jsonl").write_bytes(LEDGER.read_bytes())
    done = ghosttape("replay", LEDGER, "copy.tape.jsonl", "--provider", "fixed", "--no-tests", status=2)
    assert "two tapes have the id 'ledger'" in done.err


def test_json_is_one_document_and_nothing_else(ghosttape):
    done = ghosttape("replay", "demo", "--provider", "fixed", "--no-tests", "--limit", "1", "--json")
    assert json.loads(done.out)["moments"] == 2


def test_files_are_named_from_the_folder_of_the_person(ghosttape, tmp_path):
    (tmp_path / "answers.jsonl").write_text("")
    summary = ghosttape("replay", LEDGER, "--provider", "recorded", "--answers", "answers.jsonl", *ONE, "--json").json
    assert summary["endings"] == {"empty": 1}


def test_a_cache_that_cannot_be_written_is_something_the_environment_lacks(ghosttape, tmp_path, need):
    need("bwrap")
    (tmp_path / "cache").write_text("a file where a folder should be")
    done = ghosttape(
        "replay", "demo", "--provider", "fixed", status=3, env={"GHOSTTAPE_CACHE": str(tmp_path / "cache")}
    )
    assert str(tmp_path / "cache") in done.err
    assert "Traceback" not in done.err


def test_an_unknown_provider_is_refused_before_the_server_starts(ghosttape):
    assert "'nope' is none of gguf" in ghosttape("serve", "--provider", "nope", status=2).err


def test_a_base_url_that_is_no_url_is_called_so(ghosttape):
    said = ghosttape("replay", "demo", "--provider", "openai", "--base-url", "foo", *ONE, status=3).err
    assert "base_url is not a URL" in said
    assert "foo" not in said


def test_a_flag_that_the_provider_does_not_look_at_is_said_and_the_environment_is_not(ghosttape):
    words = ["replay", LEDGER, "--provider", "ngram", "--server", "x", "--text", "y", *ONE]
    said = [
        line for line in ghosttape(*words, env={"GHOSTTAPE_BASE_URL": "http://x"}).err.splitlines() if "warn" in line
    ]
    assert said == [
        "ghosttape: warning: provider ngram does not look at --server (only lsp)",
        "ghosttape: warning: provider ngram does not look at --text (only fixed)",
    ]
    words = ["replay", LEDGER, "--provider", "fixed", "--text", "y", "--no-tests", "--limit", "1", "--out", "b"]
    assert "warning" not in ghosttape(*words).err


def test_the_steps_can_be_read_in_a_narrow_terminal(ghosttape):
    for command in ("replay", "repair"):
        said = ghosttape(command, "--help", env={"COLUMNS": "80"}).out
        assert "bracke…" not in said
        assert {"prose,", "repeats,", "indent,", "brackets,"} <= set(said.split())


def test_a_record_keeps_the_times_of_the_model_and_the_same_latencies_come_from_it(ghosttape):
    words = [
        "replay",
        LEDGER,
        "--provider",
        "ngram",
        "--no-tests",
        "--limit",
        "3",
        "--json",
        "--replay-answers",
        "answers",
    ]
    asked = ghosttape(*words, "--out", "a").json["metrics"]["latency_ms"]
    read = ghosttape(*words, "--out", "b").json
    fixed = ghosttape(*words, "--out", "c", "--latency", "fixed:80").json["metrics"]["latency_ms"]
    assert asked["p50"] > 0
    assert fixed["p50"] == 80
    assert read["metrics"]["latency_ms"] == asked


@pytest.fixture
def slow():
    """A model server that never answers, and what is set once it has been asked."""

    class Slow(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.set()
            ended.wait()

        def log_message(self, *_):
            pass

    asked, ended = threading.Event(), threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
        ended.set()
        server.shutdown()


def test_who_interrupts_a_question_hears_where_the_run_is_and_how_to_go_on_and_nothing_else(tmp_path, slow):
    base_url, asked = slow
    words = ["--provider", "openai", "--base-url", base_url, "--settings", '{"provider": {"api": "completions"}}']
    words += ["--no-tests", "--out", "my run", "--record-answers", "answers.jsonl", "--latency", "fixed:80"]
    with subprocess.Popen(
        [SCRIPT, "replay", "demo", *words],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - a shell in the background ignores it
    ) as process:
        assert asked.wait(120)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    *progress, kept, look, on = said.splitlines()
    assert kept == "ghosttape: interrupted; what was finished is kept in my run:"
    assert look == "  ghosttape tui 'my run'"
    assert on == "The same command with --out 'my run' goes on from there."
    assert progress[-2:] == ["", STOPPING]
    assert all(line.startswith("ledger: ") for line in progress[:-2]), said


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_replay_keeps_what_was_finished_and_leaves_nothing_running(tmp_path, need, way):
    need("bwrap")
    words = [SCRIPT, "replay", "demo", "--provider", "ngram", "--out", "run"]
    process = subprocess.Popen(
        words,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - a shell in the background ignores it
    )
    for line in process.stderr:
        if re.search(r" [1-9]\d* (un)?testable", line):  # what is not judged yet is not kept
            break
    process.send_signal(way)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.endswith(
        "ghosttape: interrupted; what was finished is kept in run:\n  ghosttape tui run\n"
        "The same command with --out run goes on from there.\n"
    )
    assert (STOPPING in said) == (way is signal.SIGINT)
    assert "Traceback" not in said
    assert not list(tmp_path.glob("ghosttape-*"))
    with Store.open(tmp_path / "run") as store:
        assert list(store.records())


def test_the_gates_of_a_replay_decide_its_status(ghosttape):
    words = ["replay", LEDGER, "--provider", "fixed", "--no-tests", "--latency", "fixed:0", "--limit", "3", "--json"]
    assert ghosttape(*words, "--fail-under", "moments=3").json["gates"][0]["outcome"] == "kept"
    done = ghosttape(*words, "--fail-under", "moments=4", "--fail-under", "latency_p95=100", status=1)
    assert [gate["fails"] for gate in done.json["gates"]] == [True, False]
    assert "moments=4: gate failed" in done.err
    done = ghosttape(*words, "--fail-under", "pass_at_1=0.1", status=1)
    assert "pass_at_1 was not measured in this run" in done.err
