"""The document as it is typed."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.live.document_page import GhostText, draw
from tui.live.lane_documents import LaneDocuments, View
from tui.live.state import Lane
from tui.terminal_text import sanitize

_OFFERED = "italic $ghost-text on $ghost"
_STYLES = {
    "accepted": "italic on $added",
    "part": "italic on $added",
    "typed-through": "italic on $added",
    "rejected": "italic on $removed",
}
_FADED = "italic $faint"
"""Of what an editor would not show: it is on its way, came too late, or was given up."""


class PageView(Static):
    """Shows the document of a lane around the cursor."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._tops: dict[tuple[str, str], int] = {}

    def show(self, lane: Lane, documents: LaneDocuments) -> tuple[str, int]:
        """Draw the lane's document; give its path and the line of the cursor (from 1)."""
        view, ghost = seen(lane, documents)
        if view is None:
            self._put(
                Content(sanitize(documents.problem or lane.note or (lane.left_out or ["nothing is open yet"])[0]))
            )
            return "", 0
        key = (lane.name, view.path)
        size = self.size
        page, self._tops[key] = draw(view, ghost, size.width, size.height, self._tops.get(key, 0))
        self._put(page)
        at = ghost.start if ghost else view.end
        return view.path, view.text.count("\n", 0, at) + 1

    def _put(self, content: Content) -> None:
        if not (isinstance(self.content, Content) and content.is_same(self.content)):
            self.update(content, layout=False)


def seen(lane: Lane, documents: LaneDocuments) -> tuple[View | None, GhostText | None]:
    """The document to draw, and the ghost text in it: while the session stands at a moment, that moment's."""
    asked, answer = lane.asked, lane.answer
    here = lane.position is not None and asked is not None and lane.position.index == lane.asked_index
    record = lane.records.get(asked.moment) if asked else None
    if asked is None or not (here or record is None):
        return documents.view(), None
    if here:
        documents.show(asked.path)
    view = documents.view()
    if view is None or view.path != asked.path:
        return view, None
    if here:
        at = View(view.path, view.language, view.text, asked.offset, asked.offset)
        if answer is None and lane.streamed:
            return at, GhostText(lane.streamed, asked.offset, asked.offset, _FADED)
        if answer is None or not answer.text:
            return at, None
        ending = record.ending.name if record else "shown"
        return at, GhostText(
            answer.text,
            answer.start,
            max(answer.end, answer.start),
            _STYLES.get(ending, _OFFERED if ending == "shown" else _FADED),
        )
    return view, _left_over(view, asked.offset, answer.text if answer else "")


def _left_over(view: View, offset: int, text: str) -> GhostText | None:
    """What is still to be typed of a text that is shown since an offset, if what was typed since is its beginning."""
    from syntax.text import cut

    typed = cut(view.text, offset, view.end) if offset <= view.end else None
    if not text or typed is None or not text.startswith(typed) or typed == text:
        return None
    return GhostText(text[len(typed) :], view.end, view.end, _OFFERED)
