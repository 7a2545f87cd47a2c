"""Files by which a project says how it is tested."""

from runners.environments import candidates
from runners.environments.python.python_candidates import python_project

NAMES = (
    "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "tox.toml", "pytest.ini", ".pytest.ini", "noxfile.py",
    "Pipfile", "requirements.txt", "requirements/test.in", ".github/workflows/ci.yml", "tests/test_a.py", "conftest.py",
    "package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock",
    "test/a.test.js", "vitest.config.ts", "tsconfig.json", ".mocharc.json", "packages/one/package.json",
    "go.mod", "a_test.go", "Cargo.toml", "Cargo.lock", "src/lib.rs", "pom.xml", "build.gradle", "CMakeLists.txt",
)  # fmt: skip


ALWAYS = {"tests/test_a.py": "", "test/a.test.js": "", "a_test.go": "", "src/lib.rs": "#[test]"}


def all_ways(files):
    """All ways that some files show; what a mended way would ask of them too."""
    found = list(candidates(files))
    if project := python_project(files):
        assert isinstance(project.unnamed, list)
    return found


MB = 1_000_000
