"""`ghosttape instructions`: what is listed and shown, and what a check says and ends with."""

import json
from io import StringIO

import pytest
from rich.console import Console
from typer.testing import CliRunner

from tui.cli.app import app
from tui.render.terminal import in_terminal
from tui.tables.sections import instructions_section

OWN = """asks = ["No to-dos.", "Finish what you begin."]
type = "cosmetic"
[python]
problem = "matching TODO"
"""


@pytest.fixture
def run():
    def run(*words):
        done = CliRunner().invoke(app, ["instructions", *map(str, words)])
        return done.exit_code, done.output

    return run


@pytest.fixture
def recursive(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("x = 1\n\n\ndef f(n):\n    return n and f(n - 1)\n")
    return path


def test_the_list_can_be_narrowed_down(run):
    status, text = run("list", "--json")
    entries = json.loads(text)["instructions"]
    assert (status, len(entries)) == (0, 130)
    narrowed = json.loads(run("list", "--type", "semantic", "--language", "java", "--json")[1])["instructions"]
    assert {each["group"] for each in narrowed} == {"semantic"}
    assert all("java" in each["languages"] for each in narrowed)
    assert "130 instructions, 104 by rules" in run("list")[1]


def test_one_instruction_is_shown_with_its_rule_and_its_cases(run):
    status, text = run("show", "avoid-recursion")
    assert status == 0
    assert "problem: recursion" in text
    assert "def f(n):" in text
    shown = json.loads(run("show", "use-greedy-algorithm", "--json")[1])
    assert (shown["by"], shown["rules"], bool(shown["rubric"])) == ("judge", {}, True)


def test_a_check_names_the_lines_that_break_an_instruction_and_ends_with_status_1(run, recursive):
    status, text = run(
        "check",
        recursive,
        "--instructions",
        "avoid-recursion,limit-parameters,use-greedy-algorithm,use-enumerate,always-use-braces",
    )
    assert status == 1
    results = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.startswith("  ")}
    assert results == {
        "avoid-recursion": ["broken", "line", "4"],
        "limit-parameters": ["followed"],
        "use-greedy-algorithm": ["judge"],
        "use-enumerate": ["not", "concerned"],
        "always-use-braces": ["other", "language"],
    }


def test_a_check_of_what_is_followed_ends_with_status_0(run, recursive):
    status, text = run("check", recursive, "--instructions", "limit-parameters", "--json")
    assert status == 0
    assert json.loads(text)["files"][0]["instructions"] == [
        {"id": "limit-parameters", "result": "followed", "lines": []}
    ]


def test_a_file_that_does_not_parse_is_said_to_be_so(run, tmp_path):
    (tmp_path / "b.js").write_text("function (")
    status, text = run("check", tmp_path / "b.js", "--instructions", "avoid-ternary")
    assert (status, "unparsable" in text) == (1, True)


def test_instructions_come_from_types_files_and_files_of_ones_own(run, recursive, tmp_path):
    (tmp_path / "no-todo.toml").write_text(OWN)
    (tmp_path / "rules.txt").write_text(f"# ours\navoid-recursion  # never\n\nperformance\n{tmp_path}/no-todo.toml\n")
    recursive.write_text("x = 1  # TODO: two\n")
    status, text = run("check", recursive, "--instructions", tmp_path / "rules.txt", "--json")
    found = {each["id"]: each["result"] for each in json.loads(text)["files"][0]["instructions"]}
    assert status == 1
    assert (found["no-todo"], found["avoid-recursion"]) == ("broken", "followed")
    assert {"use-deque", "avoid-copies"} <= found.keys()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "use-goto"], "use-goto"),
        (["list", "--type", "funny"], "funny"),
        (["list", "--language", "cobol"], "cobol"),
        (["check", "{file}", "--instructions", "use-goto"], "use-goto"),
        (["check", "{file}", "--instructions", ","], "no instruction"),
        (["check", "{folder}/c.rb", "--instructions", "avoid-ternary"], "--language"),
        (["check", "{folder}/none.py", "--instructions", "avoid-ternary"], "none.py"),
        (["check", "{file}", "--instructions", "{folder}/bad.toml"], "bad.toml"),
    ],
)
def test_wrong_use_is_named_and_ends_with_status_2(run, recursive, tmp_path, words, said):
    (tmp_path / "c.rb").write_text("x = 1\n")
    (tmp_path / "bad.toml").write_text('asks = []\n[python]\nproblem = "no-such-finder 3"\n')
    status, text = run(*(word.format(file=recursive, folder=tmp_path) for word in words))
    assert status == 2
    assert said in text


def test_a_run_takes_instructions_that_rules_can_check(tmp_path):
    words = ["evaluate", "devbench", "--data", str(tmp_path), "--instructions"]
    unknown = CliRunner().invoke(app, [*words, "use-goto"])
    assert (unknown.exit_code, "use-goto" in unknown.output) == (2, True)
    untested = CliRunner().invoke(app, [*words, "cosmetic", "--no-tests"])
    assert (untested.exit_code, "--no-tests" in untested.output) == (2, True)


@pytest.mark.parametrize(
    ("chosen", "gate", "said"),
    [
        ("", "adherence=0.5", "the run checks no instruction: name it with --instructions"),
        ("avoid-ternary", "adherence:avoid-eval=0.5", "the run checks no instruction 'avoid-eval'"),
    ],
)
def test_a_gate_of_what_the_run_does_not_check_is_refused_before_anything_is_asked(tmp_path, chosen, gate, said):
    for words in (["evaluate", "devbench", "--data", str(tmp_path)], ["replay", "demo"]):
        done = CliRunner().invoke(app, [*words, "--instructions", chosen, "--fail-under", gate])
        assert (done.exit_code, said in " ".join(done.output.split())) == (2, True), done.output


def test_the_table_and_the_report_say_how_far_suggestions_follow():
    figure = {"value": 0.75, "low": 0.3, "high": 0.95, "n": 4}
    both = {"value": 0.5, "low": 0.2, "high": 0.8, "n": 4}
    one = {"results": {"followed": 3, "broken": 1, "not concerned": 2}, "adherence": figure, "follows_and_passes": both}
    one |= {"follows_and_fails": 1, "breaks_and_passes": 0}
    summary = {"instructions": {"suggestions": 6, "all": one, "by_id": {"avoid-recursion": one}}}
    assert list(instructions_section(summary).rows) == [
        ["avoid-recursion", "3 of 4", "75 % (30–95 %)", "50 % (20–80 %)", "1", "0"]
    ]
    console = Console(width=80, record=True, file=StringIO())
    console.print(*in_terminal(instructions_section(summary, narrow=True)))
    assert "avoid-recursion" in console.export_text()
    assert list(in_terminal(instructions_section({}))) == []
