"""A repository of the tests' own, and the tapes of its history."""

import os
import random
import subprocess

import pytest

from replay.tapes import tape
from tests.support.history_requests import imported_tapes

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2024-03-01T10:00:00+01:00",
    "GIT_COMMITTER_DATE": "2024-03-01T10:00:00+01:00",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}
AREA = "def area(width, height):\n    doubled = width * height\n    return doubled // 1\n"
WORDS = ["parse", "render", "merge", "reorder", "validate", "inspect", "collect", "balance", "resolve", "describe"]


def prose(number):
    """A module that resembles no other: the words that name things are drawn."""
    chance = random.Random(number)
    lines = []
    for _ in range(14):
        one, other, third = chance.sample(WORDS, 3)
        lines += [f"def {one}_{other}(entries, {third}=None):", f'    """{one.title()} the {other} of each {third}."""']
        lines += [
            f"    {third}s = [{other}(entry, {third!r}) for entry in entries]",
            f"    return {one}({third}s)",
            "",
            "",
        ]
    return "\n".join(lines)


class Repo:
    """A repository of the test's own."""

    environment = ENVIRONMENT
    area = AREA

    def __init__(self, path):
        self.path = path
        self.first = FIRST
        path.mkdir()
        self.git("init", "-q", "-b", "main")
        self.shas = {}

    def git(self, *arguments):
        done = subprocess.run(
            ["git", "-c", "core.autocrlf=false", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.path,
            env=ENVIRONMENT,
            capture_output=True,
            check=True,
        )
        return done.stdout

    def commit(self, name, files=(), *removed):
        for path, content in dict(files).items():
            (self.path / path).parent.mkdir(parents=True, exist_ok=True)
            (self.path / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        for path in removed:
            (self.path / path).unlink()
        self.git("add", "-A")
        return self.done(name)

    def done(self, name, *arguments):
        self.git("commit", "-q", "--allow-empty", "-m", name, *arguments)
        self.shas[name] = self.git("rev-parse", "HEAD").decode().strip()

    def show(self, revision, path):
        return self.git("show", f"{revision}:{path}")

    def files(self, revision):
        return self.git("ls-tree", "-r", "-z", "--name-only", revision).decode("utf-8", "replace").split("\0")[:-1]


FIRST = {
    "pyproject.toml": '[project]\nname = "shapes"\n\n[dependency-groups]\ntests = ["pytest", "hypothesis>=6"]\n',
    "src/shapes/__init__.py": "",
    "src/shapes/calc.py": "import math\n\n\n" + AREA,
    "tests/test_calc.py": "from hypothesis import given\nfrom shapes.calc import area\n\n\ndef test_area():\n    assert area(2, 3) == 6\n",
    "data.bin": b"\0\1\2",
    "latin.txt": b"caf\xe9\n",
    "windows.txt": "one\r\ntwo\r\nthree\r\n",
    "bom.py": "\ufeffx = 1\n",
    "open.txt": "no end",
    "run.sh": "#!/bin/sh\n",
    "uv.lock": "version = 1\n",
    "gone.py": "y = 2\n",
    "README.md": "# Shapes\n\nAreas, and later more.\n",
    "kinds.txt": "a\r\nb\r\n",
}


@pytest.fixture(scope="session")
def make_repo(need):
    """Make an empty repository in a folder."""
    need("git")
    return Repo


@pytest.fixture(scope="session")
def repo(make_repo, tmp_path_factory):
    made = make_repo(tmp_path_factory.mktemp("history") / "shapes")
    (made.path / "link").symlink_to("README.md")
    made.commit("first", FIRST)
    calc = (
        "import math\n\n\n" + AREA.replace("// 1", "// 2") + "\n\ndef ring(radius):\n    return math.pi * radius**2\n"
    )
    made.commit("feature", {"src/shapes/calc.py": calc, "src/shapes/copied.py": "# Areas\n" + AREA})
    (made.path / "link").unlink()
    (made.path / "link").symlink_to("run.sh")
    (made.path / "run.sh").chmod(0o755)
    odd = {"data.bin": b"\0\3", "latin.txt": b"caf\xe9s\n", "uv.lock": "version = 2\n"}
    plain = {"windows.txt": "one\r\n2\r\nthree\r\nfour\r\n", "bom.py": "\ufeffx = 2\n", "open.txt": "no end yet"}
    made.commit("odd", odd | plain | {"kinds.txt": "a\nb\n", "größe 😀.py": "größe = '😀' + 'x'\n"})
    made.git("mv", "src/shapes/calc.py", "src/shapes/plane.py")
    made.git("mv", "README.md", "README.rst")
    made.commit("renamed", {"src/shapes/plane.py": calc.replace("ring", "disc")}, "gone.py")
    made.git("checkout", "-q", "-b", "side")
    made.commit("on the side", {"side.py": "z = 3\n"})
    made.git("checkout", "-q", "main")
    made.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    made.shas["merge"] = made.git("rev-parse", "HEAD").decode().strip()
    made.commit("only gone", {}, "side.py")
    made.git("update-index", "--add", "--cacheinfo", f"160000,{made.shas['first']},module")
    made.done("module")
    made.git("rm", "-q", "--cached", "module")
    for number in range(3):
        made.commit(f"prose {number}", {f"src/shapes/prose{number}.py": prose(number)})
    return made


@pytest.fixture(scope="session")
def imported(repo, tmp_path_factory):
    """The report of the whole history, what was told, and the tapes by the names of their commits."""
    told = []
    report = imported_tapes(repo.path, "HEAD", 1, tmp_path_factory.mktemp("one"), told.append)
    out = tmp_path_factory.mktemp("tapes")
    report = imported_tapes(repo.path, f"{repo.shas['first']}..HEAD", 1, out, told.append)
    names = {sha: name for name, sha in repo.shas.items()}
    read = {names[each.commit]: tape.read(out / each.tape) for each in report.tapes}
    return report, told, read
