"""What a stranger may type, and what may be broken."""

import json

import pytest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["replay", "nowhere"], "nowhere: no such file or folder"),
        (["replay", "demo", "--policy", "psychic"], "no policy is called 'psychic'"),
        (["replay", "demo", "--user", "nobody"], "no user is called 'nobody'"),
        (["replay", "demo", "--latency", "soon"], "'soon' is no latency"),
        (["replay", "demo", "--provider", "crystal-ball"], "crystal-ball"),
        (["replay", "demo", "--repairs", "hope"], "no repair is called 'hope'"),
        (["replay", "demo", "--mode", "dream"], "mode"),
        (["replay", "demo", "--settings", "{"], "settings are not JSON"),
        (["replay", "demo", "--limit", "0"], "--limit"),
        (["replay", "demo", "--no-such-flag"], "--no-such-flag"),
        (["tui"], "there is no run in"),
        (["tui", "nowhere"], "nowhere"),
        (["import", "nowhere.json"], "nowhere.json"),
    ],
)
def test_wrong_use_ends_with_status_2_and_says_what_is_wrong(ghosttape, words, said):
    done = ghosttape(*words, status=2)
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert done.out == ""


def test_an_unknown_sandbox_is_something_the_environment_lacks(ghosttape):
    done = ghosttape("replay", "demo", "--provider", "fixed", "--sandbox", "castle", status=3)
    assert "there is no sandbox 'castle'" in done.err


def test_a_folder_that_holds_a_run_is_not_written_over(ghosttape):
    words = ["replay", "demo", "--provider", "fixed", "--no-tests", "--limit", "1", "--out", "here", "--json"]
    ghosttape(*words)
    done = ghosttape(*words, status=2)
    assert "here holds a run already" in done.err


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
    ghosttape("replay", "demo", "--no-tests", "--limit", "1", "--out", "a", "--json")
    assert "from the file" in (tmp_path / "a/config.toml").read_text()
    ghosttape(
        "replay", "demo", "--no-tests", "--limit", "1", "--provider", "fixed", "--text", "x", "--out", "b", "--json"
    )
    assert "from the file" not in (tmp_path / "b/config.toml").read_text()


def test_a_key_in_the_environment_is_not_kept_with_the_run(ghosttape, tmp_path):
    key = "sk-this-must-not-be-kept"
    ghosttape(
        "replay",
        "demo",
        "--provider",
        "fixed",
        "--no-tests",
        "--limit",
        "1",
        "--out",
        "a",
        env={"GHOSTTAPE_API_KEY": key},
    )
    assert not [path for path in (tmp_path / "a").iterdir() if key.encode() in path.read_bytes()]


def test_json_is_one_document_and_nothing_else(ghosttape):
    done = ghosttape("replay", "demo", "--provider", "fixed", "--no-tests", "--limit", "1", "--json")
    assert json.loads(done.out)["moments"] == 2
