"""`ghosttape corpora choose` on folders: reasons on the screen, and a list of those that are chosen."""

import json
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from corpora.github_api import github_client
from tui.cli.app import app


def test_folders_are_judged_by_rules_and_those_chosen_are_listed(tmp_path: Path) -> None:
    for name, readme in {"light": "A library.\n", "heavy": "Needs CUDA.\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text(readme)
        (tmp_path / name / "test_it.py").write_text("def test_it(): ...\n")
    (tmp_path / "list.txt").write_text(f"# mine\n{tmp_path / 'heavy'}\n")
    words = [
        "corpora",
        "choose",
        str(tmp_path / "light"),
        "--list",
        str(tmp_path / "list.txt"),
        "-o",
        str(tmp_path / "chosen.txt"),
    ]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0
    assert "- it seems to need a GPU (README.md: 'CUDA')" in shown.stdout
    assert shown.stdout.endswith("1 of 2 chosen\n")
    assert (tmp_path / "chosen.txt").read_text() == f"{tmp_path / 'light'}\n"
    document = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert [each["chosen"] for each in document["repositories"]] == [True, False]


def test_a_repository_that_cannot_be_reached_costs_no_other_its_judgement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(): ...\n")
    gone = httpx.MockTransport(lambda _: httpx.Response(404))
    monkeypatch.setattr("tui.commands.repository_selection.client_of", lambda: github_client("secret", gone))
    shown = CliRunner().invoke(app, ["corpora", "choose", str(tmp_path), "ada/gone", "--search", "python", "--json"])
    assert shown.exit_code == 0
    named = {each["choice"]["name"]: each["chosen"] for each in json.loads(shown.stdout)["repositories"]}
    assert named == {tmp_path.name: True, "ada/gone": False, "search for python": False}
    assert "status 404" in shown.stdout
    assert CliRunner().invoke(app, ["corpora", "choose", "ada/gone"]).exit_code != 0


def test_nothing_to_choose_from_and_what_is_no_repository_are_wrong_use() -> None:
    assert CliRunner().invoke(app, ["corpora", "choose"]).exit_code == 2
    assert CliRunner().invoke(app, ["corpora", "choose", "no such thing"]).exit_code == 2
