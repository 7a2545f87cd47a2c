"""Projects in Rust and C++ with dependencies and several parts are found out and tested by the tools that build them."""

import hashlib
import io
import json
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from corpora.history.environments import Said
from runners.environments import NotTestable, WayTester, candidates

CRATE = {
    "Cargo.toml": "[package]\nname = 'own-sum'\nversion = '0.1.0'\nedition = '2021'\n",
    "src/lib.rs": "pub fn sum(a: u8, b: u8) -> u8 { a + b }\n",
}
RUST = {
    "Cargo.toml": "[package]\nname = 'app'\nversion = '0.1.0'\nedition = '2021'\n[dependencies]\nown-sum = '0.1'\n",
    "src/lib.rs": "pub fn four() -> u8 { own_sum::sum(2, 2) }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(super::four(), 4); }\n}\n",
    "tests/outside.rs": "#[test]\nfn also_from_outside() { assert_eq!(app::four(), 4); }\n",
}


def packed():
    """The package of `CRATE`, as a registry serves it."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for path, text in CRATE.items():
            member = tarfile.TarInfo(f"own-sum-0.1.0/{path}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return data.getvalue()


@pytest.fixture
def registry():
    """A registry of crates on this machine's loopback, with one crate; `asked` lists the paths that were asked for."""
    crate = packed()
    entry = {"name": "own-sum", "vers": "0.1.0", "deps": [], "features": {}, "yanked": False}

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            here = f"http://127.0.0.1:{server.server_port}"
            server.asked.append(self.path)
            bodies = {
                "/config.json": json.dumps({"dl": f"{here}/dl/{{crate}}"}).encode(),
                "/ow/n-/own-sum": json.dumps(entry | {"cksum": hashlib.sha256(crate).hexdigest()}).encode(),
                "/dl/own-sum": crate,
            }
            body = bodies.get(self.path)
            self.send_response(200 if body else 404)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *words):
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.asked = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


async def test_a_crate_with_dependencies_is_tested_if_its_set_up_may_fetch_them(registry, bubblewrap, cache, need):
    need("cargo", "rustc")
    place = f'[source.crates-io]\nreplace-with = "own"\n[source.own]\nregistry = "sparse+http://127.0.0.1:{registry.server_port}/"\n'
    files = RUST | {".cargo/config.toml": place}
    tester = WayTester(bubblewrap, cache, lambda _: None)
    with pytest.raises(NotTestable) as caught:
        await tester.first_working(files, Said().candidates(files))
    assert caught.value.remedies[0].startswith("its set-up needs the network: if you trust this project")
    assert registry.asked == []
    found = await tester.first_working(files, Said(network=True).candidates(files))
    assert (found.result.passed, found.candidate.plan.toolchain) == (2, "rust")
    assert "/dl/own-sum" in registry.asked


CPP = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.16)
project(shapes VERSION 1.2.0 LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
option(SHAPES_BUILD_TESTS "Build the tests" ON)
add_library(shapes src/area.cpp src/text.cpp)
target_include_directories(shapes PUBLIC include)
target_compile_definitions(shapes PRIVATE SHAPES_VERSION="${PROJECT_VERSION}")
if(SHAPES_BUILD_TESTS)
  enable_testing()
  add_subdirectory(tests)
endif()
""",
    "include/shapes/shapes.h": "#pragma once\n#include <string>\nnamespace shapes {\ndouble area(double width, double height);\nstd::string version();\n}\n",
    "src/area.cpp": '#include "shapes/shapes.h"\ndouble shapes::area(double width, double height) { return width * height; }\n',
    "src/text.cpp": '#include "shapes/shapes.h"\nstd::string shapes::version() { return SHAPES_VERSION; }\n',
    "tests/CMakeLists.txt": """foreach(name area text)
  add_executable(test_${name} test_${name}.cpp)
  target_link_libraries(test_${name} PRIVATE shapes)
  add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
endforeach()
""",
    "tests/check.h": '#pragma once\n#include <cstdio>\n#include <cstdlib>\n#define CHECK(x) do { if (!(x)) { std::fprintf(stderr, "failed: %s\\n", #x); std::exit(1); } } while (0)\n',
    "tests/test_area.cpp": '#include "check.h"\n#include "shapes/shapes.h"\nint main() { CHECK(shapes::area(2, 3) == 6); }\n',
    "tests/test_text.cpp": '#include "check.h"\n#include "shapes/shapes.h"\n#include <fstream>\nint main() {\n  CHECK(shapes::version() == "1.2.0");\n  CHECK(std::ifstream("check.h").good());\n}\n',
}


async def test_a_library_with_cmake_and_its_tests_in_a_folder_is_tested_by_ctest(bubblewrap, cache, need):
    need("cmake", "ctest", "g++")
    tester = WayTester(bubblewrap, cache, lambda _: None)
    found = await tester.first_working(CPP, candidates(CPP))
    assert (found.result.passed, found.candidate.plan.toolchain, len(found.trials)) == (2, "cpp", 1)
    broken = CPP | {"src/area.cpp": CPP["src/area.cpp"].replace("*", "+")}
    with pytest.raises(NotTestable) as caught:
        await tester.first_working(broken, candidates(broken))
    assert (caught.value.trials[0].result.passed, caught.value.trials[0].result.failed) == (1, 1)


OWN_PROGRAM = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.12)
project(own LANGUAGES CXX)
option(OWN_BUILD_TESTS "Build tests" OFF)
if(OWN_BUILD_TESTS)
  add_subdirectory(test)
endif()
""",
    "own.h": "inline int twice(int n) { return 2 * n; }\n",
    "test/CMakeLists.txt": """add_executable(OWN_TESTS main.cpp)
include_directories(..)
set_target_properties(OWN_TESTS PROPERTIES OUTPUT_NAME tests)
""",
    "test/main.cpp": '#include "own.h"\n#include <cassert>\nint main() { assert(twice(2) == 4); }\n',
}


async def test_a_library_whose_tests_are_a_program_without_ctest_is_tested_by_that_program(bubblewrap, cache, need):
    need("cmake", "g++")
    tester = WayTester(bubblewrap, cache, lambda _: None)
    found = await tester.first_working(OWN_PROGRAM, candidates(OWN_PROGRAM))
    assert (found.result.verdict_class, found.candidate.plan.toolchain) == ("passed", "cpp")
    broken = OWN_PROGRAM | {"own.h": "inline int twice(int n) { return n; }\n"}
    with pytest.raises(NotTestable) as caught:
        await tester.first_working(broken, candidates(broken))
    assert "twice(2) == 4" in caught.value.trials[0].problem
