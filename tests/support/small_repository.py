"""Small repositories of the tests' own."""

import subprocess

CODE = "def area(a, b):\n    return a * b\n"


TEST = "from shapes import area\n\n\ndef test_area():\n    assert area(2, 3) == 6\n"


MORE = "def edge(a, b):\n    size = a + b\n    return 2 * size\n"


FILES = {"pyproject.toml": '[project]\nname = "shapes"\nversion = "1"\n', "tests/test_shapes.py": TEST, "shapes.py": ""}


def git(folder, *words):
    name = (
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.com",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "init.defaultBranch=main",
    )
    done = subprocess.run(["git", "-C", folder, *name, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder, files, subject):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", subject)
    return git(folder, "rev-parse", "HEAD")


ORACLE = ("--provider", "oracle", "--latency", "fixed:0")
