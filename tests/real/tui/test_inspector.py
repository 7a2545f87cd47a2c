"""Pictures of the inspector, in the sizes and themes that `make test` leaves out."""

import pytest

from tests.support.inspector_screen import PAGES_AND_DIALOGS, SCREENS, pressing, themed, turning_to
from tests.support.screen_looks import in_other_looks


@in_other_looks
@pytest.mark.parametrize("keys", SCREENS.values(), ids=SCREENS)
def test_screen(folder, snap_compare, size, keys, theme):
    assert snap_compare(themed(folder, theme), press=keys, terminal_size=size)


@in_other_looks
@pytest.mark.parametrize("keys", PAGES_AND_DIALOGS.values(), ids=PAGES_AND_DIALOGS)
def test_page_or_dialog(folder, snap_compare, size, keys, theme):
    assert snap_compare(themed(folder, theme), run_before=pressing(keys), terminal_size=size)


@in_other_looks
@pytest.mark.parametrize("name", ["suggestion", "hole", "graft", "time"])
def test_screen_of_a_real_run(real_run, snap_compare, size, name, theme):
    assert snap_compare(themed(real_run, theme), run_before=turning_to(name), terminal_size=size)
