"""What a window shows of runs: marks beside lines, sums above functions, the tree of results, and documents that it opened."""

import re

from tests.support.vscode.editor import plain

MARKS = """() => {
  const top = (element) => Math.round(element.getBoundingClientRect().top);
  const editor = document.querySelector(".editor-instance .monaco-editor");
  const numbers = new Map([...editor.querySelectorAll(".line-numbers")].map((line) => [top(line), Number(line.textContent)]));
  const lines = [...numbers.keys()].sort((one, other) => one - other);
  const next = (at) => numbers.get(lines.find((line) => line >= at - 2));
  const signs = [...editor.querySelectorAll(".glyph-margin-widgets .cgmr")]
    .map((sign) => [next(top(sign)), /([a-z]+)\\.svg/.exec(getComputedStyle(sign).backgroundImage)?.[1]]);
  const sums = [...editor.querySelectorAll(".codelens-decoration")]
    .map((sum) => [next(top(sum)), [...sum.querySelectorAll("a")].map((link) => link.textContent)]);
  return { signs, sums };
}"""
TREE = """() => [...document.querySelectorAll(".monaco-list-row:has(.custom-view-tree-node-item)")].map((row) => ({
  top: row.getBoundingClientRect().top,
  level: Number(row.getAttribute("aria-level")),
  label: row.querySelector(".label-name")?.textContent ?? "",
  description: row.querySelector(".label-description")?.textContent ?? "",
}))"""


def signs(window):
    """The sign beside each line (from 1) that has one."""
    return dict(window.page.evaluate(MARKS)["signs"])


def sums(window):
    """What stands above each line (from 1)."""
    found = window.page.evaluate(MARKS)["sums"]
    return {line: [plain(text) for text in texts] for line, texts in found if texts}


def tree(window):
    """The rows of the results that are on the screen: (level, label, description)."""
    rows = sorted(window.page.evaluate(TREE), key=lambda row: row["top"])
    return [(row["level"], plain(row["label"]), plain(row["description"])) for row in rows]


def groups(window, level):
    """How many moments each ending (level 1), or each verdict of an ending (level 2), has in the results. A row that is being drawn has no number yet."""
    found, ending = {}, ""
    for row_level, label, description in tree(window):
        ending = label if row_level == 1 else ending
        if row_level == level and description.isdigit():
            found[label if level == 1 else (ending, label)] = int(description)
    return found


def named(record):
    """A verdict as the results name it."""
    if record.verdict is None:
        return "not tested"
    reason = f" ({record.verdict.reason})" if record.verdict.name == "untestable" and record.verdict.reason else ""
    return record.verdict.name + reason


def pages(window):
    """The texts of all editors that are on the screen."""
    return [plain(text) for text in window.page.locator(".monaco-editor .view-lines").all_inner_texts()]


def begun(window, doing):
    """Wait until the status bar tells that the server does something."""
    _progress(window, doing).wait_for()


def finished(window, doing):
    """Wait until the status bar tells no more that the server does something, which it has told."""
    _progress(window, doing).wait_for(state="detached", timeout=120_000)


def _progress(window, doing):
    return window.page.locator(".statusbar-item", has_text=doing).first


def choices(window, text):
    """The rows of a choice that hold a text."""
    return window.page.locator(".quick-input-list .monaco-list-row", has_text=text)


def moment(window, place):
    """The row of a moment in the results, by its file, line and column."""
    rows = window.page.locator(".monaco-list-row:has(.custom-view-tree-node-item)")
    return rows.filter(has_text=re.compile(rf"{re.escape(place)}(?!\d)"))
