"""Projects in compiled languages are tested by the tool that builds them."""

import pytest

from runners.environments import candidates

RUST = {"Cargo.toml": "[package]\nname = 'x'\n", "src/lib.rs": "#[test]\nfn a() {}\n"}


def ways(files):
    return [(each.plan.toolchain, each.plan.setup, each.plan.command) for each in candidates(files)]


@pytest.mark.parametrize(
    ("files", "toolchain", "in_setup", "in_command"),
    [
        ({"go.mod": "module x\n", "a_test.go": ""}, "go", "go vet", "go test -count=1 ./..."),
        ({"go.mod": "module x\nrequire (\n a v1.0.0\n)\n", "a_test.go": ""}, "go", "go mod download && ", "go test"),
        ({"go.mod": "module x\nrequire a v1.0.0\n", "a_test.go": ""}, "go", "go mod download && ", "go test"),
        (RUST, "rust", "cargo test --offline --no-run", "cargo test --offline"),
        (RUST | {"Cargo.toml": "[dependencies]\na = '1'"}, "rust", "cargo fetch --quiet && ", "cargo test"),
        ({"pom.xml": "", "src/test/java/ATest.java": ""}, "java", "mvn", "--offline"),
        ({"build.gradle.kts": "", "src/test/java/ATest.java": ""}, "java", "gradle", "--offline"),
        ({"CMakeLists.txt": "enable_testing()\n"}, "cpp", "cmake -S . -B", "ctest"),
        (
            {"CMakeLists.txt": "", "test/CMakeLists.txt": "ADD_EXECUTABLE(OWN a.cpp)\nadd_executable(two b.cpp)"},
            "cpp",
            "cmake -S . -B",
            "(cd .ghosttape-build/test && ./OWN) && (cd .ghosttape-build/test && ./two)",
        ),
        (
            {"CMakeLists.txt": 'enable_testing()\noption(OWN_BUILD_TESTS "x" OFF)\noption(FUZZ_TESTS)'},
            "cpp",
            " -DBUILD_TESTING=ON -DOWN_BUILD_TESTS=ON -DCMAKE_BUILD_TYPE=Debug ",
            "ctest",
        ),
        ({"CMakeLists.txt": "", "tests/x.cmake": "Add_Test(x)"}, "cpp", "cmake -S . -B", "ctest"),
    ],
)
def test_a_project_is_built_and_tested_by_its_tool(files, toolchain, in_setup, in_command):
    found, setup, command = ways(files)[0]
    assert found == toolchain
    assert in_setup in setup
    assert in_command in command


@pytest.mark.parametrize(
    "files",
    [
        {"go.mod": "module x\n", "a.go": ""},
        {"Cargo.toml": "", "src/lib.rs": "fn a() {}"},
        {"pom.xml": "", "src/main/java/A.java": ""},
        {"build.gradle": ""},
        {"CMakeLists.txt": "project(x)"},
        {"CMakeLists.txt": "add_executable(x x.cpp)", "samples/CMakeLists.txt": "add_executable(x x.cpp)"},
        {"CMakeLists.txt": "", "test/CMakeLists.txt": "# add_executable(x x.cpp)\nadd_executable(y::z ALIAS y)"},
        {"a_test.go": ""},
    ],
)
def test_without_tests_there_is_no_way(files):
    assert ways(files) == []


def test_what_is_fetched_already_is_not_fetched():
    files = {"go.mod": "module x\nrequire a v1.0.0\n", "vendor/modules.txt": "", "a_test.go": ""}
    assert "go mod download" not in ways(files)[0][1]
    assert "cargo fetch" not in ways(RUST)[0][1]


def test_packages_that_only_tests_of_rust_need_can_be_done_without():
    files = RUST | {"Cargo.toml": "[dev-dependencies]\na = '1'"}
    assert ["--lib" in command for _, _, command in ways(files)] == [False, True]


def test_a_project_in_a_folder_is_built_there():
    found = next(candidates({"engine/go.mod": "module x\n", "engine/a_test.go": "", "x/y/go.mod": ""}))
    assert (found.plan.cwd, found.assumptions[0].source, found.assumptions[1].flag) == (
        "engine",
        "engine/go.mod",
        "--test-command",
    )
