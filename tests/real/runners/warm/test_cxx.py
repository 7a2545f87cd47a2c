"""C++ in warm workers: headers that are compiled ahead, and what is compiled once."""

import asyncio
import os
import time
from dataclasses import replace

import pytest

from runners.programs import Program
from runners.protocol import Completed, Limits
from runners.toolchains import Layer
from runners.warm import warm
from runners.warm.compilers import Build, Builds, Compiler, is_fixed
from runners.warm.headers import Headers, block
from runners.warm.worker import RunRequest

TIMEOUT_S = 60.0
COMMAND = "g++ -std=c++17 -pthread -O0 program.cpp -o /tmp/program"
PRINTS = "#include <iostream>\nint main() {{ std::cout << {}; }}\n"


@pytest.fixture
async def started(cache, tmp_path, bubblewrap, need):
    """A function that gives warm workers which share a folder of headers, ended with the test."""
    need("g++")
    all_of_them = []

    async def start():
        programs = await warm(bubblewrap, cache, lambda _: None, workers=1)
        all_of_them.append(replace(programs, headers=Headers(tmp_path)))
        return all_of_them[-1]

    yield start
    for programs in all_of_them:
        await programs.close()


async def passes(programs, text, *options):
    result = await programs.run(Program("cpp", text, options=options), timeout_s=TIMEOUT_S)
    assert result.verdict_class == "passed", result.log
    return result


async def test_headers_are_compiled_ahead_once_they_come_again_and_show_nothing_more(started, tmp_path):
    programs = await started()
    for number in range(4):
        assert (await passes(programs, PRINTS.format(number))).log == str(number)
    (made,) = tmp_path.iterdir()
    assert (made / "all.hpp.gch").stat().st_size > 1 << 20
    text = PRINTS.format(1).replace("std::cout << 1", "std::map<int, int> m")
    lacking = await programs.run(Program("cpp", text), timeout_s=TIMEOUT_S)
    assert "error: ‘map’ is not a member of ‘std’" in lacking.log


async def test_headers_serve_the_compilers_options_that_they_were_made_with(started, tmp_path):
    programs = await started()
    text = "#include <iostream>\n#ifndef __OPTIMIZE__\nint main() {{ return 5; }}\n#else\nint main() {{ }}\n#endif\n// {}\n"
    for options, expected in (((), "failed"), (("-O2",), "passed")):
        for number in range(4):
            program = Program("cpp", text.format(number), options=options)
            result = await programs.run(program, timeout_s=TIMEOUT_S)
            assert result.verdict_class == expected, result.log
    made = sorted(tmp_path.iterdir())
    assert len(made) == 2
    assert all((folder / "all.hpp.gch").exists() for folder in made)


async def test_headers_stay_for_later_runs_until_one_of_them_changes(started, tmp_path):
    programs = await started()
    for number in range(3):
        await passes(programs, PRINTS.format(number))
    (made,) = tmp_path.iterdir()
    assert any(line.startswith("/usr/include/c++/") for line in (made / "all.states").read_text().splitlines())
    text = PRINTS.format(9)
    assert await Headers(tmp_path).option(text, COMMAND, None) == f"-include /headers/{made.name}/all.hpp"
    (made / "all.states").write_text((made / "all.states").read_text().replace("/usr/include/", "/usr/include//", 1))
    assert await Headers(tmp_path).option(text, COMMAND, None) == ""


async def test_headers_that_nothing_can_be_compiled_with_are_tried_once_and_leave_nothing(started, tmp_path):
    programs = await started()
    text = "#include <there/is/none.hpp>\nint main() {{ }} // {}\n"
    for number in range(5):
        result = await programs.run(Program("cpp", text.format(number)), timeout_s=TIMEOUT_S)
        assert "there/is/none.hpp: No such file or directory" in result.message
    assert list(tmp_path.iterdir()) == []


class Half:
    """A sandbox that is killed while it writes, or that writes all."""

    def __init__(self, code):
        self.code, self.runs = code, 0

    async def run(self, job):
        self.runs += 1
        await asyncio.sleep(0.05)
        (job.project / "all.hpp.gch").write_bytes(b"half")
        return Completed(self.code, None if self.code is not None else 9, "", "", 1.0)


@pytest.mark.parametrize(("code", "option"), [(None, False), (1, False), (0, True)])
@pytest.mark.parametrize("at_once", [1, 2, 3, 4, 6])
async def test_headers_are_compiled_once_however_many_ask_at_once_and_count_only_when_whole(
    tmp_path, code, option, at_once
):
    headers, sandbox = Headers(tmp_path), Half(code)
    ask = lambda: headers.option(PRINTS.format(1), COMMAND, (sandbox, Layer((), {}), None))  # noqa: E731
    for _ in range(4):
        found = await asyncio.gather(*(ask() for _ in range(at_once)))
    assert (sandbox.runs, [bool(one) for one in found]) == (1, [option] * at_once)
    assert len(list(tmp_path.iterdir())) == option


async def test_what_a_killed_process_left_goes_some_time_later(tmp_path):
    for name, age_s in (("old", 10_000), ("new", 0)):
        (tmp_path / f".{name}").mkdir()
        os.utime(tmp_path / f".{name}", (time.time() - age_s,) * 2)
    headers = Headers(tmp_path)
    for _ in range(3):
        await headers.option(PRINTS.format(1), COMMAND, (Half(0), Layer((), {}), None))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == [".new"]


async def test_a_text_is_compiled_once_and_runs_each_time(started, monkeypatch):
    programs = await started()
    text = "#include <cstdlib>\n#include <ctime>\n#include <iostream>\nint main() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); std::cout << t.tv_nsec + t.tv_sec * 1000000000l; }\n"
    asked = []
    original = type(programs)._gxx
    monkeypatch.setattr(
        type(programs),
        "_gxx",
        lambda self, plan, program, *more: asked.append(program) or original(self, plan, program, *more),
    )
    logs = {(await passes(programs, text)).log for _ in range(3)}
    assert (len(asked), len(logs)) == (1, 3)
    await passes(programs, text, "-O2")
    assert len(asked) == 2


async def test_what_does_not_compile_and_what_names_its_time_is_compiled_each_time(started, monkeypatch):
    programs, asked = await started(), []
    original = type(programs)._gxx

    def gxx(self, plan, program, *more):
        asked.append(program)
        return original(self, plan, program, *more)

    monkeypatch.setattr(type(programs), "_gxx", gxx)
    for text in ("int main() { return x; }", "#include <cstdio>\nint main() { puts(__TIME__); }"):
        for _ in range(2):
            await programs.run(Program("cpp", text), timeout_s=TIMEOUT_S)
    assert len(asked) == 4


async def test_a_large_program_is_built_once_and_its_worker_stays(started):
    programs = await started()
    program = Program("cpp", "char x[6 << 20] = {1};\nint main() { return x[5]; }")
    for _ in range(2):
        assert (await programs.run(program, timeout_s=TIMEOUT_S)).verdict_class == "passed"
    assert len(programs.builds._kept) == 1
    assert len(programs.pool._idle) == 2


class Ends:
    """Says how runs of what was built end, and keeps how long each might have taken."""

    def __init__(self, *limits):
        self.limits, self.had = iter(limits), []

    async def command(self, plan, run, order):
        self.had.append(order.limits.wall_s)
        limit = next(self.limits)
        return Completed(None if limit else 0, 9 if limit else None, "", "", 5.0, limit)


@pytest.mark.parametrize(
    ("took_s", "limits", "had"),
    [(1.0, [""], [59.0]), (40.0, ["wall", ""], [20.0, 60.0]), (0.0, [""], [60.0])],
)
async def test_a_slow_build_does_not_let_its_program_run_out_of_time(started, monkeypatch, took_s, limits, had):
    programs, ends = await started(), Ends(*limits)
    monkeypatch.setattr(type(programs), "_command", lambda self, *order: ends.command(*order))
    order = RunRequest({}, {}, replace(Limits(), wall_s=60.0))
    done = await programs._execute_built(None, "", Build(0, took_s=took_s), order)
    assert (ends.had, done.wall_ms, done.limit) == (had, 5.0 + 1000 * (took_s if len(had) == 1 else 0.0), "")


async def test_what_a_build_once_took_and_the_start_of_a_compiler_cost_a_program_nothing(started, monkeypatch, need):
    need("javac")
    programs, opened = await started(), Compiler.open

    async def slowly(*order):
        await asyncio.sleep(8.0)
        return await opened(*order)

    monkeypatch.setattr(Compiler, "open", slowly)
    program = Program("java", "public class Main { public static void main(String[] a) { } }")
    began = time.perf_counter()
    first = await programs.run(program, timeout_s=TIMEOUT_S)
    assert (first.verdict_class, first.wall_ms < 1000 * (time.perf_counter() - began) - 7900) == ("passed", True)
    assert programs._kept(program).took_s == 0.0


async def test_a_program_is_where_it_is_in_a_fresh_sandbox_and_finds_its_own_source(started):
    programs = await started()
    text = """#include <fstream>
#include <iostream>
int main(int, char **argv) { std::cout << argv[0] << " " << std::ifstream(__FILE__).good() << std::ifstream(".witness").good(); }
"""
    warm, cold = await passes(programs, text), await programs.cold.run(Program("cpp", text), timeout_s=TIMEOUT_S)
    assert warm.log == cold.log == "/tmp/program 10"


def test_the_block_of_headers_ends_where_anything_else_stands():
    assert block(
        "// a program\n\n#include <vector>\n # include  <sys/types.h> // why\n#include <map>\nint x;\n#include <set>"
    ) == ("#include <vector>\n#include <sys/types.h>\n#include <map>\n")
    for first in (
        "#define NDEBUG",
        '#include "own.h"',
        "int x;",
        "/* said */",
        "// goes on \\",
        "#include <../project/own>",
    ):
        assert block(f"{first}\n#include <cassert>\n") == "", first


@pytest.mark.parametrize(
    "odd", ["\f", "\u2028", "\v", "\x85", "\r", "\f\n", "\u2028\n", "\\\n", " \\ \n", "\\\t\n", "\\\r\n", "??/\n"]
)
def test_where_a_line_ends_for_one_reader_alone_the_block_ends(odd):
    assert block(f"#include <set>\n// a{odd}#include <map>\n#include <list>\n") == "#include <set>\n"


@pytest.mark.parametrize(
    "line",
    [
        "puts(__DATE__);",
        "puts(__TI\\\nME__);",
        "#if __has_include(<x>)",
        '#include "/proc/self/status"',
        'asm(".incbin \\"x\\"");',
        "#define JOIN(a, b) a##b",
        '#include "/built/program"',
    ],
)
def test_a_text_that_may_tell_when_or_where_it_is_compiled_is_not_fixed(line):
    assert not is_fixed(f"int main() {{\n{line}\n}}\n")
    assert is_fixed("#include <iostream>\nint main() { std::cout << __FILE__ << __LINE__; }\n")


def test_headers_of_cxx_itself_stand_in_one_order_and_others_in_their_own():
    assert block("#include <vector>\n#include <map>\n#include <vector>\n") == "#include <map>\n#include <vector>\n"
    assert block("#include <vector>\n#include <assert.h>\n") == "#include <vector>\n#include <assert.h>\n"


def test_of_too_many_builds_the_longest_unused_go():
    builds = Builds(most=20)
    for number in range(5):
        builds.put(number, Build(0, files={"program": bytes(5)}))
        builds.get(0)
    assert [builds.get(number) is not None for number in range(5)] == [True, False, True, True, True]
    builds.put(0, Build(0, files={"program": bytes(4)}))
    assert builds.get(0).files["program"] == bytes(4)
    assert builds.get(2) is not None


def test_neither_a_failure_nor_what_is_too_large_is_kept():
    builds = Builds(most=40)
    builds.put("failed", Build(1))
    builds.put("large", Build(0, files={"program": bytes(11)}))
    assert (builds.get("failed"), builds.get("large")) == (None, None)
