"""What a replay says of how far it is, where there is no terminal."""

import io

from msgspec import structs
from rich.console import Console

from replay.engine import Ended, Judged, Played, Tried
from replay.options import Options
from replay.records import Ending, Moment, Record, Suggestion, Trial, Verdict
from tui.progress import Progress

MOMENT = Moment(tape="small", event=1, path="a.py", language="python", offset=0, line=0, character=0, t=0.0)
RECORD = Record(
    moment=MOMENT,
    ending=Ending("shown"),
    suggestion=Suggestion(text="x", start=0, end=0, latency=0.0),
    verdict=Verdict(name="passed"),
)
TRIAL = Trial(
    moment=MOMENT.id, tape="small", place="a.py:1:1", language="python", arm="none", text="x", start=0, end=0, verdict=Verdict(name="passed")
)  # fmt: skip


def said(happenings, **options):
    """What is said of the tape after these."""
    screen = io.StringIO()
    progress = Progress(Console(file=screen, width=200), Options(**options))
    for happening in happenings:
        progress.listen(happening)
    progress._said = 0.0
    progress.listen(Played("small", 9, 10))
    return screen.getvalue().splitlines()[-1]


def test_a_moment_counts_once():
    assert said([Ended(RECORD, True), Judged(RECORD), Ended(RECORD, False)]).endswith(
        "2 suggestions, 1/1 tested, 1 passed"
    )


def test_in_an_ablation_a_moment_counts_as_often_as_it_has_arms():
    happened = [Ended(RECORD, True), Judged(RECORD), Tried(TRIAL), Tried(TRIAL), Ended(RECORD, True)]
    assert said(happened, ablate="repairs").endswith("2 suggestions, 3/14 tested, 1 passed")
    some = {"repairs": ["prose", "stop"]}
    assert said(happened, ablate="repairs", settings=some).endswith("2 suggestions, 3/8 tested, 1 passed")


def test_of_several_tapes_a_line_says_what_was_done_on_its_own_and_on_all():
    other = structs.replace(RECORD, moment=structs.replace(MOMENT, tape="large"))
    happened = [Ended(other, True), Ended(other, True), Judged(other), Ended(RECORD, True), Judged(RECORD)]
    assert said(happened) == (
        "small: event 9 of 10, 1 suggestions, 1/1 tested, 1 passed (all: 3 suggestions, 2/3 tested, 2 passed)"
    )
