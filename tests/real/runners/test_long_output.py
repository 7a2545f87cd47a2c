"""Output without sense or end is read in a bounded time."""

import time

import pytest

from runners.protocol import Completed
from runners.verdicts import classify


@pytest.mark.parametrize(
    "text",
    ["\n" * 2_000_000, " " * 2_000_000, "  error: 'x'\n" * 150_000, "E" * 2_000_000, 'File "x"\n' * 200_000],
    ids=["empty lines", "spaces", "errors", "one word", "files"],
)
def test_output_without_sense_or_end_is_read_in_no_time(text):  # on both streams together as much as a run may write
    started = time.process_time()
    classify(Completed(1, None, text, text, 1.0), "python -m pytest")
    classify(Completed(1, None, text, text, 1.0), "", "python")
    assert time.process_time() - started < 30  # without bounds: many minutes
