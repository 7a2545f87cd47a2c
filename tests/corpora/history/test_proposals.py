"""What a chat model is asked about a project, and how its answer is read."""

import json
from dataclasses import replace

import pytest

from corpora.history.advice import LOG, LONGEST, PATHS, TOGETHER, Proposal, proposals_in, question
from runners.environments import Candidate, TriedWay
from runners.project import ProjectPlan

TRIED = TriedWay(Candidate("pytest", ProjectPlan("python", command="pytest -q")), None, "no test ran", "", 1.0)
TOKEN = "ghp_" + "a1B2c3D4e5" * 4


def sent(files, *trials):
    return question(files, trials).messages[1].content


def answer(*proposals):
    return json.dumps({"proposals": proposals})


def test_names_and_manifests_are_sent_and_no_other_text():
    asked = question({"Makefile": "check:", "src/a.py": "x = 1", "docs/guide.md": "long", "sub/package.json": "{}"}, ())
    assert asked.files == ("Makefile", "sub/package.json")
    assert asked.name_count == 4
    text = asked.messages[1].content
    assert "src/a.py" in text
    assert "=== Makefile\ncheck:" in text
    assert "x = 1" not in text
    assert "long" not in text


@pytest.mark.parametrize(
    "path",
    ["pyproject.toml", "tox.ini", ".github/workflows/ci.yml", "README.md", "requirements/test.txt", "dev-requirements.txt", "CONTRIBUTING.rst", "build.gradle.kts", "GNUmakefile"],
)  # fmt: skip
def test_each_kind_of_manifest_is_sent(path):
    assert question({path: "text"}, ()).files == (path,)


@pytest.mark.parametrize("path", ["setup.py", "noxfile.py", "vitest.config.ts", "jest.config.js", "build.gradle"])
def test_of_code_only_that_which_says_how_a_project_is_built_and_tested_is_sent(path):
    code = ["conftest.py", "tests/conftest.py", "README.py", "TESTING.js", "lib/setup.pyx", "app.py", "my_setup.py"]
    assert question({path: "x", **dict.fromkeys(code, "secret_formula()")}, ()).files == (path,)


@pytest.mark.parametrize(
    "path", [".env", "config/.env.test", "secrets/Makefile", "server.pem", "credentials.json", "own/Makefile"]
)
def test_what_a_recording_leaves_out_is_not_even_named(path):
    text = sent({path: "check:", ".ghosttapeignore": "own/\n", "Makefile": "all:"})
    assert path not in text.replace("=== Makefile", "").replace("\nMakefile", "")
    assert "check:" not in text


def test_credentials_are_covered_in_files_commands_and_logs():
    trial = replace(TRIED, log=f"token={TOKEN}", problem=TOKEN)
    text = sent({"Makefile": f"TOKEN = {TOKEN}\n"}, trial)
    assert TOKEN not in text
    assert "*" * len(TOKEN) in text


@pytest.mark.parametrize("before", [1, 15, 39, 40])
def test_a_credential_at_the_cut_of_a_file_or_a_log_is_covered(before):
    files = {"Makefile": "# " + "x" * (LONGEST - before - 3) + " " + TOKEN}
    together = {f"d{n}/Makefile": "x" * LONGEST for n in range(TOGETHER // LONGEST)}
    together["d0/Makefile"] = "x" * (LONGEST - 100)
    together |= {"e/Makefile": "x" * (100 - before - 1) + " " + TOKEN}
    for each in (files, together):
        assert TOKEN[: max(4, before)] not in sent(each)


def test_a_key_that_begins_far_before_the_end_of_a_log_is_covered():
    lines = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj" for _ in range(70))
    log = f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----\n"
    assert len(log) > 2 * LOG
    assert "MIIEvQ" not in sent({}, replace(TRIED, log=log))


def test_values_of_the_set_up_are_covered_by_value():
    value = "correct horse battery"
    trial = replace(TRIED, log=f"used {value}\n" + "z" * (LOG - 8), problem=f"{value} 😀 is wrong")
    asked = question({"Makefile": f"# {value}"}, [trial], [value])
    text = asked.messages[1].content
    assert "horse" not in text
    assert "battery" not in text
    assert "😀 is wrong" in text
    assert value in question({"Makefile": f"# {value}"}, [trial]).messages[1].content, "only what is named"


def test_what_is_sent_is_bounded():
    files = {f"Makefile{n}.md": "" for n in range(1000)} | {f"d{n}/README": "x" * 3 * LONGEST for n in range(50)}
    trials = [replace(TRIED, log="y" * 10 * LOG)] * 50
    asked = question(files, trials)
    assert asked.name_count == PATHS
    assert "and 750 more" in asked.messages[1].content
    assert asked.messages[1].content.count("x") <= TOGETHER + 100
    assert asked.messages[1].content.count("y") <= 4 * (LOG + 10)


def test_what_was_tried_is_sent_with_how_it_ended():
    text = sent({}, replace(TRIED, log="first\nlast"))
    assert "=== Tried: pytest -q\nno test ran\nfirst\nlast" in text


def test_proposals_are_read_whatever_stands_around_them():
    text = f"I think {{so}}:\n```json\n{answer({'command': 'make check', 'toolchain': 'python3.9', 'why': 'it says so'})}\n```"
    assert proposals_in(text).found == (Proposal("make check", "python3.9"),)


def test_at_most_three_are_taken_each_once():
    found = proposals_in(answer(*({"command": name} for name in "aabcd"))).found
    assert [each.command for each in found] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON object"),
        ('{"proposals": {"command": "x"}}', "no JSON object"),
        ("{" * 5000, "no JSON object"),
        (answer(), "proposes nothing"),
        (answer({"toolchain": "python"}), "missing required field `command`"),
        (answer({"command": ["make"]}), "Expected `str`"),
        (answer({"command": "make", "cwd": "/etc"}), "it is a folder of the project"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(text, reason):
    read = proposals_in(text)
    assert read.found == ()
    assert reason in read.refused[0]


def test_members_are_those_of_a_tape_and_no_toolchain_is_named_where_none_is_proposed():
    assert Proposal("make").members == {"command": "make", "requires": (), "setup": "", "cwd": "."}
    assert Proposal("make", "node").members["toolchain"] == "node"
