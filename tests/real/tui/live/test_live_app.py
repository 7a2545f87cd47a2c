"""Pictures of the live screen, in the sizes and themes that `make test` leaves out."""

import pytest

from tests.support.live_screen import LIVE_SCENERIES, played_to
from tests.support.screen_looks import in_other_looks


@in_other_looks
@pytest.mark.parametrize("scenery", LIVE_SCENERIES)
@pytest.mark.usefixtures("beside")
def test_live_screen(scene, snap_compare, scenery, size, theme):
    app, draw = played_to(scene, scenery, theme)
    assert snap_compare(app, terminal_size=size, run_before=draw)
