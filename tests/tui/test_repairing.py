"""How a pipeline tells a person how far it is."""

import io

from tui.commands.repairing import Counter


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def notice(wanted, times):
    """The screen after lines that were finished at these times."""
    screen, clock = io.StringIO(), Clock()
    counter = Counter(screen, wanted, clock)
    for clock.now in times:
        counter.count()
    counter.clear()
    return screen.getvalue()


def test_nothing_is_shown_in_the_first_two_seconds():
    assert notice(True, [0.0, 0.5, 1.0, 1.9]) == ""


def test_the_line_is_then_shown_at_intervals_and_removed_at_the_end():
    said = notice(True, [1.0, 2.0, 2.1, 2.2, 2.5, 2.6])
    assert said.split("\r\x1b[K") == ["", "2 lines, 1 a second", "5 lines, 2 a second", ""]


def test_nothing_is_shown_without_a_terminal():
    assert notice(False, [1.0, 5.0, 9.0]) == ""
