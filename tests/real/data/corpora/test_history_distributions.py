"""The named distributions say what was measured in the recording of 92 minutes, and draws follow it."""

import random
import statistics

import msgspec
import pytest
from scipy.stats import ks_2samp

from corpora.history.session.distributions import CONTEXTS, named_distributions
from tools.commit_distributions import gaps, measured

DRAWN = named_distributions()
TABLE = msgspec.to_builtins(DRAWN)
KINDS = ("burst", "pausing", "pause")
NAMED = {f"{kind}.{name}": TABLE[kind][name] for kind in KINDS for name in TABLE[kind]} | {
    name: values for name, values in TABLE.items() if name not in KINDS
}
MEASURED = sorted(name for name, values in NAMED.items() if values["n"])


@pytest.fixture(scope="session")
def again(long_session, once):
    return once("commit-distributions", lambda: measured(long_session))


def drawn_gaps(context, count=8_000, seed=7):
    chance = random.Random(seed)
    return [DRAWN.gap(chance, context) for _ in range(count)]


@pytest.mark.parametrize("name", MEASURED)
def test_what_is_marked_as_measured_is_measured_again(name, again):
    n, value = again[name]
    stored = NAMED[name]
    found = next(stored[key] for key in ("parts", "p", "mean") if key in stored)
    assert stored["source"].startswith("recording")
    assert (stored["n"], found) == (n, msgspec.to_builtins(value))


@pytest.mark.parametrize("context", [context for context in CONTEXTS if context != "paste"])
def test_drawn_gaps_are_those_of_the_recording(context, long_session):
    """The recorder's clock goes in steps of 22.4 ms: each recorded gap may lie anywhere within one step."""
    chance = random.Random(5)
    recorded = [gap + chance.uniform(-11.2, 11.2) for gap in gaps(long_session)[context]]
    assert ks_2samp(recorded, drawn_gaps(context)).pvalue > 0.05


def test_the_gaps_of_another_context_are_not_those_of_the_recording(long_session):
    assert ks_2samp(gaps(long_session)["letter"], drawn_gaps("sign")).pvalue < 1e-9


def test_all_gaps_together_have_the_quantiles_of_the_recording(long_session):
    by_context = gaps(long_session)
    recorded = [gap for sample in by_context.values() for gap in sample]
    made = [gap for context, sample in by_context.items() for gap in drawn_gaps(context, 10 * len(sample))]
    ours, theirs = (statistics.quantiles(sample, n=20) for sample in (made, recorded))
    assert ours[1:19] == pytest.approx(theirs[1:19], rel=0.3)
