"""What is taken for granted stands in a list whose further lines are indented on a terminal, and are one line elsewhere."""

import io

from runners.environments import Candidate, NotTestable, TriedWay
from runners.project import ProjectPlan
from tui.commands.quickstart.quickstart import _not_testable, _say_point
from tui.console import SafeConsole

TEXT = "its tests are run by: python -m pytest -q tests/unit (tox.ini [testenv]; change it with --test-command)"


def printed(**options):
    console = SafeConsole(file=io.StringIO(), width=40, **options)
    _say_point(console, TEXT, "yellow")
    return console.file.getvalue()


def test_on_a_terminal_further_lines_stand_below_the_first_words():
    lines = printed(force_terminal=True, color_system=None).splitlines()
    assert lines[0].startswith("  - its tests")
    assert len(lines) == 4
    assert all(line.startswith("    ") and line[4] != " " and len(line.rstrip()) <= 40 for line in lines[1:])
    assert " ".join(line.strip() for line in lines) == f"- {TEXT}"


def test_elsewhere_it_is_one_line():
    assert printed(force_terminal=False) == f"  - {TEXT}\n"


def test_what_a_file_says_is_the_first_to_be_corrected_where_nothing_works():
    trial = TriedWay(Candidate("pytest", ProjectPlan("python", command="nosuch")), None, "not found", "", 1.0)
    said = {"command": "ghosttape.toml", "timeout_s": "ghosttape.toml"}
    error = str(_not_testable("app", NotTestable((trial,), ("name another",)), said))
    assert "What helps:\n  - command is as ghosttape.toml says: correct it there\n  - name another" in error
    assert "ghosttape.toml" not in str(_not_testable("app", NotTestable((trial,), ("name another",)), {}))
