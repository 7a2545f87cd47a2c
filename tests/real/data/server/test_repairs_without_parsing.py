"""What costs no parse, for all answers of DevBench."""

from tests.support.repair_shortcuts import taken_on_devbench


def test_a_step_that_does_not_look_at_the_tree_would_have_changed_none_of_the_answers(shared):
    seen = taken_on_devbench(shared)
    assert set(seen) == {"prose", "indent", "brackets", "stop"}
    assert min(seen.values()) > 1000, seen
