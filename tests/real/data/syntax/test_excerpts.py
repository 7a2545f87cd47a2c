"""A tree that came from an excerpt is the one of the whole text, in programs of the whole DevBench."""

from tests.support.excerpt_sessions import checked_on_devbench


def test_an_excerpt_has_the_nodes_of_the_whole_text_in_the_programs_of_devbench(shared):
    seen = checked_on_devbench(shared)
    assert min(seen.values()) > 3, seen
    assert len(seen) == 6
