"""How long the command lines of a terminal take to be read."""

import time

import pytest

from replay.recording.recorder import commands_that_test


@pytest.mark.parametrize(("piece", "begin"), [("--flag ", "npx "), ("test: ", "mvn "), ("A=1 ", ""), ("'", "x")])
def test_a_long_line_is_read_in_no_time(piece, begin):
    began = time.process_time()
    commands_that_test(begin + 5001 * piece)
    assert time.process_time() - began < 5
