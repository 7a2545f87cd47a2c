"""Verdicts of answers to a block that several tests reach: ours, against the way of the published script of Codev-Bench (`run_unit_test_command` of its `src/prepare.py`).

`tools/codev_beside.py` does the same with the script itself, where that was fetched.
"""

import asyncio
import shlex

import pytest

from corpora.codev.layout.layout_writer import unit_test_command
from replay.tapes.tape import Tests as ProjectTests
from runners.project import ProjectPlan, prepare
from runners.protocol import Job
from runners.sandboxes import make
from runners.warm.warm_projects import WarmTests

CODE = "def double(x):\n    return x * 2\n"
NAMES = ("one", "two", "three")
TESTS = "from app import double\n" + "".join(f"\n\ndef test_{name}():\n    assert double(2) == 4\n" for name in NAMES)
FILES = {"src/app.py": CODE, "tests/test_app.py": TESTS}
SAID = ProjectTests("python", "PYTHONPATH=src python -m pytest -p no:cacheprovider", ("pytest", "pytest-timeout"))
NODES = tuple(f"tests/test_app.py::test_{name}" for name in NAMES)
LEAST = 10
"""So many times the verdicts a minute of the published way."""
ANSWERS = ("return x * 2", "return x + x", "return 2 * x", "return x + 3")


def in_its_way(answer):
    """The commands by which the script judges one answer: a test after the other until one fails, each in a pytest of its own."""
    changed = CODE.replace("return x * 2", answer)
    calls = [unit_test_command(SAID, node, "/project", FILES, "python") for node in NODES]
    each = [f"{{ {call} --timeout=120 --timeout_method=thread > log; }}" for call in calls]
    return f"printf %s {shlex.quote(changed)} > src/app.py && " + " && ".join(each)


@pytest.fixture
def project(need, cache):
    need("bwrap")
    plan = ProjectPlan("python", requires=SAID.requires, command=SAID.command)
    project = asyncio.run(prepare(FILES, plan, make("bubblewrap"), cache, lambda _: None))
    yield project
    project.close()


def test_verdicts_of_blocks_against_the_published_way(project, measure, benchmark):
    number = 1 if benchmark.disabled else 5
    base = project.workspace.folder / "base"
    with asyncio.Runner() as runner:
        warm = runner.run(WarmTests.of(project, FILES, lambda _: None, 2))
        runner.run(warm.run({}, frozenset(NODES)))

        async def ours():
            changed = [{"src/app.py": CODE.replace("return x * 2", answer)} for answer in ANSWERS * number]
            return [
                result.tests for result in await asyncio.gather(*(warm.run(each, frozenset(NODES)) for each in changed))
            ]

        async def published():
            for answer in ANSWERS * number:
                job = Job(base, in_its_way(answer), env=project.layer.env, mounts=project.layer.mounts)
                assert (await make("bubblewrap").run(job)).exit == (0 if answer != ANSWERS[-1] else 1)

        found = measure(
            lambda: runner.run(ours()),
            lambda: runner.run(published()),
            rounds=2,
            per_s=len(ANSWERS) * number,
        )
        runner.run(warm.close())
    assert [tests >= set(NODES) for tests in found] == [True, True, True, False] * number
    if not benchmark.disabled:  # once, and beside other tests, says nothing of the time
        assert benchmark.extra_info["ratio"] <= 1 / LEAST
