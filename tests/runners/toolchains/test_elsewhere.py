"""Compilers and build tools that do not lie in /usr: their own files are shown in a sandbox, and nothing beside them.

They stand in for real ones: scripts that hand on to those of /usr, laid out as the real ones are.
"""

import pwd
import shutil
from pathlib import Path

import pytest

from runners.errors import RequirementRefused, ToolchainMissing
from runners.protocol import Job
from runners.toolchains import toolchain
from runners.toolchains.outside_usr import is_shared, own_folder, program_files


def program(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def opt(tmp_path, monkeypatch):
    """A folder for programs, and a home that is another one."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "opt"


@pytest.fixture
def installed(monkeypatch):
    """Return a function that puts a program on PATH that hands on to the machine's own."""

    def install(file, text=""):
        real = shutil.which(file.name)
        monkeypatch.setenv("PATH", str(program(file, text or f'exec {real} "$@"').parent), prepend=":")

    return install


@pytest.fixture
def seen(bubblewrap, tmp_path, cache):
    """Return a function that runs a command in a sandbox with a toolchain, and gives the lines that it wrote."""
    (project := tmp_path / "project").mkdir()

    async def look(name, command):
        layer = await toolchain(name).layer((), cache, lambda _: None)
        done = await bubblewrap.run(Job(project, command, env=layer.env, mounts=layer.mounts))
        return done.stdout.splitlines()

    return look


async def test_a_jdk(opt, installed, seen, need):
    need("javac", "java")
    for name in ("java", "javac"):
        installed(opt / "jdk" / "bin" / name)
    own, *version = await seen("java", "echo $JAVA_HOME; command -v javac; java -version 2>&1 | grep -c .")
    assert own == str(opt / "jdk")
    assert version == [str(opt / "jdk" / "bin" / "javac"), "3"]


async def test_of_maven_and_gradle_no_settings_are_shown(opt, installed, seen, need):
    need("javac", "java")
    parts = {
        "maven": "boot/x.jar lib/x.jar bin/m2.conf conf/settings.xml",
        "gradle": "lib/gradle-x.jar lib/plugins/x init.d/x",
    }
    for tool, files in parts.items():
        for file in files.split():
            program(opt / tool / file, "secret")
    installed(opt / "maven" / "bin" / "mvn", "echo maven runs")
    installed(opt / "gradle" / "bin" / "gradle", "echo gradle runs")
    ran, other, *files = await seen("java", f"mvn; gradle; cd {opt}; find . -type f | sort")
    assert (ran, other) == ("maven runs", "gradle runs")
    shown = ["maven/bin/m2.conf", "maven/bin/mvn", "maven/boot/x.jar", "maven/lib/x.jar"]
    assert files == [
        f"./{name}" for name in ("gradle/bin/gradle", "gradle/lib/gradle-x.jar", "gradle/lib/plugins/x", *shown)
    ]


async def test_debians_maven_starts(seen, need):
    need("mvn", "javac")
    assert "Apache Maven 3" in (await seen("java", "mvn -version"))[0]


async def test_a_compiler_with_libraries_and_a_cmake(opt, installed, seen, need):
    need("g++", "make")
    (opt / "gcc" / "lib64").mkdir(parents=True)
    for file in ("share/cmake-3.99/Modules/x", "bin/ctest"):
        program(opt / "cmake" / file, "true")
    installed(opt / "gcc" / "bin" / "g++")
    installed(opt / "cmake" / "bin" / "cmake", "echo cmake runs")
    (Path(opt) / "gcc" / "bin" / "notes").write_text("of the compiler's own folder")
    lines = await seen(
        "cpp",
        "command -v g++; cmake; command -v ctest; echo $LD_LIBRARY_PATH; echo 'int main(){}' >a.cpp; g++ a.cpp && ./a.out && echo built",
    )
    assert lines == [
        str(opt / "gcc/bin/g++"),
        "cmake runs",
        str(opt / "cmake/bin/ctest"),
        str(opt / "gcc/lib64"),
        "built",
    ]


async def test_rust_and_go_are_shown_where_they_say_that_they_are(opt, installed, seen):
    program(opt / "sysroot" / "bin" / "cargo", "echo cargo runs")
    installed(opt / "bin" / "rustc", f"echo {opt}/sysroot")
    program(opt / "go" / "bin" / "gofmt", "echo gofmt runs")
    installed(opt / "go" / "bin" / "go", f"echo {opt}/go")
    assert await seen("rust", f"cargo; ls {opt}") == ["cargo runs", "sysroot"]
    assert await seen("go", f"gofmt; ls {opt}; echo $GOTOOLCHAIN") == ["gofmt runs", "go", "local"]


@pytest.mark.parametrize(("name", "file"), [("java", "javac"), ("cpp", "g++"), ("csharp", "dotnet")])
@pytest.mark.parametrize("place", ["", ".local"])
async def test_a_home_is_no_folder_of_a_program(place, name, file, *, opt, installed, seen):
    home = opt.parent / "home" / place
    program(home / "bin" / "java", "true")
    installed(home / file if file == "dotnet" else home / "bin" / file)
    with pytest.raises(ToolchainMissing, match="folder of its own"):
        await seen(name, "true")


@pytest.mark.parametrize("name", ["rust", "go"])
async def test_a_program_that_does_not_answer_is_told(name, opt, installed, seen, monkeypatch):
    installed(opt / {"rust": "rustc", "go": "go"}[name], "exit 3")
    with pytest.raises(ToolchainMissing, match="does not answer"):
        await seen(name, "true")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolchainMissing, match="is not on PATH"):
        await seen(name, "true")


def test_something_else_of_the_same_name_is_not_taken_for_a_build_tool(opt, installed):
    installed(opt / "bin" / "mvn", "exec /somewhere/else")
    assert program_files("mvn", "bin/m2.conf", "boot", "lib") == ()


@pytest.mark.parametrize("name", ["java", "cpp", "csharp", "go", "rust", "system"])
async def test_a_toolchain_without_a_registry_says_who_installs(name, cache):
    with pytest.raises(RequirementRefused, match="'left-pad' is required: let the project's setup get it"):
        await toolchain(name).layer(("left-pad",), cache, lambda _: None)


@pytest.mark.parametrize("folder", ["/", "/home", "/home/bob", "/home/bob/.local", "/home/ann", "/opt"])
def test_what_holds_anyones_home_or_much_else_is_no_programs_own(folder):
    assert is_shared(Path(folder), [Path("/root"), Path("/home/bob"), Path("/home/ann")])


@pytest.mark.parametrize("folder", ["/home/bob/jdk", "/home/bob/.local/jdk", "/opt/jdk"])
def test_a_folder_inside_of_those_is_a_programs_own(folder):
    assert not is_shared(Path(folder), [Path("/root"), Path("/home/bob")])


def test_the_homes_of_all_users_are_known():
    user = next(user for user in pwd.getpwall() if user.pw_name == "root")
    with pytest.raises(ToolchainMissing, match="together with other programs"):
        own_folder(Path(user.pw_dir), "g++")
