import asyncio
import errno
import os

import pytest

from corpora.errors import HistoryError
from runners.errors import MachineFails
from server.chat import ask_each
from server.errors import ProviderMissing
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


def test_a_command_may_have_an_option_of_any_name():
    @guarded
    def judge(command, args, kwargs):
        return command, args, kwargs

    assert judge(command=1, args=2, kwargs=3) == (1, 2, 3)


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("errors", "status", "said"),
    [
        ([MachineFails("no processes are left")], ExitStatus.LACKING, "no processes are left"),
        ([ValueError("x"), RuntimeError("can't start new thread")], ExitStatus.LACKING, "can't start new thread"),
        ([ExceptionGroup("inner", [FULL])], ExitStatus.LACKING, FULL.strerror),
        ([ConfigurationError("x")], ExitStatus.WRONG_USE, "x"),
    ],
)
def test_what_fails_in_one_of_several_things_at_once_is_said_in_a_line(errors, status, said, capsys):
    @guarded
    def command():
        raise ExceptionGroup("tasks", errors)

    with pytest.raises(SystemExit) as ended:
        command()
    written = capsys.readouterr().err
    assert ended.value.code == status
    assert said in written
    assert written.count("\n") == 1


def test_a_disk_that_is_full_is_known_behind_an_error_of_a_group_too():
    error = HistoryError("x")
    error.__cause__ = FULL

    @guarded
    def command():
        raise ExceptionGroup("tasks", [error])

    with pytest.raises(SystemExit) as ended:
        command()
    assert ended.value.code == ExitStatus.LACKING


def test_a_bug_in_one_of_several_things_at_once_is_no_failure_of_the_machine():
    @guarded
    def command():
        raise ExceptionGroup("tasks", [KeyError("bug")])

    with pytest.raises(KeyError, match="bug"):
        command()


def test_a_command_may_have_a_parameter_of_any_name():
    @guarded
    def replay(command, args):
        return command, args

    assert replay(command="pytest", args="-q") == ("pytest", "-q")


@pytest.mark.parametrize("error", [FULL, ProviderMissing("no model")])
def test_questions_side_by_side_end_with_the_error_itself(error):
    async def fail(_):
        raise error

    with pytest.raises(type(error)) as raised:
        asyncio.run(ask_each([1, 2], fail, 2, lambda _: None))
    assert raised.value is error
