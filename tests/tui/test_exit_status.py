import errno
import os

import pytest

from corpora.errors import HistoryError
from tui.errors import ConfigurationError, LackingError
from tui.outcome import ExitStatus, guarded

FINE = {"tapes": {"small": {}}, "endings": {"shown": 3}, "verdicts": {"passed": 2, "failed": 1}, "left_out": []}


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, ExitStatus.DONE),
        ({"ablation": {"infrastructure": 0}}, ExitStatus.DONE),
        ({"ablation": {"infrastructure": 1}}, ExitStatus.FAILURES),
        ({"endings": {"failed": 1}}, ExitStatus.FAILURES),
        ({"verdicts": {"infrastructure": 1}}, ExitStatus.FAILURES),
        ({"left_out": [{"tape": "a", "why": "lacking"}]}, ExitStatus.DONE),
        ({"left_out": [{"tape": "a", "why": "failed"}]}, ExitStatus.FAILURES),
        ({"tapes": {}}, ExitStatus.LACKING),
    ],
)
def test_numbers_that_are_not_whole_end_with_a_status_that_says_so(more, status):
    assert ExitStatus.of({**FINE, **more}) == status


@pytest.mark.parametrize(
    ("error", "cause", "status"),
    [
        (HistoryError("x"), OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), ExitStatus.LACKING),
        (ConfigurationError("x"), OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)), ExitStatus.LACKING),
        (HistoryError("x"), OSError(errno.ENOENT, os.strerror(errno.ENOENT)), ExitStatus.WRONG_USE),
        (HistoryError("x"), None, ExitStatus.WRONG_USE),
        (LackingError("x"), None, ExitStatus.LACKING),
    ],
)
def test_a_disk_that_is_full_is_no_wrong_use(error, cause, status, capsys):
    @guarded
    def command():
        raise error from cause

    with pytest.raises(SystemExit) as ended:
        command()
    assert ended.value.code == status
    assert capsys.readouterr().err == "ghosttape: x\n"
