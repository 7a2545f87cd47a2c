"""A session of 92 minutes as a crowd-code 1.x table becomes a tape."""

from tests.support.crowd_code_tables import imported, rewritten
from tests.support.random_sessions import replayed


def test_a_long_session_comes_through_the_table_whole(tmp_path, long_session):
    rows, texts = rewritten(long_session)
    assert replayed(imported(tmp_path, *rows).tape) == texts
