from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from tui.commands.options.expanding import expanded


@dataclass(frozen=True, kw_only=True)
class Chosen:
    size: Annotated[int, typer.Option(help="How large.")]
    colour_of_it: str = "red"
    plain: Annotated[bool, typer.Option("--plain")] = False


@pytest.fixture
def call():
    app, calls = typer.Typer(), []

    @app.command()
    @expanded
    def paint(context: typer.Context, what: str, *, given: Chosen) -> None:
        """Paint it."""
        calls.append((context.get_parameter_source("plain").name, what, given))

    def run(*words):
        done = CliRunner().invoke(app, words, env={"COLUMNS": "200", "TERM": "dumb"})
        return done, calls

    return run


def test_each_field_is_an_option_of_the_command(call):
    done, calls = call("door", "--size", "3", "--colour-of-it", "blue", "--plain")
    assert (done.exit_code, calls) == (0, [("COMMANDLINE", "door", Chosen(size=3, colour_of_it="blue", plain=True))])


def test_defaults_are_those_of_the_fields(call):
    done, calls = call("door", "--size", "3")
    assert (done.exit_code, calls) == (0, [("DEFAULT", "door", Chosen(size=3))])


@pytest.mark.parametrize("words", [["door"], ["--size", "3"], ["door", "--size", "three"]])
def test_a_field_without_a_default_must_be_given_and_have_its_type(call, words):
    done, calls = call(*words)
    assert (done.exit_code, calls) == (2, [])


def test_the_help_lists_the_fields_in_their_order_and_not_the_dataclass(call):
    help_text = call("--help")[0].output
    places = [help_text.index(words) for words in ("Paint it.", "--size", "How large.", "--colour-of-it", "--plain")]
    assert places == sorted(places)
    assert "given" not in help_text


@dataclass(frozen=True, kw_only=True)
class Frame:
    wood: str = "oak"


def test_several_dataclasses_stand_where_their_parameters_stand():
    app, calls = typer.Typer(), []

    @app.command()
    @expanded
    def hang(*, given: Chosen, nail: int = 1, frame: Frame) -> None:
        calls.append((given, nail, frame))

    done = CliRunner().invoke(app, ["--size", "3", "--nail", "2", "--wood", "ash"])
    assert (done.exit_code, calls) == (0, [(Chosen(size=3), 2, Frame(wood="ash"))])
    help_text = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    places = [help_text.index(words) for words in ("--size", "--plain", "--nail", "--wood")]
    assert places == sorted(places)
