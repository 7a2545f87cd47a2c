"""VS Code as a web server, code-server, with the extensions of a test in it."""

import json
import os
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from tests.support.vscode import installing

SETTINGS = {
    "chat.disableAIFeatures": True,
    "editor.acceptSuggestionOnCommitCharacter": False,
    "editor.autoClosingBrackets": "never",
    "editor.autoClosingQuotes": "never",
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.parameterHints.enabled": False,
    "editor.suggestOnTriggerCharacters": False,
    "extensions.autoUpdate": False,
    "files.autoSave": "off",
    "git.enabled": False,
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
}
WORDS = (
    "--auth=none",
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-workspace-trust",
    "--disable-getting-started-override",
)
START_S = 60


@dataclass
class CodeServer:
    """One that runs. `folder` has all that it writes: `user` its data, `extensions`, and what the probe measures in `probe`."""

    folder: Path
    address: str
    process: subprocess.Popen

    @property
    def probe(self):
        return self.folder / "probe"

    @property
    def home(self):
        return self.folder / "home"

    @property
    def temporary(self):
        return self.folder / "tmp"

    @property
    def storage(self):
        """Where the extension keeps what it writes."""
        return self.folder / "user/User/globalStorage/ghosttape.ghosttape"

    def servers(self, workspace):
        """The processes of `ghosttape serve` for a workspace, the youngest last."""
        found = [child for child in self._children() if _is_server(child) and _folder(child) == str(workspace)]
        return sorted(found, key=lambda process: process.create_time())

    def close(self):
        for child in [*self._children(), psutil.Process(self.process.pid)]:
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue
        self.process.wait()

    def _children(self):
        return psutil.Process(self.process.pid).children(recursive=True)


def _is_server(process):
    try:
        words = process.cmdline()
    except psutil.Error:
        return False
    return "serve" in words and any(Path(word).name == "ghosttape" for word in words)


def _folder(process):
    try:
        return process.cwd()
    except psutil.Error:
        return ""


def start(folder, installed, extensions, *, gate, settings):
    """Start code-server with its data in a folder, with extensions (.vsix) and settings of this machine; return when it answers."""
    for name in ("probe", "home", "tmp"):
        (folder / name).mkdir(parents=True)
    for kind, chosen in (("User", SETTINGS), ("Machine", settings)):
        (folder / "user" / kind).mkdir(parents=True)
        (folder / "user" / kind / "settings.json").write_text(json.dumps(chosen))
    (folder / "code-server.yaml").write_text("auth: none\ncert: false\n")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(installing.node_folder() / "bin/node"), str(installing.code_server(installed, gate=gate))]
    command += [f"--config={folder / 'code-server.yaml'}", f"--user-data-dir={folder / 'user'}"]
    command += [f"--extensions-dir={folder / 'extensions'}"]
    environment = {
        **os.environ,
        "GHOSTTAPE_PROBE": str(folder / "probe"),
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
    }
    for name in ("VSCODE_IPC_HOOK_CLI", "PORT"):
        environment.pop(name, None)
    install_extensions(command, extensions, environment)
    log = (folder / "code-server.log").open("wb")
    process = subprocess.Popen(
        [*command, *WORDS, f"--bind-addr=127.0.0.1:{port}"], env=environment, stdout=log, stderr=log
    )
    server = CodeServer(folder, f"127.0.0.1:{port}", process)
    _wait_for(server)
    return server


def install_extensions(command, extensions, environment):
    """Install extensions from files."""
    words = [part for extension in extensions for part in ("--install-extension", str(extension))]
    done = subprocess.run([*command, *words], env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("was successfully installed") == len(extensions), done.stdout + done.stderr


def _wait_for(server):
    end = time.monotonic() + START_S
    while True:
        assert server.process.poll() is None, (server.folder / "code-server.log").read_text()
        try:
            httpx.get(f"http://{server.address}/healthz", timeout=5).raise_for_status()
        except httpx.HTTPError:
            assert time.monotonic() < end, (server.folder / "code-server.log").read_text()
            time.sleep(0.1)
        else:
            return
