"""How a project may be tested, according to its own files. They are read, and nothing of them runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from shlex import quote

from runners.environments.candidate import Assumption, Candidate
from runners.environments.manifests import Files, at, readable, table_in, toml_of, until_refused
from runners.environments.node import node_candidates as node
from runners.environments.python import python_candidates as python
from runners.environments.python.python_candidates import AS_GHOSTTAPE_RUNS, is_test
from runners.project import ProjectPlan
from runners.protocol import Limits
from runners.toolchains import language_of

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")


def candidates(files: Files, toolchain: str = "") -> Iterator[Candidate]:
    """The ways in which a project with these files (path → text) may be tested, the likeliest first; none where nothing shows one.

    Of several languages the one with the most files of tests comes first. `toolchain`: the one that is asked for; a version in it
    (`python3.9`) counts before what the files say.
    """
    files = readable(files)
    made: dict[str, tuple[Callable[[Files], Iterator[Candidate]], int]] = {
        "python": (lambda files: python.python_candidates(files, toolchain), sum(map(is_test, files))),
        "node": (node.node_candidates, sum(map(node.is_test, files))),
    }
    for find, _ in sorted(made.values(), key=lambda each: -each[1]):
        yield from filter(_can_run, until_refused(find(files)))
    yield from filter(_can_run, until_refused(compiled_candidates(files)))


def _can_run(candidate: Candidate) -> bool:
    """Whether the words of a candidate can be given to a program: NUL and halves of surrogate pairs cannot."""
    plan = candidate.plan
    return not any(_UNWRITABLE.search(text) for text in (plan.command, plan.setup, plan.cwd, *plan.requires))


def likeliest(files: Files) -> Candidate | None:
    """The likeliest of the `candidates`, none of which has been tried; None where nothing in the files shows how they are tested.

    A version of Python only where it binds: another machine may have others of those with which a project is worked on.
    """
    first = next(found := candidates(files), None)
    if first is None or first.plan.toolchain in {"", "python"} or language_of(first.plan.toolchain) != "python":
        return first
    return next((each for each in found if each.name == first.name + AS_GHOSTTAPE_RUNS), first)


# The ways in which projects in Go, Rust, Java and C++ may be tested: by the tool that builds them.

TIMEOUT_S = 300.0
_ROOM = Limits(memory_mb=4096, disk_mb=4096)
"""Compilers and what they write need more room than tests alone."""
_GO_REQUIRES = re.compile(r"^require\s*(\(|\S+\s+v)", re.MULTILINE)
_CMAKE_TESTS = re.compile(
    r"\b(enable_testing|add_test|include\s*\(\s*CTest|gtest_discover_tests|catch_discover_tests)\b", re.IGNORECASE
)
_CMAKE_OPTION = re.compile(
    r"\boption\s*\(\s*((?:\w+_)?(?:BUILD|ENABLE|WITH)_(?:UNIT_?)?TEST(?:S|ING))\b", re.IGNORECASE
)
_CMAKE_PROGRAM = re.compile(r"\badd_executable\s*\(\s*([\w.-]+)(?!\S|\s+(?:ALIAS|IMPORTED)\b)", re.IGNORECASE)
_CMAKE_NAME = r"\bset_target_properties\s*\(\s*{target}\s[^)]*\bOUTPUT_NAME\s+\"?([\w.-]+)"
_CMAKE_COMMENT = re.compile(r"#.*")
_TEST_FOLDERS = frozenset({"test", "tests", "unittest", "unittests", "unit_test", "unit_tests", "unit-tests"})
_BUILD = ".ghosttape-build"
_GO_ENV = 'GOFLAGS=-modcacherw GOCACHE="$PWD/.ghosttape-go/build" GOMODCACHE="$PWD/.ghosttape-go/modules"'
_CARGO_ENV = 'CARGO_HOME="$PWD/.ghosttape-cargo"'
_MAVEN = "mvn --batch-mode --no-transfer-progress -Dmaven.repo.local=$PWD/.ghosttape-m2"
_CHECKS_OFF = "-Drat.skip -Dcheckstyle.skip -Denforcer.skip -Djacoco.skip -Dspotbugs.skip -Dpmd.skip -Danimal.sniffer.skip -Dlicense.skip -Dspotless.check.skip"


def compiled_candidates(files: Files) -> Iterator[Candidate]:
    """The ways to test a project in Go, Rust, Java or C++; none where its files describe no such project, or hold no test."""
    for name, maker in (("go.mod", _go), ("Cargo.toml", _rust), ("pom.xml", _maven), ("build.gradle", _gradle), ("build.gradle.kts", _gradle), ("CMakeLists.txt", _cmake)):  # fmt: skip
        paths = sorted(
            (path for path in files if PurePosixPath(path).name == name), key=lambda path: (path.count("/"), path)
        )
        if paths:
            yield from maker(files, PurePosixPath(paths[0]).parent)


def _go(files: Files, root: PurePosixPath) -> Iterator[Candidate]:
    if not any(path.endswith("_test.go") for path in files):
        return
    needs = bool(_GO_REQUIRES.search(files[at(root, "go.mod")])) and at(root, "vendor/modules.txt") not in files
    fetch = "go mod download && " if needs else ""
    setup = f"export {_GO_ENV}; {fetch}go vet ./... >/dev/null 2>&1; go test -count=1 -run '^$' ./..."
    yield _candidate("go", f"{_GO_ENV} go test -count=1 ./...", setup, root, "go.mod")


def _rust(files: Files, root: PurePosixPath) -> Iterator[Candidate]:
    tests = any(path.endswith(".rs") and "#[test]" in text for path, text in files.items())
    if tests:
        lock = toml_of(files.get(at(root, "Cargo.lock"), "")).get("package")
        manifest = toml_of(files[at(root, "Cargo.toml")])
        needs = any(
            table_in(manifest, name) for name in ("dependencies", "dev-dependencies", "build-dependencies")
        ) or (isinstance(lock, list) and len(lock) > 1)
        fetch = "cargo fetch --quiet && " if needs else ""
        setup = f"export {_CARGO_ENV}; {fetch}cargo test --offline --no-run --quiet"
        yield _candidate("rust", f"{_CARGO_ENV} cargo test --offline --quiet", setup, root, "Cargo.toml")
        if table_in(manifest, "dev-dependencies") and not table_in(manifest, "dependencies"):
            yield _candidate("rust", f"{_CARGO_ENV} cargo test --offline --quiet --lib", f"export {_CARGO_ENV}; cargo test --offline --no-run --quiet --lib", root, "Cargo.toml")  # fmt: skip


def _maven(files: Files, root: PurePosixPath) -> Iterator[Candidate]:
    if any("src/test/" in path for path in files):
        setup = f"{_MAVEN} {_CHECKS_OFF} --quiet test -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false"
        yield _candidate("java", f"{_MAVEN} {_CHECKS_OFF} --offline --quiet test", setup, root, "pom.xml")


def _gradle(files: Files, root: PurePosixPath) -> Iterator[Candidate]:
    if any("src/test/" in path for path in files):
        home = 'GRADLE_USER_HOME="$PWD/.ghosttape-gradle"'
        setup = f"export {home}; gradle --no-daemon --quiet testClasses"
        yield _candidate("java", f"{home} gradle --no-daemon --offline --quiet test", setup, root, "build.gradle")


def _cmake(files: Files, root: PurePosixPath) -> Iterator[Candidate]:
    """By CTest, if the project knows it; else by the programs that are built in its folders of tests."""
    lists = {
        path: _CMAKE_COMMENT.sub("", text)
        for path, text in files.items()
        if PurePosixPath(path).name == "CMakeLists.txt" or path.endswith(".cmake")
    }
    if any(map(_CMAKE_TESTS.search, lists.values())):
        runs = f"ctest --test-dir {_BUILD} --output-on-failure --no-tests=error"
    else:
        runs = " && ".join(_test_programs(lists, root))
    if runs:
        options = {"BUILD_TESTING", *(name for text in lists.values() for name in _CMAKE_OPTION.findall(text))}
        settings = " ".join(f"-D{name}=ON" for name in sorted(options))
        build = f"cmake --build {_BUILD} --parallel 2"
        setup = f"cmake -S . -B {_BUILD} {settings} -DCMAKE_BUILD_TYPE=Debug && {build}"
        yield _candidate("cpp", f"{build} && {runs}", setup, root, "CMakeLists.txt")


def _test_programs(lists: Mapping[str, str], root: PurePosixPath) -> Iterator[str]:
    """The commands that start the programs which are built in folders of tests, each in the folder where it is built, as CTest would."""
    for path, text in sorted(lists.items()):
        folder = PurePosixPath(path).parent
        if folder.is_relative_to(root) and not _TEST_FOLDERS.isdisjoint(folder.relative_to(root).parts):
            for target in _CMAKE_PROGRAM.findall(text):
                named = re.search(_CMAKE_NAME.format(target=re.escape(target)), text, re.IGNORECASE)
                place = quote(str(_BUILD / folder.relative_to(root)))
                yield f"(cd {place} && ./{named[1] if named else target})"


def _candidate(toolchain: str, command: str, setup: str, root: PurePosixPath, file: str) -> Candidate:
    plan = ProjectPlan(toolchain, (), setup, command, str(root), TIMEOUT_S, _ROOM)
    said = (
        Assumption(f"it is built first: {setup}", at(root, file), "--setup"),
        Assumption(f"its tests are run by: {command}", at(root, file), "--test-command"),
    )
    return Candidate(f"{toolchain}: {command}", plan, said)
