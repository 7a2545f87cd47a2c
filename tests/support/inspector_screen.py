"""What the inspector shows: its rows, its words, all characters of its screen."""

from msgspec import structs
from textual.widgets import Input, Static, TabbedContent

from replay.run.store import Store
from tui.inspector.app import Inspector
from tui.inspector.widgets.moment_list import MomentList


def rows(app):
    return [app._run.row(index) for index in range(len(app._run.order))]


def shown(app):
    return [row.ending for row in rows(app)]


def chosen(app):
    return app._run.row(app.query_one(MomentList).cursor).ending


def words(app, selector):
    return str(app.query_one(selector, Static).content)


def page(app):
    return str(app.query_one(f"#{app.query_one(TabbedContent).active} Static", Static).content)


def drawn(app):
    """The characters on the screen."""
    strips = app.screen._compositor.render_strips(app.size)
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


async def settle(app, pilot):
    await app.workers.wait_for_complete()
    await pilot.pause()


def change_verdicts(folder, verdict):
    with Store.open(folder) as store:
        for record in list(store.records()):
            store.put(structs.replace(record, verdict=verdict))


SCREENS = {"why": ["w"], "repairs": ["j", "j", "j", "3", "tab"], "filters": ["F"], "help": ["question_mark"]}
PAGES_AND_DIALOGS = {
    "tests": ["j", "j", "j", "5"],
    "prompt": ["j", "j", "6"],
    "note": ["j", "j", "j", "M", *"Is the discount checked at all?"],
    "saved": ["f", "W", *"failures", "enter", "escape", "s", "W", *"by moment", "enter", "o"],
}
"""The keys that lead to a picture."""
PAGE_KEYS = ("suggestion", "hole", "repairs", "graft", "tests", "prompt", "time")


def themed(folder, theme):
    app = Inspector(folder)
    app.theme = theme
    return app


def pressing(keys):
    """What presses keys, and leaves no cursor that blinks."""

    async def draw(pilot):
        for key in keys:
            await pilot.press(key)
            for field in pilot.app.screen.query(Input):
                field.cursor_blink = False
        await pilot.pause()

    return draw


def turning_to(name):
    """What shows a page of the moment that was rejected."""

    async def turn(pilot):
        await pilot.press("slash", *"rejected", "enter", str(list(PAGE_KEYS).index(name) + 1))
        await settle(pilot.app, pilot)

    return turn
