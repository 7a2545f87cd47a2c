"""An answer of the whole DevBench gives the same suggestion however it was cut into pieces."""

from tests.support.streamed_answers import cut_differently, drawn_answers


def test_pieces_make_no_difference_to_published_answers(shared):
    assert cut_differently(drawn_answers(shared, 150)) == []
