"""What a command leaves on a terminal."""

import io
import sys

import pytest
from rich.console import Console
from rich.progress import Progress

from tools.terminal_picture import lines_left, run_on_terminal, terminal_picture


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("a\r\nb\r\n", ["a", "b", ""]),
        ("a\nb\r\x1b[2K\x1b[1A\x1b[2Kc", ["c", ""]),
        ("\x1b[?25la\r\x1b[2Kb\n\x1b[?25h", ["b", ""]),
        ("long\rx\n", ["x", ""]),
        ("\x1b[1ma\x1b[0m b", ["\x1b[1ma\x1b[0m b"]),
        ("\x1b[3Aa", ["a"]),
    ],
)
def test_lines_that_were_drawn_over_are_as_they_were_at_last(written, left):
    assert lines_left(written) == left


def test_the_bars_of_rich_are_left_once():
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=60)
    with Progress(console=console, auto_refresh=False) as bars:
        tasks = [bars.add_task(name, total=2) for name in ("one", "two")]
        for task in tasks * 2:
            bars.advance(task)
            bars.refresh()
            console.print(f"said {task}")
    lines = [line for line in lines_left(console.file.getvalue()) if line]
    assert [line.split()[0] for line in lines] == ["said"] * 4 + ["one", "two"]
    assert all("100%" in line for line in lines[-2:])


def test_a_command_runs_on_a_terminal_of_its_width_and_an_error_is_told(tmp_path):
    code = "import os, sys; print(os.get_terminal_size().columns, sys.stderr.isatty(), os.getcwd())"
    written = run_on_terminal([sys.executable, "-c", code], tmp_path, 72)
    assert lines_left(written)[0] == f"72 True {tmp_path}"
    with pytest.raises(OSError, match="ends with an error: no\r\n"):
        run_on_terminal([sys.executable, "-c", "import sys; sys.exit('no')"], tmp_path, 72)


def test_the_picture_has_the_command_and_the_lines():
    picture = terminal_picture("ghosttape try", ["\x1b[1mmoments\x1b[0m 39", "x" * 90], 80, "light")
    assert picture.startswith("<svg")
    for word in ("ghosttape&#160;try", "moments", "39", "x" * 80):
        assert word in picture
    assert "x" * 81 not in picture
