"""How much faster several questions at once are, as a ratio within one run: it says the same on every machine."""

from tests.support.counting_server import counting_server
from tests.support.devbench_data import instance, write
from tests.support.program import run_in

QUESTIONS, AT_ONCE, LATENCY_S, GOAL = 64, 8, 0.5, 6.0


def test_eight_at_a_time_are_six_times_as_fast_as_one_at_a_time(tmp_path):
    rows = [instance(number, f"    return {number} * x", prefix=f"def f{number}(x):\n") for number in range(QUESTIONS)]
    write(tmp_path / "data", *rows)
    flags = ("--data", "data", "--languages", "python", "--categories", "low_context", "--no-tests", "--json")
    took = {}
    for places in (1, AT_ONCE):
        with counting_server(latency_s=LATENCY_S) as server:
            provider = ("--provider", "openai", "--base-url", server.url, "--model", "m", "--concurrency", places)
            run_in(tmp_path, "evaluate", "devbench", *flags, *provider)
            began, *_, last = sorted(server.times[-QUESTIONS:])
            took[places] = last + LATENCY_S - began
            assert server.most_in_flight == places
    said = f"{took[1]:.1f} s one by one, {took[AT_ONCE]:.1f} s with {AT_ONCE} at once"
    assert took[1] / took[AT_ONCE] >= GOAL, said
