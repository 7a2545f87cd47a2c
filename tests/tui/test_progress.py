"""What a replay says of how far it is, where there is no terminal."""

import io

import msgspec
import pytest
from hostile import HOSTILE, is_harmless
from msgspec import structs
from rich.console import Console

from replay.options import ReplayOptions
from replay.records import ArmTrial, Ending, Moment, Record, Suggestion, Verdict
from replay.run.events import Ended, Judged, LeftOut, Note, Played, Tried
from tui.watching.progress import Progress

MOMENT = Moment(tape="small", event=1, path="a.py", language="python", offset=0, line=0, character=0, t=0.0)
RECORD = Record(
    moment=MOMENT,
    ending=Ending("shown"),
    suggestion=Suggestion(text="x", start=0, end=0, latency=0.0),
    verdict=Verdict(name="passed"),
)
TRIAL = ArmTrial(
    moment=MOMENT.id, tape="small", place="a.py:1:1", language="python", arm="none", text="x", start=0, end=0, verdict=Verdict(name="passed")
)  # fmt: skip


def said(happenings, **options):
    """What is said of the tape after these."""
    screen = io.StringIO()
    progress = Progress(Console(file=screen, width=200), msgspec.convert(options, ReplayOptions))
    for happening in happenings:
        progress.listen(happening)
    progress._said = 0.0
    progress.listen(Played("small", 9, 10))
    return screen.getvalue().splitlines()[-1]


def judged(name):
    return Judged(structs.replace(RECORD, verdict=Verdict(name=name)))


def test_a_moment_counts_once():
    assert said([Ended(RECORD, True), Judged(RECORD), Ended(RECORD, False)]).endswith(
        "2 suggestions, 1 of 1 judged: 1 of 1 passed"
    )


def test_of_several_samples_a_moment_the_line_says_that_it_counts_answers():
    happened = [Ended(RECORD, True), Judged(RECORD)]
    assert said(happened, samples=5).endswith("1 suggestion, 1 of 1 answers judged: 1 of 1 passed")


def test_before_the_first_verdict_the_line_says_how_many_are_awaited():
    assert said([Ended(RECORD, True), Ended(RECORD, True)]).endswith("2 suggestions, 0 of 2 judged")


def test_untestable_moments_are_not_counted_as_tested():
    ended = [Ended(RECORD, True)] * 4
    happened = [*ended, judged("untestable"), judged("passed"), judged("syntax")]
    assert said(happened).endswith("4 suggestions, 3 of 4 judged: 1 of 2 passed, 1 untestable")
    assert said([*ended, judged("untestable")]).endswith("4 suggestions, 1 of 4 judged: 1 untestable")


def test_a_failure_of_the_infrastructure_is_not_counted_as_tested():
    happened = [Ended(RECORD, True)] * 2 + [judged("infrastructure"), judged("passed")]
    assert said(happened).endswith("2 of 2 judged: 1 of 1 passed, 1 not tested, as the tests could not be run")


def test_in_an_ablation_a_moment_counts_as_often_as_it_has_arms():
    happened = [Ended(RECORD, True), Judged(RECORD), Tried(TRIAL), Tried(TRIAL), Ended(RECORD, True)]
    assert said(happened, ablate="repairs").endswith("2 suggestions, 3 of 14 judged: 3 of 3 passed")
    some = {"repairs": ["prose", "stop"]}
    assert said(happened, ablate="repairs", settings=some).endswith("2 suggestions, 3 of 8 judged: 3 of 3 passed")


def test_of_several_tapes_a_line_says_what_was_done_on_its_own_and_on_all():
    other = structs.replace(RECORD, moment=structs.replace(MOMENT, tape="large"))
    happened = [Ended(other, True), Ended(other, True), Judged(other), Ended(RECORD, True), Judged(RECORD)]
    assert said(happened) == (
        "small: event 9 of 10, 1 suggestion, 1 of 1 judged: 1 of 1 passed"
        " (all: 3 suggestions, 2 of 3 judged: 2 of 2 passed)"
    )


@pytest.mark.parametrize("terminal", [True, False])
def test_hostile_names_and_notes_are_shown_as_text(terminal):
    for text in HOSTILE:
        screen = io.StringIO()
        console = Console(file=screen, width=200, force_terminal=terminal, color_system=None)
        with Progress(console, ReplayOptions()) as progress:
            progress.listen(Note(text or "x", text))
            progress.listen(Played(text or "x", 1, 2))
            progress.listen(LeftOut(text or "x", text))
        shown = screen.getvalue()
        for own in ("\x1b[2K", "\x1b[?25l", "\x1b[?25h", "\x1b[1A", "\r", "\n"):
            shown = shown.replace(own, "")
        assert is_harmless(shown, longest=10**6), (text, shown)
