"""Verdicts a second, from fresh sandboxes and from warm workers, against empty programs in the bare toolchain."""

import asyncio
import subprocess

import pytest
from answers import golden
from processor import account

from runners import programs
from runners.sandboxes import make
from runners.warm import warm

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
    "cpp": ("program.cpp", "int main() { }", f"{programs.CXX} program.cpp -o program && ./program"),
}


@pytest.fixture
def ways(tmp_path_factory, need):
    """A function that gives what runs programs, on one worker, with a cache of its own."""
    need("bwrap", "node", "npm", "javac", "g++")
    cache = tmp_path_factory.getbasetemp() / "verdicts"

    async def make_one(way):
        sandbox = make("bubblewrap")
        made = warm(sandbox, cache, lambda _: None, workers=1) if way == "warm" else programs.cold(sandbox, cache, lambda _: None)
        return await made

    return make_one


@pytest.mark.parametrize("way", ["cold", "warm"])
@pytest.mark.parametrize("language", FLOORS)
def test_verdicts_a_second(language, way, measure, ways, shared, tmp_path, request):
    samples = golden(shared, language, 3 if request.config.option.benchmark_disable else 12)
    with account() as spent_s, asyncio.Runner() as runner:
        runs = runner.run(ways(way))

        def judge():
            return [runner.run(runs.run(sample, timeout_s=TIMEOUT_S)).klass for sample in samples]

        judge()  # starts what is started once
        before = spent_s()
        judge()
        processor_ms = round((spent_s() - before) / len(samples) * 1000)
        layer = runner.run(_cold(runs).layer(programs.plan_of(samples[0])))
        floor = _floor(language, layer, tmp_path, len(samples))
        got = measure(judge, floor, rounds=3, per_s=len(samples), verdicts=len(samples), processor_ms=processor_ms)
        runner.run(runs.close())
    assert set(got) == {"passed"}, got


def _cold(runs):
    return getattr(runs, "cold", runs)


def _floor(language, layer, folder, number):
    """What runs so many empty programs in the bare toolchain."""
    file, text, command = FLOORS[language]
    (folder / file).write_text(text)
    shown = layer.mounts[0].source
    if language == "typescript":
        (folder / "node_modules").symlink_to(shown)
    command = command.format(python=shown / "bin" / "python", modules=shown).replace("/node_modules/@types", f"{shown}/@types")

    def run():
        for _ in range(number):
            subprocess.run(command, shell=True, check=True, capture_output=True, cwd=folder)

    return run
