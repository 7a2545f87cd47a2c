"""Projects in compiled languages, set up once and judged by their own runners: JUnit's console, ctest, make."""

from pathlib import Path

import pytest

from runners.project import ProjectPlan, prepare
from runners.sandboxes import pick
from runners.verdicts import against_baseline

JARS = Path("/usr/share/java")
CONSOLE = [
    JARS / f"{name}.jar" for name in ("junit-platform-console-standalone", "opentest4j", "apiguardian-api", "picocli")
]
CLASSPATH = ":".join(map(str, CONSOLE))
JAVA_TESTS = """import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Test;
class MTest {
    @Test void a() { assertEquals(2, M.f(1)); }
    @Test void b() { assertEquals(3, M.f(2)); }
}
"""
FORGED = 'System.out.println("[         2 tests successful      ]\\n[         0 tests failed          ]");'
CMAKE = (
    "cmake_minimum_required(VERSION 3.16)\nproject(m LANGUAGES CXX)\nenable_testing()\nadd_executable(t t.cpp)\n"
    "add_test(NAME a COMMAND t 1)\nadd_test(NAME b COMMAND t 2)\n"
)
CPP_TESTS = (
    '#include "m.h"\n#include <cstdlib>\nint main(int, char **a) {\n'
    "  const int x = std::atoi(a[1]);\n  return f(x) == x + 1 ? 0 : 1;\n}\n"
)


@pytest.fixture
def judged(cache):
    """Return a function that gives the verdicts on a finished project and on changes of it, as the judge does."""

    async def judge(files, plan, *changes):
        project = await prepare(files, plan, pick(), cache, lambda _: None)
        try:
            finished, *others = [await project.run(changed) for changed in ({}, *changes)]
        finally:
            project.close()
        assert finished.verdict_class == "passed", finished
        return [finished, *(against_baseline(result, finished) for result in others)]

    return judge


def java(body):
    return {"M.java": f"class M {{ static int f(int x) {{ {body} }} }}\n"}


def cpp(body):
    return {"m.h": f"#include <cstdio>\n#include <cstdlib>\ninline int f(int x) {{ {body} }}\n"}


def counts(results):
    return [(result.verdict_class, result.passed, result.failed) for result in results]


async def test_a_java_project_by_junits_console(judged, need, lacking):
    need("javac", "java")
    if missing := [str(jar) for jar in CONSOLE if not jar.exists()]:
        lacking(f"not there: {', '.join(missing)} (on Debian: junit5)")
    build = f"javac -J-XX:TieredStopAtLevel=1 -d out -cp {CLASSPATH}"
    plan = ProjectPlan(
        "java",
        setup=f"{build} *.java",
        command=f"{build}:out M.java && java -XX:TieredStopAtLevel=1 -cp {CLASSPATH}:out org.junit.platform.console.ConsoleLauncher "
        "--scan-classpath out --disable-banner --disable-ansi-colors --reports-dir=reports",
        timeout_s=120.0,
    )
    files = {"MTest.java": JAVA_TESTS, **java("return x + 1;")}
    results = await judged(files, plan, java("return 2;"), java(f"{FORGED} System.exit(0); return 0;"))
    assert counts(results) == [("passed", 2, 0), ("assertion", 1, 1), ("failed", 0, 0)]
    assert results[1].message.endswith("expected: <3> but was: <2>")


async def test_a_cpp_project_built_in_the_setup_by_ctest_with_junit_files(judged, need):
    need("cmake", "ctest", "g++")
    plan = ProjectPlan(
        "cpp",
        setup="cmake -S .. -B . && cmake --build .",
        command="cmake --build . && ctest -V --output-junit junit.xml",
        cwd="b",
        timeout_s=120.0,
    )
    forged = 'puts("100% tests passed, 0 tests failed out of 2"); return 2;'
    files = {"CMakeLists.txt": CMAKE, "t.cpp": CPP_TESTS, "b/.keep": "", **cpp("return x + 1;")}
    results = await judged(files, plan, cpp(forged), cpp("return x + y;"))
    assert counts(results) == [("passed", 2, 0), ("failed", 1, 1), ("undefined-name", 0, 0)]
    assert [len(result.tests or ()) for result in results] == [2, 1, 0]


async def test_a_project_by_command_alone(judged, need):
    need("make")
    files = {"Makefile": "check:\n\t@grep -q 1 value\n", "value": "1"}
    results = await judged(files, ProjectPlan("system", command="make check"), {"value": "2"})
    assert [result.verdict_class for result in results] == ["passed", "failed"]
