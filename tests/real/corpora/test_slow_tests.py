"""Tests that take long are given longer."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.agent.stages import EnvironmentFinder
from corpora.agent.work import StageFolder
from corpora.mined.checkout import read_checkout
from runners.environments import NotTestable
from runners.sandboxes import pick


async def test_a_person_may_give_slow_tests_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "test_slow.py").write_text("import time\n\n\ndef test_slow():\n    time.sleep(1.2)\n")
    checkout = read_checkout(tmp_path / "slow", "")

    def finder(timeout_s: float) -> EnvironmentFinder:
        folder = StageFolder.of("slow", checkout)
        return EnvironmentFinder(checkout, pick("auto"), cache, folder, lambda _: None, timeout_s=timeout_s)

    with pytest.raises(NotTestable, match="give them longer with --test-timeout"):
        await finder(1.0).found()
    assert (await finder(222.0).found()).tests.timeout_s == 222
