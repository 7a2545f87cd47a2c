"""The pictures of the extension's README and walkthrough, from a real editor: `make pictures`, with a package that `make vsix` built."""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.support.places import ROOT, SCRIPT
from tests.support.vscode import code_server, installing, run_pictures
from tests.support.vscode.editor import CHROMIUM, RUNS, open_window
from tests.support.vscode.model_server import ModelServer
from tests.support.vscode.run_pictures import take_runs

EXTENSION = ROOT / "vscode-ext"
CART = '''"""A cart of a small shop."""


class Cart:
    def __init__(self):
        self.prices = []

    def total(self, discount=0.0):
        """The sum of all prices, less a discount."""
        '''
ANSWER = "subtotal = sum(self.prices)\n        return subtotal * (1 - discount)"
TESTS = """from cart import Cart


def test_an_empty_cart_costs_nothing():
    assert Cart().total() == 0
"""
SETTINGS = {
    "breadcrumbs.enabled": False,
    "editor.fontSize": 15,
    "editor.minimap.enabled": False,
    "terminal.integrated.fontSize": 13,
    "workbench.activityBar.location": "hidden",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.layoutControl.enabled": False,
    "window.commandCenter": False,
}
SIZE = {"width": 900, "height": 520}


class Photographer:
    """A window, and the folder that its pictures go to."""

    def __init__(self, window):
        self.window, self.page = window, window.page
        self.page.set_viewport_size(SIZE)
        window.press("Control+b", "Control+Alt+b", gap=0.8)

    def take(self, name, **place):
        self.page.wait_for_timeout(400)
        file = EXTENSION / "media" / f"{name}.png"
        self.page.screenshot(path=file, **place)
        with Image.open(file) as picture:
            fewer = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=4, dither=Image.Dither.NONE)
            fewer.save(file, optimize=True)

    def clear(self):
        """Close what tells news."""
        self.window.command("Notifications: Clear All Notifications")
        self.window.focus()

    def all(self):
        """What is seen while one types."""
        window = self.window
        self.clear()
        self.take("running", clip={"x": 500, "y": 380, "width": 400, "height": 140})
        window.type("s", gap=0.3)
        window.until(lambda: "prices" in window.ghost, "ghost text")
        self.take("ghost")
        self.page.locator('.statusbar-item[id^="ghosttape"]').last.click()
        self.page.locator(".quick-input-widget").wait_for()
        self.take("menu")
        window.press("Escape")
        window.command("ghosttape: Record This Workspace")
        self.page.locator(".monaco-dialog-box").wait_for()
        self.take("consent")
        self.page.locator(".monaco-dialog-box").get_by_text("Record", exact=True).click()
        window.until(lambda: "This workspace is recorded" in window.status and RUNS.search(window.status), "it records")
        window.focus()
        window.type("u", gap=0.3)
        window.until(lambda: "prices" in window.ghost, "ghost text")
        window.press("Tab", "Enter", gap=0.6)
        window.until(lambda: "discount" in window.ghost, "ghost text")
        window.press("Tab", "Control+s", gap=0.6)
        window.press("Control+Backquote", gap=4)
        self.page.keyboard.type("pytest -q\n")
        self.page.wait_for_timeout(9000)
        self.take("recording")


def completed(asked):
    """What is left of the answer behind what is written of it."""
    written = asked["prompt"].rpartition('discount."""\n        ')[2]
    return ANSWER[len(written) :] if ANSWER.startswith(written) else ""


def main():
    (package,) = EXTENSION.glob("*.vsix")
    model = ModelServer(completed)
    made = Path(tempfile.gettempdir()) / "pictures"  # a name that may be seen
    made.mkdir()
    try:
        take_all(made, package, model)
    finally:
        model.close()
        shutil.rmtree(made)


def take_all(made, package, model):
    with sync_playwright() as playwright:
        server = started(made, package)
        try:
            chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
            Photographer(shop(chromium, server, made, model, {"cart.py": CART, "test_cart.py": TESTS})).all()
            model.answer = run_pictures.completed
            take_runs(Photographer(shop(chromium, server, made / "evaluated", model, run_pictures.FILES)))
            chromium.close()
        finally:
            server.close()


def started(made, package):
    settings = {"ghosttape.server.path": SCRIPT}
    server = code_server.start(made / "editor", installing.installed(), (package,), gate=True, settings=settings)
    (server.home / ".bashrc").write_text(f"PS1='shop$ '\nPATH={Path(sys.executable).parent}:$PATH\n")
    return server


def shop(chromium, server, folder, model, files):
    """A window of a workspace with some files, of which the first is open."""
    workspace = folder / "shop"
    (workspace / ".vscode").mkdir(parents=True)
    for name, text in files.items():
        (workspace / name).write_text(text)
    chosen = SETTINGS | {"ghosttape.provider": model.settings | {"model": "qwen2.5-coder-7b"}}
    (workspace / ".vscode/settings.json").write_text(json.dumps(chosen))
    return open_window(chromium, server, workspace, next(iter(files)))


if __name__ == "__main__":
    main()
