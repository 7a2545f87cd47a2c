"""A poisoner, then an innocent program, 71 times: what a program leaves in folders, layers, processes and the kernel reaches no other."""

import pytest

from runners.programs import Program
from runners.sandboxes import make
from runners.warm import warm
from tests.support.poisoning_programs import INNOCENT, POISONERS, PYTHON, SHELL

TIMEOUT_S = 20.0


def test_there_are_more_than_sixty_pairs():
    assert sum(map(len, POISONERS.values())) == 5 * len(SHELL) + len(PYTHON) == 71


@pytest.fixture
async def worker(cache, bubblewrap):
    """What runs programs warm, on one worker of each kind, so that each program follows the one before."""
    del bubblewrap
    made = await warm(make("bubblewrap"), cache, lambda _: None, workers=1)
    yield made
    await made.close()


@pytest.mark.parametrize("language", POISONERS)
async def test_an_innocent_program_does_not_notice_what_ran_before_it(language, worker, need_for):
    need_for(language)
    innocent, failed = Program(language, INNOCENT[language]), {}
    first = await worker.run(innocent, timeout_s=60.0)
    assert first.verdict_class == "passed", first
    for name, text in POISONERS[language].items():
        poisoner = await worker.run(Program(language, text), timeout_s=TIMEOUT_S)
        after = await worker.run(innocent, timeout_s=TIMEOUT_S)
        if (poisoner.verdict_class, after.verdict_class) != ("passed", "passed"):
            failed[name] = (poisoner.verdict_class, poisoner.message, after.verdict_class, after.message)
    assert failed == {}
