"""What a replay says of how far it is, where there is no terminal."""

import io

import msgspec
import pytest
from msgspec import structs
from rich.console import Console

from replay.options import ReplayOptions
from replay.records import ArmTrial, Ending, Moment, Record, Suggestion, Verdict
from replay.run.events import Ended, Judged, LeftOut, Note, Played, RunBegan, RunPlan, SessionBegan, Stalled, Tried
from tests.support.hostile_texts import HOSTILE, is_harmless
from tui.watching.progress import Progress, RunTally, about_words

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


def judged(name, reason=""):
    return Judged(structs.replace(RECORD, verdict=Verdict(name=name, reason=reason)))


def began(moments, **sizes):
    names = sizes or {"small": 10}
    return [RunBegan(1.0, 1, "", RunPlan(), dict.fromkeys(names, ""), names), SessionBegan("small", 10, "event", 1.0, as_recorded=True, moments=moments)]  # fmt: skip


def test_a_moment_counts_once_and_one_without_a_verdict_is_done():
    happened = [*began(3), Ended(RECORD, True), Judged(RECORD), Ended(RECORD, False)]
    assert said(happened).endswith("small: event 9 of 10; 2 of 3 · 1 testable · 1 passed")


def test_of_several_samples_a_moment_the_line_says_that_it_counts_answers():
    happened = [*began(2), Ended(RECORD, True), Judged(RECORD)]
    assert said(happened, samples=5).endswith("; 1 of 10 answers · 1 testable · 1 passed")


def test_before_the_first_verdict_nothing_is_done():
    assert said([*began(4), Ended(RECORD, True), Ended(RECORD, True)]).endswith("; 0 of 4")


@pytest.mark.parametrize(("text", "passed"), [("", ""), ("return 1", " · 0 passed")])
def test_where_nothing_is_offered_it_is_not_said_that_none_passed(text, passed):
    happened = [*began(9), *[Ended(RECORD, True)] * 2, judged("untestable", "undetected"), judged("assertion")]
    shown = said(happened, settings={"provider": {"name": "fixed", "text": text}})
    assert shown.endswith(f"; 2 of 9 · 1 testable, 1 untestable (1 undetected){passed}")


def test_testable_and_untestable_moments_are_counted_apart_with_the_reasons():
    ended = [*began(9), *[Ended(RECORD, True)] * 8]
    undetected, rewritten = judged("untestable", "undetected"), judged("untestable", "rewritten")
    happened = [*ended, rewritten, undetected, undetected, judged("passed"), judged("syntax")]
    assert said(happened).endswith("; 5 of 9 · 2 testable, 3 untestable (2 undetected, 1 rewritten) · 1 passed")
    assert said([*ended, undetected]).endswith("; 1 of 9 · 1 untestable (1 undetected)")
    rare = [judged("untestable", reason) for reason in ("empty", "flaky", "diverged")]
    assert said([*ended, undetected, undetected, *rare]).endswith("(2 undetected, 1 empty, 1 flaky, 1 other)")


def test_a_failure_of_the_infrastructure_is_not_counted_as_tested():
    happened = [*began(2), *[Ended(RECORD, True)] * 2, judged("infrastructure"), judged("passed")]
    assert said(happened).endswith("; 2 of 2 · 1 testable · 1 passed · 1 not tested, as the tests could not be run")


def test_requests_that_failed_and_moments_without_a_suggestion_are_said():
    failed = structs.replace(RECORD, ending=Ending("failed", "no connection"), suggestion=None, verdict=None)
    happened = [*began(4), Ended(failed, False), Ended(RECORD, True), Judged(RECORD)]
    assert said(happened).endswith("; 2 of 4 · 1 request failed · 1 testable · 1 passed")
    nothing = structs.replace(RECORD, ending=Ending("gated", "comment"), suggestion=None, verdict=None)
    assert said([*happened, Ended(nothing, False)]).endswith(
        "; 3 of 4 · 1 suggestion · 1 request failed · 1 testable · 1 passed"
    )


def test_in_an_ablation_a_moment_counts_as_often_as_it_has_arms():
    happened = [*began(2), Ended(RECORD, True), Judged(RECORD), Tried(TRIAL), Tried(TRIAL), Ended(RECORD, True)]
    assert said(happened, ablate="repairs").endswith("; 3 of 14 verdicts · 3 testable · 3 passed")
    some = {"repairs": ["prose", "stop"]}
    assert said(happened, ablate="repairs", settings=some).endswith("; 3 of 8 verdicts · 3 testable · 3 passed")


def test_of_several_tapes_a_line_says_what_was_done_on_its_own_and_on_all():
    other = structs.replace(RECORD, moment=structs.replace(MOMENT, tape="large"))
    large = SessionBegan("large", 30, "event", 1.0, as_recorded=True, moments=5)
    happened = [*began(2, small=10, large=30), large, Ended(other, True), Ended(other, True), Judged(other)]
    assert said([*happened, Ended(RECORD, True), Judged(RECORD)]) == (
        "small: event 9 of 10; 1 of 2 · 1 testable · 1 passed (all: 2 of 7 · 2 testable · 2 passed)"
    )


def test_of_tapes_that_are_not_begun_as_many_moments_are_expected_as_of_the_others():
    happened = [*began(4, small=10, large=30), Ended(RECORD, True), Judged(RECORD)]
    assert said(happened).endswith("; 1 of about 16 · 1 testable · 1 passed")
    assert said(happened, limit=5).endswith("; 1 of about 9 · 1 testable · 1 passed")
    left_out = [*happened, LeftOut("large", "no clone")]
    assert said(left_out).endswith("; 1 of 4 · 1 testable · 1 passed")


def test_where_time_decides_the_moments_to_come_are_estimated_from_those_so_far():
    happened = [*began(None), *[Ended(RECORD, True), Judged(RECORD)] * 4, Played("small", 5, 10)]
    tally = RunTally(ReplayOptions())
    for happening in happened:
        tally.take(happening)
    assert tally.words() == "4 of about 8 · 4 testable · 4 passed"
    tally.take(Played("small", 10, 10))
    assert tally.words() == "4 of 4 · 4 testable · 4 passed"


def test_the_time_that_is_left_goes_by_the_pace_and_is_said_when_that_is_known():
    now = [100.0]
    tally = RunTally(ReplayOptions(), lambda: now[0])
    for event in [*began(20), *[Ended(RECORD, True)] * 20]:
        tally.take(event)
    words = []
    for _ in range(19):
        now[0] += 12.0
        tally.take(Judged(RECORD))
        words.append(tally.words().partition("passed")[2])
    assert words[:3] == [""] * 3
    assert words[4] == " · about 3 min left"  # 15 at 12 s each are 180 s
    assert words[14] == " · about 60 s left"
    assert words[18] == " · about 10 s left"
    tally.take(Stalled("small", "no connection", "start it", 5.0))
    assert tally.words().endswith("passed")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "10 s"),
        (44, "40 s"),
        (89, "90 s"),
        (91, "2 min"),
        (240, "4 min"),
        (3540, "59 min"),
        (4700, "1 h 20 min"),
        (7200, "2 h"),
    ],
)
def test_a_time_is_as_exact_as_it_can_be_known(seconds, words):
    assert about_words(seconds) == f"about {words}"


def test_at_80_columns_nothing_of_the_figures_is_cut():
    screen = io.StringIO()
    console = Console(file=screen, width=80, force_terminal=True, color_system=None)
    tape = "a-tape-with-a-name-that-is-longer-than-any-that-fits"
    named = structs.replace(RECORD, moment=structs.replace(MOMENT, tape=tape))
    with Progress(console, ReplayOptions()) as progress:
        progress.listen(RunBegan(1.0, 1, "", RunPlan(), {tape: ""}, {tape: 123_456}))
        progress.listen(SessionBegan(tape, 123_456, "event", 1.0, as_recorded=True, moments=1_234))
        for number in range(900):
            progress.listen(Ended(named, True))
            verdict = Verdict(name="untestable", reason="broken-baseline") if number % 3 else Verdict(name="passed")
            progress.listen(Judged(structs.replace(named, verdict=verdict)))
        progress.listen(Played(tape, 100_000, 123_456))
        progress._bars.refresh()
    last = screen.getvalue().rpartition("longer-than-any-that-fits")[2]
    assert "100000/123456 events" in last
    shown = " ".join(last.split())
    assert "900 of 1,234 · 300 testable, 600 untestable (600 broken-baseline) · 300 passed" in shown
    assert "…" not in last.rpartition("100000/123456 events")[2]


def test_what_is_said_of_the_machine_stays_on_the_screen_and_is_no_tape():
    screen = io.StringIO()
    console = Console(file=screen, width=80, force_terminal=True, color_system=None)
    with Progress(console, ReplayOptions()) as progress:
        for event in [*began(3), Note("start", "the machine is busy"), Note("small", "its tests run twice")]:
            progress.listen(event)
        assert [task.description for task in progress._bars.tasks] == ["small"]
        progress._bars.refresh()
    assert screen.getvalue().count("start: the machine is busy") == 1
    assert "small: its tests run twice" in screen.getvalue()


def test_bars_that_are_done_make_room_for_those_that_move():
    screen = io.StringIO()
    console = Console(file=screen, width=80, force_terminal=True, color_system=None)
    with Progress(console, ReplayOptions()) as progress:
        for number in range(30):
            progress.listen(Played(f"tape-{number:02}", 1, 1))
        progress.listen(Played("tape-30", 0, 1))
        shown = [task.description for task in progress._bars.tasks if task.visible]
    assert shown == [f"tape-{number}" for number in range(25, 31)]


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
