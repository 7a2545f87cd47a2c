"""What watching a run costs: processor time (user and system) of the run and of the screen together, against the run that nobody watches."""

import subprocess

from tests.support.places import SCRIPT
from tests.support.processor_time import account
from tests.support.terminals import Terminal

WORDS = ["replay", "demo", "--provider", "oracle", "--latency", "fixed:0"]


def test_watching_the_demo_against_not_watching_it(benchmark, capsys, tmp_path):
    """The demo with the oracle, at full speed and with all its tests."""
    if benchmark.disabled:
        WORDS[3:] = ["fixed", "--latency", "fixed:0", "--no-tests", "--limit", "3"]
    rounds = 1 if benchmark.disabled else 3
    alone = [unwatched(tmp_path / f"alone{number}", tmp_path) for number in range(rounds)]
    seen = []
    benchmark.pedantic(lambda: seen.append(watched(tmp_path)), rounds=rounds)
    ratio = round(min(seen) / min(alone), 3)
    told = {"unwatched_s": round(min(alone), 2), "watched_s": round(min(seen), 2), "ratio": ratio}
    benchmark.extra_info.update(told)
    if not benchmark.disabled:
        with capsys.disabled():
            print(f"\nwatching the demo: {told}")  # noqa: T201 - what is measured is for a person


def unwatched(out, folder):
    with account() as spent:
        subprocess.run([SCRIPT, *WORDS, "--out", str(out)], cwd=folder, check=True, capture_output=True)
        return spent()


def watched(folder):
    with account() as spent:
        terminal = Terminal([SCRIPT, *WORDS, "--live"], folder, columns=120)
        try:
            assert terminal.status(within_s=600) == 0, terminal.drawn[-2000:]
        finally:
            terminal.end()
        return spent()
