"""The provider `lsp` on a bench."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.lsp_provider import Bench
from tests.support.waiting import PATIENCE_S


@pytest.fixture
async def bench(tmp_path):
    opened = []

    def open_(plan=None, **settings):
        opened.append(Bench(tmp_path, plan or {}, **settings))
        return opened[-1]

    yield open_
    for each in opened:
        await asyncio.wait_for(each.provider.close(), PATIENCE_S)
