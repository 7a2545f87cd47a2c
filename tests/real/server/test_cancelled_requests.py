"""Requests to every provider that are cancelled at any time."""

import pytest

from tests.support.cancelled_requests import cancel_many
from tests.support.provider_conformance import SUBJECTS


@pytest.mark.parametrize("subject", [one for one in SUBJECTS if one.cancels], ids=lambda subject: subject.id)
async def test_many_requests_that_are_cancelled_anywhere_leave_no_task_thread_or_socket(subject):
    await cancel_many(subject)
