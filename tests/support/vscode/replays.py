"""A replay in a window, as a person orders and watches it."""

import re
import time

from tests.support.vscode.results_screen import choices

BAR = '.statusbar-item[id$="ghosttape.replay"]'
PLACE = re.compile(r"(\d+):(\d\d) of \d+:\d\d")
AS_HERE = "as in this window"
"""One of the answers to the question when the model is asked."""


def order_replay(window, tape, policy, tests):
    """Replay a tape that lies in the folder of the window."""
    window.command("ghosttape: Replay a Tape…")
    window.until(lambda: _took(window, tape.name), "the dialog takes the tape")
    for choice in (policy, tests):
        choices(window, choice).first.click()


def _took(window, file):
    """Choose a file of the folder that a dialog shows, and say whether the next question has come: while it reads, a dialog takes nothing."""
    if choices(window, AS_HERE).count():
        return True
    for row in choices(window, file).all():
        row.click(timeout=2_000)
    time.sleep(0.7)
    return False


def place(window):
    """Where the replay is on its tape (s), and whether it stands."""
    shown = window.page.locator(BAR).text_content()
    minutes, seconds = PLACE.search(shown).groups()
    return int(minutes) * 60 + int(seconds), "paused" in shown


def pause(window):
    """Pause the replay as soon as it shows something."""
    window.page.locator(BAR, has_text=" of ").wait_for()
    window.page.locator(BAR).click()
    window.until(lambda: place(window)[1], "it is paused")


def go_on(window):
    """Let the replay go on."""
    window.page.locator(BAR).click()
    window.until(lambda: not place(window)[1], "it goes on")
