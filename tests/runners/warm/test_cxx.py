"""C++ in warm workers: headers that are compiled ahead, and what is compiled once."""

from dataclasses import replace

import pytest

from runners.programs import Program
from runners.warm import warm
from runners.warm.builds import Build, Builds
from runners.warm.headers import Headers, block

TIMEOUT_S = 60.0
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
    command = "g++ -std=c++17 -pthread -O0 program.cpp -o /tmp/program"
    text = PRINTS.format(9)
    assert await Headers(tmp_path).option(text, command, None) == f"-include /headers/{made.name}/all.hpp"
    (made / "all.states").write_text((made / "all.states").read_text().replace("/usr/include/", "/usr/include//", 1))
    assert await Headers(tmp_path).option(text, command, None) == ""


async def test_headers_that_nothing_can_be_compiled_with_are_not_tried_again(started, tmp_path):
    programs = await started()
    text = "#include <there/is/none.hpp>\nint main() {{ }} // {}\n"
    for number in range(5):
        result = await programs.run(Program("cpp", text.format(number)), timeout_s=TIMEOUT_S)
        assert "there/is/none.hpp: No such file or directory" in result.message
    (made,) = tmp_path.iterdir()
    assert not (made / "all.hpp.gch").exists()


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


async def test_what_does_not_compile_is_compiled_once_and_fails_in_the_same_words(started):
    programs = await started()
    program = Program("cpp", "int main() { return x; }")
    first = await programs.run(program, timeout_s=TIMEOUT_S)
    assert (first.verdict_class, "‘x’ was not declared in this scope" in first.message) == ("undefined-name", True)
    async with programs.pool.place():  # the only one: no worker is needed
        assert await programs.run(program, timeout_s=TIMEOUT_S) == first


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


def test_headers_of_cxx_itself_stand_in_one_order_and_others_in_their_own():
    assert block("#include <vector>\n#include <map>\n#include <vector>\n") == "#include <map>\n#include <vector>\n"
    assert block("#include <vector>\n#include <assert.h>\n") == "#include <vector>\n#include <assert.h>\n"


def test_of_too_many_builds_the_longest_unused_go():
    builds = Builds(most=10)
    for number in range(3):
        builds.put(number, Build(0, files={"program": bytes(4)}))
        builds.get(0)
    assert [builds.get(number) is not None for number in range(3)] == [True, False, True]
    builds.put(0, Build(0, files={"program": bytes(5)}))
    assert builds.get(0).files["program"] == bytes(5)
    assert builds.get(2) is not None
