"""Pictures of asking again, in the sizes and themes that `make test` leaves out."""

from tests.support.asking_again import listed, refused
from tests.support.inspector_screen import themed
from tests.support.screen_looks import in_other_looks


@in_other_looks
def test_dialog(asked_run, snap_compare, size, theme):
    assert snap_compare(themed(asked_run, theme), run_before=refused, terminal_size=size)


@in_other_looks
def test_list(asked_run, snap_compare, size, theme):
    assert snap_compare(themed(asked_run, theme), run_before=listed, terminal_size=size)
