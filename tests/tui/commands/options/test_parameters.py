from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest
import typer
from typer.testing import CliRunner

import tui.cli.app  # noqa: F401 - with it the flags of all commands are declared
from corpora.evaluation_options import EvaluateOptions
from replay.options import ReplayOptions
from server.option import Option
from tui.commands.options.flags import DeclaredFlags, command
from tui.declared_flags import Flags, Given, flags_of, members_of


class Chosen(Flags, frozen=True, kw_only=True):
    size: int
    """How large."""
    colour_of_it: Annotated[str, Option(panel="Looks")] = "red"
    plain: bool = False
    names: Annotated[tuple[str, ...], Option(flag="--name", short="-n")] = ()
    where: Path | None = None


class Inner(msgspec.Struct, frozen=True, kw_only=True):
    """Options that are laid over a file's."""

    wood: Annotated[str, Option(env="FRAME_WOOD")] = "oak"
    """What it is made of.

    More for those who read the code.
    """
    nails: Annotated[int, Option(min=1, max=9)] = 3
    hidden: int = 0


class Outer(msgspec.Struct, frozen=True, kw_only=True):
    inner: Inner = Inner()
    dry: Annotated[bool, Option(flag="--no-water", is_negated=True)] = True
    mode: Annotated[Literal["slow", "fast"], Option()] = "slow"
    kinds: Annotated[tuple[str, ...], Option(is_list=True)] = ()
    sides: Annotated[int | None, Option(is_derived=True)] = None
    files: Annotated[tuple[str, ...], Option(flag="--file", is_path=True)] = ()


@pytest.fixture
def call():
    app, calls = typer.Typer(), []

    @command(app)
    def paint(
        context: typer.Context,
        what: str,
        *,
        given: Chosen,
        options: Annotated[Given, DeclaredFlags.of(Outer, without=("mode",), nails=5)],
        again: Annotated[str, DeclaredFlags.of(Outer, "mode")] = "fast",
    ) -> None:
        """Paint it."""
        calls.append((context.get_parameter_source("plain").name, what, given, options, again))

    def run(*words, **env):
        done = CliRunner().invoke(app, words, env={"COLUMNS": "200", "TERM": "dumb", **env})
        return done, calls

    return run


UNSAID = {"wood": "", "nails": 5, "no_water": False, "kinds": "", "sides": None, "file": None}


def test_each_field_is_an_option_of_the_command(call):
    words = ["--size", "3", "--colour-of-it", "blue", "--plain", "-n", "a", "--name", "b", "--where", "x"]
    done, calls = call("door", *words)
    given = Chosen(size=3, colour_of_it="blue", plain=True, names=("a", "b"), where=Path("x"))
    assert (done.exit_code, calls) == (0, [("COMMANDLINE", "door", given, UNSAID, "fast")])


def test_defaults_are_those_of_the_fields_unless_the_command_has_others(call):
    done, calls = call("door", "--size", "3")
    assert (done.exit_code, calls) == (0, [("DEFAULT", "door", Chosen(size=3), UNSAID, "fast")])


@pytest.mark.parametrize(
    "words", [["door"], ["--size", "3"], ["door", "--size", "three"], ["door", "--size", "3", "--nails", "10"]]
)
def test_a_field_without_a_default_must_be_given_and_have_its_type_and_bounds(call, words):
    done, calls = call(*words)
    assert (done.exit_code, calls) == (2, [])


def test_the_help_lists_the_fields_in_their_order_and_not_the_struct(call):
    text = call("--help")[0].output
    places = [text.index(words) for words in ("Paint it.", "--size", "How large.", "--plain", "--wood", "made of.")]
    assert places == sorted(places)
    assert text.index("Looks") < text.index("--colour-of-it")
    assert "given" not in text
    assert "hidden" not in text
    assert "those who read the code" not in text


def test_the_environment_says_what_no_flag_says(call):
    assert call("door", "--size", "3", FRAME_WOOD="ash")[1][0][3]["wood"] == "ash"
    assert call("door", "--size", "3", "--wood", "fir", FRAME_WOOD="ash")[1][1][3]["wood"] == "fir"


def test_members_are_nested_as_the_options_are_and_what_says_nothing_is_left_out():
    assert members_of(Outer, {}) == {"dry": True, "mode": "slow", "kinds": (), "files": ()}
    given = {"wood": "ash", "no_water": True, "kinds": "a, b", "sides": 4, "file": ["x", "/y"]}
    assert members_of(Outer, given) == {
        "inner": {"wood": "ash"},
        "dry": False,
        "mode": "slow",
        "kinds": ("a", "b"),
        "sides": 4,
        "files": (str(Path("x").absolute()), "/y"),
    }


def test_a_flag_is_known_by_one_key_everywhere():
    keys = {flag.key: (flag.words, flag.place) for flag in flags_of(Outer)}
    assert keys["no_water"] == ("--no-water", ("dry",))
    assert keys["wood"] == ("--wood", ("inner", "wood"))
    assert "hidden" not in keys


@pytest.mark.parametrize(
    "kind",
    [ReplayOptions, EvaluateOptions, *(each for each in Flags.__subclasses__() if each.__module__.startswith("tui."))],
    ids=lambda kind: kind.__name__,
)
def test_each_flag_has_a_help_and_a_key_of_its_own(kind):
    flags = flags_of(kind)
    assert [flag.words for flag in flags if not flag.help] == []
    assert len({flag.key for flag in flags}) == len(flags)
