import math
import statistics

import pytest

from replay.play.latency import AnswerThen, LatencyError, _Drawn, _requests, latency_of
from replay.tapes.tape import Ghost
from tests.support.recorded_logs import ends_of, kaplan_meier, log_of
from tests.support.recording_names import BEGINNING
from tests.support.tapes import Typist, moment_of


def moments(n):
    return [moment_of(number) for number in range(n)]


def draws(text, seed, n=20_000):
    latency = latency_of(text, seed)
    return [latency.draw(moment) for moment in moments(n)]


def test_measured_draws_nothing():
    assert draws("measured", 0, 3) == [None, None, None]


def test_fixed_is_the_same_for_every_moment():
    assert draws("fixed:80", 0, 2) == [80.0, 80.0]


@pytest.mark.parametrize(("median", "sigma"), [(250.0, 0.6), (40.0, 0.1)])
def test_lognormal_draws_have_the_median_and_the_sigma_that_were_asked_for(median, sigma):
    logs = [math.log(value) for value in draws(f"lognormal:{median},{sigma}", 1)]
    of_the_mean = sigma / math.sqrt(len(logs))
    assert statistics.median(logs) == pytest.approx(math.log(median), abs=5 * of_the_mean)
    assert statistics.stdev(logs) == pytest.approx(sigma, rel=0.03)


def test_the_same_seed_gives_the_same_draws_and_another_seed_others():
    assert draws("lognormal:250,0.6", 7, 50) == draws("lognormal:250,0.6", 7, 50)
    assert draws("lognormal:250,0.6", 7, 50) != draws("lognormal:250,0.6", 8, 50)


def test_a_draw_belongs_to_its_moment_whatever_else_is_drawn():
    latency, asked = latency_of("lognormal:250,0.6", 7), moments(10)
    backwards = [latency.draw(moment) for moment in reversed(asked)]
    assert backwards[::-1] == draws("lognormal:250,0.6", 7, 10)


def test_without_spread_every_draw_is_the_median():
    assert draws("lognormal:250,0", 3, 5) == pytest.approx([250.0] * 5)


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "measured:", "measured:5", "measured:nan", "fixed", "fixed:", "fixed:soon", "fixed:-1"),
        *("fixed:1,2", "fixed:nan", "fixed:inf", "fixed:1e999", "lognormal", "lognormal:250", "lognormal:0,1"),
        *("lognormal:-5,1", "lognormal:250,-1", "lognormal:1,2,3", "lognormal:inf,1", "lognormal:250,inf", "80"),
    ],
)
def test_what_is_no_latency_is_refused_with_examples(text):
    with pytest.raises(LatencyError, match=r"is no latency: say measured, tape, fixed:MS \(fixed:80\)"):
        latency_of(text, 0)


def test_an_unknown_latency_proposes_the_nearest():
    with pytest.raises(LatencyError, match=r"'fixd:80' is no latency \(did you mean 'fixed'\?\): say measured"):
        latency_of("fixd:80", 0)


def assisted():
    """Asked four times: answered after 30 and after 200 ms, and twice overtaken by a key after 100 ms."""
    typist = Typist(gap=1000)
    for request, latency in enumerate((30.0, None, 200.0, None)):
        typist.type("x")
        typist.events.append(Ghost(typist.t, 0, request, "asked", request + 1))
        if latency is not None:
            typist.events.append(Ghost(typist.t + latency, 0, request, "shown", request + 1, "y", latency))
        typist.t -= 900 if latency is None else 0
    return typist.type("z").tape()


def test_the_tapes_own_requests_have_their_own_latency_and_those_in_vain_a_longer_one_than_they_were_waited_for():
    tape = assisted()
    asked = [index for index, event in enumerate(tape.events) if isinstance(event, Ghost) and event.phase == "asked"]
    latency = latency_of("tape", 0, tape)
    assert [latency.draw(moment_of(index)) for index in asked] == [30.0, 200.0, 200.0, 200.0]


def test_elsewhere_the_latency_is_drawn_as_if_those_in_vain_might_have_been_slow():
    """By hand, Kaplan-Meier: 1/4 at 30 ms; of the one left after the two censored at 100 ms all at 200: 3/4 there."""
    latency = latency_of("tape", 0, assisted())
    drawn = [latency.draw(moment_of(1000 + number)) for number in range(4000)]
    assert set(drawn) == {30.0, 200.0}
    assert drawn.count(30.0) / len(drawn) == pytest.approx(0.25, abs=0.03)


def test_what_a_policy_withheld_was_as_quick_as_it_was_for_another_policy_and_is_not_shown_where_it_is_asked_again():
    """Each answer takes 20 ms and is shown after 200 at the earliest; of the first two the next key comes after 110 ms."""
    typist = Typist(gap=1000)
    for request, gap in enumerate((110, 110, 900)):
        typist.type("x")
        typist.events.append(Ghost(typist.t, 0, request, "asked", request + 1))
        typist.events.append(Ghost(typist.t + 20, 0, request, "answered", latency=20.0))
        if gap > 200:
            typist.events.append(Ghost(typist.t + 200, 0, request, "shown", request + 1, "y", 200.0))
        typist.t -= 1000 - gap
    tape = typist.type("z").tape()
    asked = [index for index, event in enumerate(tape.events) if isinstance(event, Ghost) and event.phase == "asked"]
    latency = latency_of("tape", 0, tape)
    assert [latency.draw(moment_of(index)) for index in asked] == [20.0] * 3
    assert [latency.then(moment_of(index)) for index in asked] == [None] * 3
    again = [latency.then(moment_of(index, request=number)) for number, index in enumerate(asked)]
    assert again == [AnswerThen(20.0, math.inf), AnswerThen(20.0, math.inf), AnswerThen(20.0, 200.0)]


def test_a_tape_without_answers_has_no_latencies():
    with pytest.raises(LatencyError, match=r"its assistant answered nothing"):
        latency_of("tape", 0, Typist().type("a").tape())


def test_the_longest_wait_is_no_latency():
    """By hand: of 100, 200 and 300 ms with waits of 50, 250 and 60,000 ms the curve ends at 13/20; then the longest answer."""
    drawn = _Drawn([100.0, 200.0, 300.0], [50.0, 250.0, 60_000.0])
    assert drawn.shares == pytest.approx([1 / 5, 2 / 5, 7 / 10])
    assert [drawn.at(share) for share in (0.0, 0.19, 0.39, 0.69, 0.71, 0.99)] == [100, 100, 200, 300, 300, 300]


def test_the_tapes_latencies_are_those_of_its_own_log(recording_file, recorded_session):
    """Against Kaplan and Meier by hand, from the recording's log."""
    curve = kaplan_meier(ends_of(log_of(recording_file(BEGINNING))))
    answered, waited = _requests(recorded_session)
    drawn = _Drawn(list(answered.values()), list(waited.values()))
    for share in (0.1, 0.25, 0.5):
        assert drawn.at(share) == next(at for at, passed in curve if passed >= share)
