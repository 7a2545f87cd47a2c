"""How many examples a property is tried with, and on how many inputs: few in `make test`, ten times as many in `make test-real`."""

import os

SCALE = int(os.environ.get("GHOSTTAPE_TEST_SCALE", "1"))


def examples(most):
    """Return how many examples to draw: 20 times the scale, and never more than `most`."""
    return min(most, 20 * SCALE)


def sampled(inputs):
    """Return each tenth of the inputs, from the first to the last; all of them at ten times the scale.

    A test that uses it is marked `@pytest.mark.sampled`, so that `make test-real` runs it again on all of them.
    """
    return inputs[:: max(1, 10 // SCALE)]
