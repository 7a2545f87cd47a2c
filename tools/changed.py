"""Run the tests of what a branch changes, nearest first, for a bounded time (`make check`)."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
FARTHEST = 1
"""Tests that reach a changed module over more imports than this are left to `make test`."""
_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import\s+(.+)|import\s+([\w.]+))", re.MULTILINE)


def git(*arguments: str) -> list[str]:
    """Return the lines that git prints; none where it fails."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def base() -> str:
    """Return the commit that the working tree is compared with.

    It is where this branch left the main branch; on the main branch itself it is the last commit while files are
    changed, and the commit before while none is.
    """
    (head,) = git("rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        found = git("merge-base", "HEAD", main)
        if found and found[0] != head:
            return found[0]
    return "HEAD" if git("status", "--porcelain") else "HEAD~"


def changed(since: str) -> list[str]:
    """Return the paths that differ from a commit, new files included."""
    return sorted({*git("diff", "--name-only", since), *git("ls-files", "--others", "--exclude-standard")})


def imports(source: str) -> Iterator[str]:
    """Yield the dotted names that a Python file imports: `a.b` and `a.b.c` for `from a.b import c`."""
    for package, names, module in _IMPORT.findall(source):
        yield package or module
        yield from (f"{package}.{name.split()[0]}" for name in names.strip("( ").split(",") if package and name.strip())


def module_of(path: str) -> str:
    """Return the name under which a Python file is imported, as `server.repair.steps.stop`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def reached(modules: Iterable[str], graph: grimp.ImportGraph) -> dict[str, int]:
    """Return over how many imports each module reaches one of the given, from 0 for these up to `FARTHEST`."""
    distances = {module: 0 for module in modules if module in graph.modules}
    for distance in range(1, FARTHEST + 1):
        for module in [one for one, known in distances.items() if known == distance - 1]:
            for importer in graph.find_modules_that_directly_import(module):
                distances.setdefault(importer, distance)
    return distances


def mirrors(path: str) -> str:
    """Return the folder of tests that mirrors the folder of a file: `tests/server/repair` for server/repair/steps/stop.py."""
    folder = ROOT / "tests" / Path(path).parent
    while not folder.is_dir():
        folder = folder.parent
    return folder.relative_to(ROOT).as_posix()


def nearness(test: str, source: str, paths: Iterable[str], distances: Mapping[str, int]) -> int | None:
    """Return how near a test file is to a change: 0 for one that is changed itself; None for one that is too far."""
    found = [1 + distances[name] for name in imports(source) if name in distances]
    for path in paths:
        if path == test:
            return 0
        name = Path(path).name
        if name != "__init__.py" and (name in source or Path(test).stem == f"test_{Path(path).stem}"):
            found.append(1)
        if name == "conftest.py" and path != "tests/conftest.py" and test.startswith(f"{Path(path).parent}/"):
            found.append(2)
        if not path.startswith("tests/") and Path(test).parent.as_posix() == mirrors(path) != "tests":
            found.append(2)
    return min(found, default=None)


def chosen(paths: list[str], graph: grimp.ImportGraph) -> tuple[list[str], int]:
    """Return the test files to run, nearest first, and how many more there are."""
    distances = reached((module_of(path) for path in paths if path.endswith(".py")), graph)
    tests = sorted(path for path in (ROOT / "tests").rglob("test_*.py") if "programs" not in path.parts)
    near = {}
    for path in tests:
        test = path.relative_to(ROOT).as_posix()
        rank = nearness(test, path.read_text(encoding="utf-8"), paths, distances)
        if rank is not None:
            near[test] = (rank, test.startswith(("tests/real", "tests/performance")), test)
    return sorted(near, key=lambda test: near[test]), len(tests) - len(near)


def main() -> int:
    """Run the chosen tests with the given options of pytest, and return its exit status."""
    since = base()
    paths = changed(since)
    rooms = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "root_packages"
    ]
    tests, left_out = chosen(paths, grimp.build_graph(*rooms, cache_dir=str(ROOT / ".import_linter_cache")))
    counts = f"{len(tests)} files of tests are near them, {left_out} are left out"
    sys.stderr.write(f"{len(paths)} files differ from {since[:10]}: {counts}\n")
    if not tests:
        return 0
    pytest = [sys.executable, "-m", "pytest", *sys.argv[1:], *tests]
    return subprocess.run(pytest, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
