"""A run that ends after any of its commits, and is continued, has the records of one that nothing ended."""

import asyncio

import pytest

from replay.run.store import Store
from replay.tapes.tape import Tests as ProjectTests
from tests.support.replays import FIXED, options_of, run
from tests.support.scale import sampled
from tests.support.tapes import Typist

TEXT = "def f(x):\n    return x + 1\n\n\ndef g(x):\n    if x:\n        return 2\n    return 3\n"


class Died(BaseException):
    """The end of the process, of which no code hears."""


def dying_after(commits):
    """A store that commits so often and never again."""

    class Dying(Store):
        left = commits

        def before_commit(self):
            if Dying.left == 0:
                raise Died
            Dying.left -= 1

    return Dying


@pytest.fixture
def replay(tmp_path):
    """A function that replays a tape into a folder, with tests that some of the answers pass."""
    tests = ProjectTests(toolchain="none", command="grep -q 'return x + 1' a.py")
    tape = Typist(tests=tests).type(TEXT).checkpoint().tape()

    async def replay(folder, store=Store, **options):
        known = {"settings": FIXED, "latency": "lognormal:60,0.8", "tests": True, "sandbox": "none"}
        place = {"cache": tmp_path / "cache", "store": store}
        running = run([tape], tmp_path / folder, options_of(**{**known, **options}), **place)
        return await asyncio.create_task(running)  # as each process has a task of its own

    return replay


def kept(folder):
    """What a run says of each moment and of itself, without what the wall clock measured."""
    with Store.open(folder) as store:
        records = {
            record.moment.id: (
                record.moment,
                record.ending,
                record.suggestion and (record.suggestion.text, record.suggestion.raw, record.suggestion.latency),
                record.verdict and (record.verdict.name, record.verdict.reason, record.verdict.message),
                record.covered,
            )
            for record in store.records()
        }
        trials = {(each.moment, each.arm): (each.text, each.verdict.name) for each in store.trials()}
        return records, trials


def figures(summary):
    return {name: summary.get(name) for name in ("moments", "endings", "verdicts", "untestable", "metrics", "effort")}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "options",
    sampled(
        [
            pytest.param({"policy": "vscode", "limit": 2, "seed": 2}, id="vscode"),
            pytest.param({"limit": 2}, id="blocks"),
            pytest.param({"policy": "vscode", "limit": 3, "mode": "drive", "user": "words"}, id="drive"),
            pytest.param(
                {"limit": 1, "ablate": "repairs", "settings": {**FIXED, "repairs": ["indent"]}}, id="ablation"
            ),
        ]
    ),
)
async def test_it_may_end_after_any_commit(replay, tmp_path, options):
    whole = await replay("whole", **options)
    records, trials = kept(tmp_path / "whole")
    assert records
    for commits in range(1000):
        folder, died = f"after-{commits}", False
        try:
            await replay(folder, dying_after(commits), **options)
        except* Died:
            died = True
        if not died:
            break
        continued = await replay(folder, **options)
        assert kept(tmp_path / folder) == (records, trials), f"after {commits} commits"
        assert figures(continued) == figures(whole), f"after {commits} commits"
    assert commits > len(records) + len(trials), "no fault was put in"
