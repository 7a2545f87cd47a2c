"""`ghosttape try --ask-model` on a repository whose tests need an odd command, with a chat server that proposes some."""

import asyncio
import json
import os
import pty
import subprocess
from dataclasses import dataclass, field

import pytest

from tests.support.fakes.dialects import OpenAIDialect
from tests.support.fakes.model_server import FakeModelServer, FakeScript
from tests.support.places import SCRIPT

CODE = "def area(a, b):\n    return a * b\n"
CHECK = "import sys\n\nfrom shapes import area\n\nsys.exit(area(2, 3) != 6 or sys.argv[1:] != ['--really'])\n"
KEY = "AKIAIOSFODNN7EXAMPLE"
FILES = {
    "Makefile": f"AWS_KEY = {KEY}\ncheck:\n\tpython verify.py --really\n",
    "verify.py": CHECK,
    ".env": "PASSWORD=hunter2hunter2\n",
    "private/notes.md": "mine\n",
    ".ghosttapeignore": "private/\n",
    "shapes.py": "",
}
RIGHT = {"toolchain": "python", "command": "python verify.py --really", "requires": [], "setup": ""}


def answer(*proposals):
    return f"Here you are:\n```json\n{json.dumps({'proposals': proposals})}\n```"


@dataclass(slots=True)
class Turns(FakeScript):
    """One answer for each request, in turn; the last one again and again."""

    turns: list[str] = field(default_factory=list)

    def written(self, stops, limit):
        yield self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]


def git(folder, *words):
    name = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", "-C", folder, *name, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, need):
    need("bwrap", "git")
    folder = tmp_path / "shapes"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    git(folder, "init", "-q", ".")
    git(folder, "add", "-f", ".")
    git(folder, "commit", "-qm", "begin")
    (folder / "shapes.py").write_text(CODE)
    git(folder, "commit", "-qam", "area")
    return folder


@pytest.fixture
def try_(tmp_path, repository, cache):
    async def run(server, *words, status=0, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE):
        named = [
            "--provider",
            "openai",
            "--base-url",
            f"{server.url}/v1",
            "--settings",
            '{"provider": {"api": "chat"}}',
        ]
        given = ["--model", "wise", "--last", "1", "--limit", "1", "--latency", "fixed:0", *words]
        process = await asyncio.create_subprocess_exec(
            SCRIPT,
            "try",
            str(repository),
            *named,
            *given,
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            stdin=stdin,
            env={**os.environ, "GHOSTTAPE_CACHE": str(cache), "COLUMNS": "400"},
        )
        out, err = await process.communicate()
        assert status in {None, process.returncode}, (err or b"").decode()
        return out.decode(), (err or b"").decode()

    return run


def serving(*turns):
    return FakeModelServer(OpenAIDialect(), Turns(turns=[*turns, "    return a * b"]))


@pytest.mark.parametrize(
    ("typed", "status", "expected"), [(b"y\n", 0, "trying: python verify.py"), (b"\n", 2, "none of it was run")]
)
async def test_at_a_terminal_a_yes_is_needed(try_, typed, status, expected):
    leader, terminal = pty.openpty()
    os.write(leader, typed)
    shown = bytearray()
    asyncio.get_running_loop().add_reader(leader, lambda: shown.extend(os.read(leader, 65536)))
    try:
        async with serving("    return 1", answer(RIGHT)) as server:
            await try_(server, "--ask-model", status=status, stdin=terminal, stderr=terminal)
    finally:
        asyncio.get_running_loop().remove_reader(leader)
        os.close(leader)
        os.close(terminal)
    assert b"Try this in the sandbox, without network? [y/N]" in shown
    assert expected.encode() in shown
