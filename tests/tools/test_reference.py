"""docs/reference is what the declarations in code say."""

import pytest
import typer

from replay.play.policies.policy import policy_names
from replay.records import EndingName, VerdictName
from tools.reference import reference_pages
from tools.reference.page_markdown import WIDTH, paragraph
from tui.cli.app import app


@pytest.fixture(scope="module")
def made():
    return reference_pages.pages()


def test_the_pages_are_those_of_this_checkout(made):
    there = {path.relative_to(reference_pages.FOLDER).as_posix() for path in reference_pages.FOLDER.rglob("*.md")}
    assert there == made.keys(), "run: make reference"
    old = [name for name, text in made.items() if (reference_pages.FOLDER / name).read_text(encoding="utf-8") != text]
    assert old == [], "run: make reference"


def test_every_decision_is_in_the_list():
    page = (reference_pages.DECISIONS / "README.md").read_text(encoding="utf-8")
    assert reference_pages.decisions_index(page) == page, "run: make reference"
    assert page.count("](") == len(list(reference_pages.DECISIONS.glob("[0-9]*.md")))


def test_every_flag_of_every_command_is_on_its_page(made):
    tree = typer.main.get_command(app)
    for name, command in tree.commands.items():
        below = getattr(command, "commands", {}).values()
        page = made[f"commands/{name}.md"]
        for parameter in [*command.params, *(each for one in below for each in one.params)]:
            if (
                parameter.name != "help"
                and not getattr(parameter, "hidden", False)
                and parameter.opts[0].startswith("-")
            ):
                assert parameter.opts[0] in page, (name, parameter.name)


def test_every_ending_verdict_and_policy_has_its_words(made):
    for name in (*EndingName.__args__, *VerdictName.__args__):
        assert f"| `{name}` | " in made["verdicts.md"]
    assert all(f"## {name}\n" in made["policies.md"] for name in policy_names())


def test_a_paragraph_breaks_no_code_and_keeps_to_its_width():
    text = paragraph(("word " * 30) + "`ghosttape replay demo --policy vscode` " * 3, first="* ", rest="  ")
    assert all(line.count("`") % 2 == 0 and len(line) <= WIDTH for line in text.splitlines())
    assert text.startswith("* word")
