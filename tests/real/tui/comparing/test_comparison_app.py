"""Pictures of the screen of two runs, in the sizes and themes that `make test` leaves out."""

import pytest

from tests.support.comparison_screen import COMPARISON_KEYS, compared, drawing
from tests.support.screen_looks import in_other_looks
from tui.comparing.app import ComparisonApp


@in_other_looks
@pytest.mark.parametrize("scenery", COMPARISON_KEYS)
def test_comparison_screen(two_runs, snap_compare, scenery, size, theme):
    app = ComparisonApp(compared(two_runs))
    assert snap_compare(app, terminal_size=size, run_before=drawing(app, scenery, theme))
