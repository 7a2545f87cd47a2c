"""The pictures of evaluations, results, replays and of asking again, for `tests.support.vscode.pictures`."""

from tests.support.vscode.questions import ask_again
from tests.support.vscode.replays import order_replay, pause
from tests.support.vscode.results_screen import begun, choices, finished, moment, signs

BASKET = '''"""A basket of a small shop."""


def total(prices, discount=0.0):
    """The sum, less a discount."""
    summed = 0.0
    for price in prices:
        summed += price
    return summed * (1 - discount)


def cheapest(prices):
    """The lowest price, or None."""
    if not prices:
        return None
    return min(prices)
'''
TESTS = """import unittest

from basket import total


class TotalTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2, 3]), 6)
        self.assertEqual(total([10], discount=0.5), 5)
"""
FILES = {
    "basket.py": BASKET,
    "test_basket.py": TESTS,
    "ghosttape.toml": '[tests]\ntoolchain = "none"\ncommand = "python3 -m unittest"\n',
}
ANSWERS = {
    '"""The sum, less a discount."""': "return sum(prices) * (1 - discount)",
    "summed = 0.0": "for price in prices:\n        summed += price * discount\n    return summed",
    "for price in prices:": "summed += price",
    "summed += price": "return summed * (1 - discount)",
    '"""The lowest price, or None."""': "return min(prices, default=None)",
    "if not prices:": "return None",
    "return None": "return sorted(prices)[0]",
}
"""What the model writes, by the last line with code above the cursor."""


def completed(asked):
    """The answer to a question about the basket."""
    return ANSWERS.get(asked["prompt"].rstrip().rpartition("\n")[2].strip(), "")


def take_runs(photographer):
    """Evaluate the basket, look at its results, ask again, and replay the tape of the evaluation."""
    window = photographer.window
    photographer.clear()
    window.command("ghosttape: Evaluate This File")
    begun(window, "ghosttape evaluate:")
    finished(window, "ghosttape evaluate:")
    window.until(lambda: len(signs(window)) == len(ANSWERS), "a sign beside each line")
    window.page.get_by_text("3 of 4 passed").click()
    window.until(moment(window, "basket.py:7:5").count, "the results")
    photographer.take("gutter")
    _results(photographer)
    _asking_again(photographer)
    _replay(photographer)


def _results(photographer):
    row = moment(photographer.window, "basket.py:7:5").first
    row.click()
    row.get_by_role("button", name="Show Truth and Suggestion").click()
    photographer.page.locator(".monaco-diff-editor").wait_for()
    row.hover()
    photographer.take("results")


def _asking_again(photographer):
    window = photographer.window
    window.command("View: Close All Editors")
    window.command("View: Toggle Primary Side Bar Visibility")
    window.press("Control+p", gap=0.8)
    photographer.page.keyboard.type("basket.py")
    choices(window, "basket.py").first.click()
    photographer.page.locator(".monaco-editor .view-line").first.wait_for()
    window.press("Control+Home", *["ArrowDown"] * 5, "Home", gap=0.1)
    ask_again(window, "qwen2.5-coder-7b")
    photographer.page.get_by_text("What would be offered").wait_for()
    photographer.page.locator(".notification-toast").wait_for(state="detached")
    photographer.take("again")


def _replay(photographer):
    window = photographer.window
    (tape,) = (window.workspace / ".ghosttape/evaluated").glob("*.tape.jsonl")
    shown = tape.rename(window.workspace / "basket.tape.jsonl")
    window.command("View: Close All Editors")
    order_replay(window, shown, "blocks", "Without tests")
    pause(window)
    for _ in range(2):
        window.command("ghosttape: Replay: To the End of the Next Moment")
        window.page.wait_for_timeout(1500)
    photographer.page.mouse.move(450, 300)
    photographer.page.wait_for_timeout(800)
    photographer.take("replay")
