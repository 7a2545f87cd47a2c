"""What the tests in VS Code share: the editor, its windows, and the model server behind them."""

import importlib.util
import json
import shutil
import subprocess

import pytest

from tests.support.places import ROOT, SCRIPT
from tests.support.vscode import code_server, installing
from tests.support.vscode.editor import CHROMIUM, open_window
from tests.support.vscode.model_server import ModelServer


@pytest.fixture(scope="session")
def editor_installed(need, lacking):
    """The folder of code-server; it is not installed here, but by make test."""
    need("chromium")
    folder = installing.installed()
    if importlib.util.find_spec("playwright") is None:
        lacking("playwright is not installed: run `make dev`")
    if installing.node_folder() is None or not installing.is_ready(folder):
        lacking("code-server is not installed: run `make editor`")
    return folder


@pytest.fixture(scope="session")
def probe(extension, once, run_folder):
    """The package of the tests' own extension."""

    def make():
        source = run_folder / "probe"
        shutil.copytree(ROOT / "tests/support/vscode/probe", source)
        words = ["package", "--no-dependencies", "--allow-missing-repository", "--skip-license"]
        command = [str(extension / "node_modules/.bin/vsce"), *words, "-o", "probe.vsix"]
        subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=120)
        return source / "probe.vsix"

    return once("probe", make)


@pytest.fixture(scope="session")
def start_editor(editor_installed, vsix, probe, tmp_path_factory):
    """A function that gives the code-server with an open or closed gate for the proposed API; one of each is started."""
    started = {}

    def give(*, gate=False):
        if gate not in started:
            folder = tmp_path_factory.mktemp("code-server")
            settings = {"ghosttape.server.path": SCRIPT}
            started[gate] = code_server.start(folder, editor_installed, (vsix, probe), gate=gate, settings=settings)
        return started[gate]

    yield give
    for server in started.values():
        server.close()


@pytest.fixture(scope="module")
def browser(editor_installed):
    # one for each module: as long as it runs, no test of this worker can run an event loop of its own
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
        yield chromium
        chromium.close()


@pytest.fixture
def model():
    server = ModelServer()
    yield server
    server.close()


def workspace_window(browser, server, workspace, model, files, *, settings=None, runs=True):
    """A window with the first of some files open, in a workspace where completions come from `model`, or as settings say."""
    (workspace / ".vscode").mkdir(parents=True)
    for name, content in files.items():
        (workspace / name).write_text(content)
    chosen = {"ghosttape.provider": model.settings} | (settings or {})
    (workspace / ".vscode/settings.json").write_text(json.dumps(chosen))
    return open_window(browser, server, workspace, next(iter(files)), runs=runs)


@pytest.fixture
def open_file(browser, start_editor, tmp_path, model):
    """A function that opens a file with some text in a workspace of its own, with other files beside it (see `workspace_window`)."""
    windows = []

    def give(text="", *, file="cart.py", others=None, gate=False, **rest):
        workspace = tmp_path / f"shop{len(windows)}-{tmp_path.name}"
        files = {file: text} | (others or {})
        windows.append(workspace_window(browser, start_editor(gate=gate), workspace, model, files, **rest))
        return windows[-1]

    yield give
    for window in windows:
        window.page.close()
