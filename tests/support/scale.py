"""How many examples a property is tried with: few in `make test`, ten times as many in `make test-real`."""

import os

SCALE = int(os.environ.get("GHOSTTAPE_TEST_SCALE", "1"))


def examples(most):
    """Return how many examples to draw: 20 times the scale, and never more than `most`."""
    return min(most, 20 * SCALE)
