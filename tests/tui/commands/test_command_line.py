"""What a stranger may type, and what may be broken."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from replay.run.store import Store
from tests.support.places import LEDGER


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
def test_wrong_use_ends_with_status_2_and_says_what_is_wrong(here, words, said):
    done = here(*words, status=2)
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert done.out == ""


def test_a_folder_that_holds_another_run_is_not_written_over(here):
    words = ["replay", LEDGER, "--provider", "fixed", "--no-tests", "--latency", "fixed:0", "--out", "here", "--json"]
    first = here(*words, "--limit", "1").json
    done = here(*words, "--limit", "2", status=2)
    assert "here holds a run of another configuration (limit)" in done.err
    assert here(*words, "--limit", "1").json == first


def test_a_broken_tape_is_refused_with_its_line(here, tmp_path):
    path = tmp_path / "x.tape.jsonl"
    path.write_text('{"tape": 1}\n')
    assert f"{path}:1: " in here("replay", path, status=2).err


def test_help_teaches_by_example(here):
    assert "ghosttape replay demo" in here("replay", "--help").out


def test_settings_of_the_workspace_are_used_and_flags_win(here, tmp_path):
    (tmp_path / "ghosttape.toml").write_text('[server.provider]\nname = "fixed"\ntext = "from the file"\n')
    here("replay", LEDGER, "--no-tests", "--limit", "1", "--out", "a", "--json")
    assert "from the file" in (tmp_path / "a/config.toml").read_text()
    here("replay", LEDGER, "--no-tests", "--limit", "1", "--provider", "fixed", "--text", "x", "--out", "b", "--json")
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


def test_a_key_reaches_the_server_and_neither_the_run_nor_the_screen(here, tmp_path, echo):
    base_url, keys = echo
    words = ["--provider", "openai", "--base-url", base_url, *ONE]
    done = here("replay", LEDGER, *words, status=1, env={"GHOSTTAPE_API_KEY": KEY})
    with Store.open(tmp_path / "a") as store:
        kept = repr([store.config, *store.records()])
    assert set(keys) == {f"Bearer {KEY}"}
    assert "failed" in kept
    assert KEY not in kept + done.out + done.err


def test_a_server_that_only_the_folders_file_names_gets_no_key(here, tmp_path, echo):
    base_url, keys = echo
    (tmp_path / "ghosttape.toml").write_text(f'[server.provider]\nname = "openai"\nbase_url = "{base_url}"\n')
    here("replay", LEDGER, *ONE, status=1, env={"GHOSTTAPE_API_KEY": KEY})
    assert set(keys) == {None}


def test_two_tapes_of_one_id_are_refused(here, tmp_path):
    (tmp_path / "copy.tape.jsonl").write_bytes(LEDGER.read_bytes())
    done = here("replay", LEDGER, "copy.tape.jsonl", "--provider", "fixed", "--no-tests", status=2)
    assert "two tapes have the id 'ledger'" in done.err


def test_json_is_one_document_and_nothing_else(here):
    done = here("replay", "demo", "--provider", "fixed", "--no-tests", "--limit", "1", "--json")
    assert json.loads(done.out)["moments"] == 2


def test_files_are_named_from_the_folder_of_the_person(here, tmp_path):
    (tmp_path / "answers.jsonl").write_text("")
    summary = here("replay", LEDGER, "--provider", "recorded", "--answers", "answers.jsonl", *ONE, "--json").json
    assert summary["endings"] == {"empty": 1}


def test_a_cache_that_cannot_be_written_is_something_the_environment_lacks(here, tmp_path, need):
    need("bwrap")
    (tmp_path / "cache").write_text("a file where a folder should be")
    done = here("replay", "demo", "--provider", "fixed", status=3, env={"GHOSTTAPE_CACHE": str(tmp_path / "cache")})
    assert str(tmp_path / "cache") in done.err
    assert "Traceback" not in done.err


def test_an_unknown_provider_is_refused_before_the_server_starts(here):
    assert "'nope' is none of gguf" in here("serve", "--provider", "nope", status=2).err


def test_a_base_url_that_is_no_url_is_called_so(here):
    said = here("replay", "demo", "--provider", "openai", "--base-url", "foo", *ONE, status=3).err
    assert "base_url is not a URL" in said
    assert "foo" not in said


def test_a_flag_that_the_provider_does_not_look_at_is_said_and_the_environment_is_not(here):
    words = ["replay", LEDGER, "--provider", "ngram", "--server", "x", "--text", "y", *ONE]
    said = [line for line in here(*words, env={"GHOSTTAPE_BASE_URL": "http://x"}).err.splitlines() if "warn" in line]
    assert said == [
        "ghosttape: warning: provider ngram does not look at --server (only lsp)",
        "ghosttape: warning: provider ngram does not look at --text (only fixed)",
    ]
    words = ["replay", LEDGER, "--provider", "fixed", "--text", "y", "--no-tests", "--limit", "1", "--out", "b"]
    assert "warning" not in here(*words).err


def test_the_steps_can_be_read_in_a_narrow_terminal(here):
    for command in ("replay", "repair"):
        said = here(command, "--help", env={"COLUMNS": "80"}).out
        assert "bracke…" not in said
        assert {"prose,", "repeats,", "indent,", "brackets,"} <= set(said.split())


def test_a_record_keeps_the_times_of_the_model_and_the_same_latencies_come_from_it(here):
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
    asked = here(*words, "--out", "a").json["metrics"]["latency_ms"]
    read = here(*words, "--out", "b").json
    fixed = here(*words, "--out", "c", "--latency", "fixed:80").json["metrics"]["latency_ms"]
    assert asked["p50"] > 0
    assert fixed["p50"] == 80
    assert read["metrics"]["latency_ms"] == asked


def test_the_gates_of_a_replay_decide_its_status(here):
    words = ["replay", LEDGER, "--provider", "fixed", "--no-tests", "--latency", "fixed:0", "--limit", "3", "--json"]
    assert here(*words, "--fail-under", "moments=3").json["gates"][0]["outcome"] == "kept"
    done = here(*words, "--fail-under", "moments=4", "--fail-under", "latency_p95=100", status=1)
    assert [gate["fails"] for gate in done.json["gates"]] == [True, False]
    assert "moments=4: gate failed" in done.err
    done = here(*words, "--fail-under", "pass_at_1=0.1", status=1)
    assert "pass_at_1 was not measured in this run" in done.err
