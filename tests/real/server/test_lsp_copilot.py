"""The provider `lsp` against GitHub Copilot's language server: its greeting, and what it says to who is not signed in.

It needs no network for that. It is installed once, into ghosttape's cache (260 MB; most of the package's 640 are an agent that it can do
without).
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from replay.run.engine import cache_folder
from server.documents import Document
from server.providers import registry
from server.providers.language_server.server_session import LanguageServerSession
from server.queries import Query
from server.service import Service
from server.settings import ProviderSettings, Settings

PACKAGE, VERSION = "@github/copilot-language-server", "1.539.0"
URI = "file:///p/a.py"


@pytest.fixture(scope="session")
def copilot(need, lacking):
    """The command of Copilot's language server."""
    need("node", "npm")
    folder = cache_folder() / "tests" / f"copilot-language-server-{VERSION}"
    program = folder / "node_modules/.bin/copilot-language-server"
    if not program.exists():
        _install(folder, lacking)
    return (str(program), "--stdio")


def _install(folder, lacking):
    machine = subprocess.check_output(["node", "-p", "process.platform + '-' + process.arch"], text=True).strip()
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
    unfinished.mkdir(parents=True)
    names = [f"{PACKAGE}@{VERSION}", f"{PACKAGE}-{machine}@{VERSION}"]
    words = ["npm", "install", "--no-audit", "--no-fund", "--omit=optional", "--ignore-scripts", "--prefix", unfinished]
    done = subprocess.run([*words, *names], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        shutil.rmtree(unfinished)
        lacking(f"{PACKAGE} cannot be installed: {done.stderr.strip()[-500:]}")
    try:
        unfinished.rename(folder)
    except OSError:  # another run was first
        shutil.rmtree(unfinished)


@pytest.fixture
async def provider(copilot, tmp_path, monkeypatch):
    """The provider, in a home in which nobody is signed in."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in [name for name in os.environ if name.startswith(("GH_", "GITHUB_"))]:
        monkeypatch.delenv(name)
    made = registry.make(ProviderSettings(name="lsp", command=copilot, start_s=120.0, timeout_s=120.0))
    made.set_folders([Path(tmp_path).as_uri()])
    yield made
    await made.close()


async def test_copilots_server_is_greeted_and_who_is_not_signed_in_is_told_so(provider):
    await provider.start()
    session: LanguageServerSession = provider._starting.result()
    assert session.name == "GitHub Copilot Language Server"
    assert "github.copilot.didAcceptCompletionItem" in session.commands
    query = Query(URI, "python", "def add(a, b):\n    ", "\n", opened=(Document(URI, "python", 1, ""),))
    service = Service(provider, Settings())
    for _ in range(2):  # it runs on
        suggestion = await service.complete(query)
        assert suggestion.outcome == "failed"
        assert suggestion.reason.startswith("copilot-language-server: Not authenticated")
        assert "sign in first" in suggestion.reason
    assert not session.is_dead


async def test_what_is_told_of_an_item_is_in_the_words_that_copilots_server_checks(provider):
    """It checks what it is told against a schema, and complains of what does not fit."""
    await provider.start()
    session = provider._starting.result()
    command = {"title": "", "command": "github.copilot.didAcceptCompletionItem", "arguments": ["unknown"]}
    where = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    item = {"insertText": "x", "range": where, "command": command}
    session.shown(item)
    session.accepted_in_part(item, 1)
    await session.accepted(item, 60)
    assert not [said for said in session.connection.error_messages if "chema" in said]
    session.shown({**item, "command": {**command, "arguments": [1]}})
    await session.accepted(item, 60)
    assert [said for said in session.connection.error_messages if "didShowCompletion" in said], "so it does check"
