"""A window of the editor as a person has it: keys go in, and what stands on the screen comes out."""

import json
import re
import time
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from replay.tapes.tape import Documents, read

CHROMIUM = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
GHOST = """() => [...document.querySelectorAll('[class*="ghost-text"]')]
  .filter((part) => !part.querySelector('[class*="ghost-text"]'))
  .map((part) => ({ top: Math.round(part.getBoundingClientRect().top), text: part.textContent }))"""
PALETTE_IS_GONE = """() => {
  const widget = document.querySelector(".quick-input-widget");
  return widget.style.display === "none" || !widget.querySelector("input[type=text]").value.startsWith(">");
}"""
"""A command that asks something takes the palette's place at once: then the widget is never hidden."""
RUNS = re.compile(r"ghosttape \d+\.\d+")
LONG_S = 90
"""How long something may take that a test only waits for; a person would have given up."""
WATCH = """() => {
  globalThis.keyAt = globalThis.keys = 0;
  globalThis.seen = [];
  let last = "";
  document.addEventListener("keydown", () => { keyAt = performance.now(); keys += 1; }, true);
  const look = () => {
    const ghost = document.querySelector('.view-line [class*="ghost-text"]');
    const line = ghost?.closest(".view-line");
    const parts = line === undefined || line === null ? [] : [...line.querySelectorAll("span > span")].filter((e) => e.children.length === 0);
    const at = parts.findIndex((part) => part.matches('[class*="ghost-text"]'));
    const before = parts.slice(0, Math.max(at, 0)).map((part) => part.textContent).join("");
    const text = parts.filter((part) => part.matches('[class*="ghost-text"]')).map((part) => part.textContent).join("");
    const now = JSON.stringify([before, text]);
    if (now !== last && ghost !== null) {
      const time = performance.now();
      seen.push({ at: performance.timeOrigin + time, after: time - keyAt, keys, before, text });
    }
    last = now;
    requestAnimationFrame(look);
  };
  look();
}"""


@dataclass(frozen=True)
class Seen:
    """Ghost text that was drawn: when (s since 1970), ms after the last key, which key that was, and the text of the line before it."""

    at: float
    after: float
    keys: int
    before: str
    text: str


@dataclass
class Window:
    """A window with a file of a workspace open; the cursor is at its end."""

    page: object
    workspace: Path
    file: str
    server: object

    @property
    def status(self):
        """What the status bar says of ghosttape, with the tooltips."""
        items = self.page.locator('.statusbar-item[id^="ghosttape"]').all()
        return "\n".join(f"{item.text_content()} {item.get_attribute('aria-label')}" for item in items)

    @property
    def ghost(self):
        """The ghost text on the screen; "" if there is none."""
        found = self.page.evaluate(GHOST)
        lines = groupby(sorted(found, key=lambda one: one["top"]), key=lambda one: one["top"])
        return "\n".join(plain("".join(one["text"] for one in line)) for _, line in lines)

    @property
    def on_disk(self):
        return (self.workspace / self.file).read_text()

    @property
    def tapes(self):
        """The files of this workspace's recordings, oldest first."""
        found = self.server.storage.glob(f"recordings/{self.workspace.name}-*/*/*.tape.jsonl")
        return sorted(found, key=lambda path: path.parent.name)

    @property
    def requests_on_tape(self):
        """How many requests the newest tape has so far; it is written once a second."""
        return self.tapes[-1].read_text().count('"phase":"asked"') if self.tapes else 0

    @property
    def allows_proposals(self):
        """Whether this editor lets extensions use the proposed API."""
        file = self.server.probe / f"{self.workspace.name}.proposals"
        self.until(file.exists, "the probe has started")
        return file.read_text() == "allowed"

    def until(self, condition, what, seconds=LONG_S):
        """Wait for something, and say how many seconds that took. `what` names it, or is a function that also says what is there instead."""
        began = time.monotonic()
        while not condition():
            waited = time.monotonic() - began
            if waited >= seconds:
                raise AssertionError(
                    f"not within {seconds} s: {what() if callable(what) else what}. The status bar says: {self.status}"
                )
            time.sleep(0.03)
        return time.monotonic() - began

    def until_ghost(self, text):
        self.until(lambda: self.ghost == text, lambda: f"ghost text {text!r} (there is {self.ghost!r})")

    def type(self, text, gap=0.15):
        """Type at a steady pace, `gap` seconds a key."""
        for character in text:
            began = time.monotonic()
            self.page.keyboard.press("Enter") if character == "\n" else self.page.keyboard.type(character)
            time.sleep(max(0.0, gap - (time.monotonic() - began)))

    def press(self, *keys, gap=0.15):
        for key in keys:
            self.page.keyboard.press(key)
            time.sleep(gap)

    def save(self):
        """Save the file, and give its text on disk."""
        before = (self.workspace / self.file).stat().st_mtime_ns
        self.press("Control+s")
        self.until(lambda: (self.workspace / self.file).stat().st_mtime_ns != before, "the file is saved")
        return self.on_disk

    def command(self, title):
        """Run a command by its title in the palette, which does not hear of commands that come while it is open: it is asked again."""
        self.page.keyboard.press("F1")
        box = self.page.locator(".quick-input-widget input[type=text]").first
        row = self.page.locator(".quick-input-list .monaco-list-row").first.get_by_text(title.partition(": ")[2]).first

        def asked_again():
            box.fill(">")
            box.fill(f">{title}")
            ends = time.monotonic() + 5
            while not (found := row.is_visible()) and time.monotonic() < ends:
                time.sleep(0.05)
            return found

        self.until(asked_again, f"the palette has {title!r}")
        self.page.keyboard.press("Enter")
        self.page.wait_for_function(PALETTE_IS_GONE)

    def open(self, file):
        """Open another file of the workspace."""
        self.page.keyboard.press("Control+p")
        self.page.locator(".quick-input-widget input[type=text]").first.fill(file)
        self.page.locator(".quick-input-list .monaco-list-row", has_text=file).first.click()

    def record(self):
        """Switch recording on, and say yes to the question; it goes on when a server records."""
        self.command("ghosttape: Record This Workspace")
        self.page.locator(".monaco-dialog-box").get_by_text("Record", exact=True).click()
        self.until(lambda: "This workspace is recorded" in self.status and RUNS.search(self.status), "it records")
        self.focus()

    def pause(self):
        """Pause the recording: the tape is complete then."""
        self.command("ghosttape: Pause Recording")
        self.until(lambda: "is paused" in self.status and RUNS.search(self.status), "the recording is paused")

    def focus(self):
        self.page.locator(".monaco-editor .view-lines").first.click()
        self.press("Control+End")

    def watch(self):
        """Note from now on each ghost text that is drawn."""
        self.page.evaluate(WATCH)

    @property
    def seen(self):
        found = self.page.evaluate("() => seen")
        texts = [{name: plain(value) for name, value in one.items()} for one in found]
        return [Seen(**{**one, "at": one["at"] / 1000}) for one in texts]

    def delays(self):
        """By how much the latest timer of each second was late where extensions run: (s since 1970, ms)."""
        lines = (self.server.probe / f"{self.workspace.name}.delays").read_text().splitlines()
        return [(at / 1000, late) for at, late in map(json.loads, lines)]


def plain(value):
    """A text of the screen as it stands in the document: the editor draws spaces and joins otherwise."""
    return value.replace("\xa0", " ").replace("\u200c", "") if isinstance(value, str) else value


def open_window(browser, server, workspace, file, *, runs=True):
    """Open a folder with a file of it, and wait until the server of ghosttape runs, unless it is not wanted for this kind of file."""
    page = browser.new_page(viewport={"width": 1200, "height": 700})
    page.set_default_timeout(LONG_S * 1000)
    shown = json.dumps([["openFile", f"vscode-remote://{server.address}{workspace / file}"]])
    page.goto(f"http://{server.address}/?folder={workspace}&payload={quote(shown)}")
    page.locator(".monaco-editor .view-line").first.wait_for()
    window = Window(page, workspace, file, server)
    if runs:
        window.until(lambda: RUNS.search(window.status), "the server runs")
    window.focus()
    return window


def on_tape(path):
    """A tape that was recorded, and the texts at its end by path. Fails if a tape is torn or cannot have happened."""
    tape = read(path)
    documents = Documents(tape.source)
    for number, event in enumerate(tape.events):
        documents.apply(number, event)
    return tape, documents.finished()
