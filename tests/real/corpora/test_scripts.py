"""A project in JavaScript, from its files to blocks and verdicts: its tests say by files what they call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from corpora.agent.block_sampling import BlockDistribution, SampleChoice
from corpora.agent.stages import EnvironmentLock, RepositoryBuilder
from corpora.mined.checkout import read_checkout
from runners.sandboxes import pick
from tests.support.block_verdicts import corpus_file, judged, sandboxed_context

CODE = """\
export function total(prices) {
  let found = 0;
  for (const price of prices) {
    found += price;
  }
  return found;
}

export function unchecked() {
  return 1;
}
"""
TESTS = """\
import test from 'node:test';
import assert from 'node:assert';
import { total, unchecked } from './cart.mjs';

test('total', () => { unchecked(); assert.equal(total([1, 2]), 3); });
"""
PACKAGE = '{"name": "cart", "type": "module", "scripts": {"test": "node --test"}}'


def test_blocks_of_scripts_that_their_tests_notice_are_judged_by_those(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path, need: Callable[..., None]
) -> None:
    need("node", "bwrap")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cart").mkdir()
    for name, text in {"cart.mjs": CODE, "cart.test.mjs": TESTS, "package.json": PACKAGE}.items():
        (tmp_path / "cart" / name).write_text(text)

    async def found() -> tuple[set[str], list[tuple[str, str]]]:
        checkout = read_checkout(tmp_path / "cart", "")
        builder = RepositoryBuilder("cart", checkout, pick("auto"), cache, lambda _: None)
        every = BlockDistribution({"METHOD": 1, "FOR": 1})
        built = await builder.build("samples", SampleChoice(9, every))
        verdicts = await judged(corpus_file(built, tmp_path), 1, sandboxed_context(cache))
        kept = {CODE[sample.start : sample.end] for sample in built.samples}
        return kept, [(truth.name, nothing.name) for _, truth, nothing in verdicts]

    kept, verdicts = asyncio.run(found())
    (lock,) = Path(".ghosttape").rglob("lock.json")
    assert msgspec.json.decode(lock.read_bytes(), type=EnvironmentLock).versions[0].startswith("node==")
    assert kept == {CODE[CODE.index("let") : CODE.index("\n}")], "found += price;"}
    assert verdicts == [("passed", "assertion")] * 2
