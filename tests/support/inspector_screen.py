"""What the inspector shows: its rows, its words, all characters of its screen."""

from msgspec import structs
from textual.widgets import Static, TabbedContent

from replay.run.store import Store
from tui.inspector.widgets.moments import MomentList


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
