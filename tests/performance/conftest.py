"""What is measured is measured against a floor on the same machine: the ratio says something elsewhere too.

What a benchmark lacks is said by a fixture that it names before `measure` or `benchmark`: it is skipped before anything is to be measured.
"""

import time

import pytest

from replay.tapes.tape import write
from tests.support.whole_data import long_session, shared  # noqa: F401 - fixtures


def fastest(work, prepare, rounds):
    """The least seconds of several rounds, each prepared outside the clock."""
    seconds = []
    for _ in range(rounds):
        prepare()
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


@pytest.fixture
def measure(benchmark, capsys, request):
    """A function that runs some work as a benchmark and sets it against a floor; gives what the work gave.

    The ratio (work by floor, each its fastest round) and all further figures are kept in `extra_info` and, when benchmarks
    are enabled, printed. With benchmarks disabled everything runs once, as a check.
    """

    def run(work, floor, *, prepare=lambda: None, rounds=10, per_s=None, **figures):
        result = benchmark.pedantic(work, setup=prepare, rounds=rounds)
        rounds = 1 if benchmark.disabled else rounds
        took, least = fastest(work, prepare, rounds), fastest(floor, prepare, rounds)
        told = {"ratio": round(took / least, 2), "work_ms": round(took * 1000, 3), "floor_ms": round(least * 1000, 3)}
        if per_s is not None:
            told["per_s"] = round(per_s / took)
        benchmark.extra_info.update(told | figures)
        if not benchmark.disabled:
            with capsys.disabled():
                print(f"\n{request.node.name}: {benchmark.extra_info}")  # noqa: T201 - what is measured is for a person
        return result

    return run


@pytest.fixture(scope="session")
def long_tape(long_session, tmp_path_factory):  # noqa: F811 - a fixture
    """The path of the longest recording as a tape."""
    path = tmp_path_factory.mktemp("tapes") / "long.tape.jsonl"
    write(long_session, path)
    return path
