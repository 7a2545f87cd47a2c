"""The screen of two runs, and the keys that lead to each of its views."""

from replay.numbers.comparison import ComparedRun, compare
from replay.run.store import Store
from tui.comparing.model import ComparedRuns, pairs_of

COMPARISON_KEYS = {
    "changed": (),
    "tests": ("j", "2"),
    "difference": ("plus", "3"),
    "help": ("question_mark",),
    "groups": ("i",),
    "search": ("slash", *"at most", "enter"),
}


def compared(folders, changed=lambda record: record):
    kept = []
    for folder in folders:
        with Store.open(folder) as store:
            kept.append(ComparedRun(str(folder), store.config, tuple(map(changed, store.records()))))
    return ComparedRuns(compare(*kept, "hole", 0.05), pairs_of(*(run.records for run in kept)))


def drawing(app, scenery, theme):
    """What brings a view to the screen."""

    async def draw(pilot):
        app.theme = theme
        await pilot.press(*COMPARISON_KEYS[scenery])
        await pilot.pause(0.2)

    return draw
