"""From a key to ghost text in a real VS Code: ghosttape with a model that answers at once, beside an extension that returns a constant."""

import statistics

import pytest

from tests.support.extension import extension, npm_in, vsix  # noqa: F401 - fixtures
from tests.support.vscode.windows import browser, editor_installed, model, open_file, probe, start_editor  # noqa: F401

DEBOUNCE_MS = 75
KEYS = 40


@pytest.fixture
def measured(open_file):  # noqa: F811
    """A function that types keys in a file, one at a time, and gives the ms from each to its ghost text."""

    def give(file, keys, settings):
        window = open_file("x = 1\n", file=file, settings=settings, runs=file.endswith(".py"))
        assert window.allows_proposals  # the other extension runs too
        window.until(
            lambda: window.type("a", gap=0.5) or window.ghost, "ghost text"
        )  # an extension may have just started
        window.watch()
        for number in range(keys):
            window.press("Escape", gap=0.2)
            window.type("abcdefghij"[number % 10], gap=0.6)
        window.until(lambda: window.seen, "ghost text was noted", 5)
        first = {seen.keys: seen.after for seen in reversed(window.seen)}
        window.page.close()
        return sorted(first.values())

    return give


def test_key_to_ghost(measured, model, benchmark, capsys):  # noqa: F811
    model.answer = lambda asked: "constant" + asked["prompt"][-1:]
    settings = {"ghosttape.policy": f"vscode:debounce={DEBOUNCE_MS}", "ghosttape.provider": model.settings}
    keys = 3 if benchmark.disabled else KEYS
    plain = measured("plain.txt", keys, settings)
    ours = []
    benchmark.pedantic(lambda: ours.extend(measured("ours.py", keys, settings)), rounds=1)
    assert min(len(ours), len(plain)) >= keys * 0.8
    medians = {
        name: round(statistics.median(times)) for name, times in (("ghosttape", ours), ("plain extension", plain))
    }
    told = {f"{name}, median ms": value for name, value in medians.items()}
    told |= {"difference, ms": medians["ghosttape"] - medians["plain extension"], "debounce, ms": DEBOUNCE_MS}
    told |= {"90th percentiles, ms": [round(statistics.quantiles(times, n=10)[-1]) for times in (ours, plain)]}
    benchmark.extra_info.update(told)
    if not benchmark.disabled:
        with capsys.disabled():
            print(f"\nkey to ghost text: {told}")  # noqa: T201 - what is measured is for a person
