"""What happens where the kernel starts no thread."""

import threading

import pytest

from runners.limits.processes import in_thread


def _refused(thread):
    raise RuntimeError("can't start new thread")


async def test_work_with_files_is_done_without_a_thread_where_none_can_be_started(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", _refused)
        assert await in_thread(threading.current_thread) is threading.main_thread()


async def test_work_with_files_is_done_in_a_thread_otherwise():
    assert await in_thread(threading.current_thread) is not threading.main_thread()


async def test_an_error_of_the_work_itself_is_raised():
    def broken():
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        await in_thread(broken)
