"""Verdicts a second, from fresh sandboxes and from warm workers, against empty programs in the bare toolchain."""

import asyncio
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from runners import programs
from runners.sandboxes import make
from runners.warm import warm
from tests.support.devbench_answers import golden
from tests.support.processor_time import account

TIMEOUT_S = 120.0
# What the toolchain itself needs for a program of nothing: (its file, its text, the command).
FLOORS = {
    "python": ("program.py", "", "{python} program.py"),
    "javascript": ("program.js", "", "node program.js"),
    "typescript": ("program.ts", "export {};", f"{{modules}}/.bin/tsc {programs.TSC} program.ts && node program.js"),
    "java": (
        "Main.java",
        "class Main { public static void main(String[] arguments) { } }",
        f"javac {programs.JAVAC} -d out Main.java && java {programs.JAVA} -cp out Main",
    ),
    "cpp": ("program.cpp", "int main() { }", f"{programs.CXX} -O0 program.cpp -o program && ./program"),
}


@dataclass(frozen=True)
class Bench:
    """How many programs are run, from where, where the toolchains' layers lie, and a folder for empty programs."""

    number: int
    shared: Path
    cache: Path
    folder: Path

    async def start(self, way):
        if way == "warm":
            return await warm(make("bubblewrap"), self.cache, lambda _: None, workers=1)
        return await programs.cold(make("bubblewrap"), self.cache, lambda _: None)


@pytest.fixture(scope="session")
def toolchains(need):
    need("bwrap", "node", "npm", "javac", "g++")


@pytest.fixture
def bench(cache, tmp_path, toolchains, shared, benchmark):
    number = 1 if benchmark.disabled else 4
    return Bench(number, shared, cache, tmp_path)


@pytest.mark.parametrize("way", ["cold", "warm"])
@pytest.mark.parametrize("language", FLOORS)
def test_verdicts_a_second(language, way, measure, bench):
    samples = golden(bench.shared, language, bench.number)
    with account() as spent_s, asyncio.Runner() as runner:
        runs = runner.run(bench.start(way))

        def judge():
            return [runner.run(runs.run(sample, timeout_s=TIMEOUT_S)).verdict_class for sample in samples]

        def processor_ms(work):
            before = spent_s()
            work()
            return round((spent_s() - before) / len(samples) * 1000, 1)

        for _ in range(3 if language == "cpp" and way == "warm" else 1):  # headers are compiled when they come again
            judge()  # starts what is started once
        layer = runner.run(getattr(runs, "cold", runs).layer(programs.plan_of(samples[0])))
        floor = _floor(language, layer, bench.folder, len(samples))
        each, least = processor_ms(judge), processor_ms(floor)
        figures = {"verdicts": len(samples), "processor_ms": each, "a_second_and_core": round(1000 / each, 1)}
        got = measure(judge, floor, rounds=2, **figures, floor_processor_ms=least)
        runner.run(runs.close())
    assert set(got) == {"passed"}, got


def _floor(language, layer, folder, number):
    """What runs so many empty programs in the bare toolchain."""
    file, text, command = FLOORS[language]
    (folder / file).write_text(text)
    shown = layer.mounts[0].source
    if language == "typescript":
        (folder / "node_modules").symlink_to(shown)
    command = command.format(python=shown / "bin" / "python", modules=shown).replace(
        "/node_modules/@types", f"{shown}/@types"
    )

    def run():
        for _ in range(number):
            subprocess.run(command, shell=True, check=True, capture_output=True, cwd=folder)

    return run
