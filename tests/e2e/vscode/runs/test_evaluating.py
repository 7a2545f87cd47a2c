"""*Evaluate This File* under a person's hands: the signs beside the lines are the verdicts that the command line gives."""

import json

from replay.run.store import Store
from tests.e2e.vscode.runs.screen import finished, signs, sums, tree

SHOP = '''"""A shop."""


def total(prices, discount=0.0):
    """The sum, less a discount."""
    summed = 0.0
    for price in prices:
        summed += price
    return summed * (1 - discount)


def doubled(price):
    """No test looks at it."""
    return price * 2
'''
TEST = """import unittest

from shop import total


class TotalTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2, 3]), 6)
        self.assertEqual(total([10], discount=0.5), 5)
"""
OTHERS = {"test_shop.py": TEST, "ghosttape.toml": '[tests]\ntoolchain = "none"\ncommand = "python3 -m unittest"\n'}
ANSWERS = {
    '"""The sum, less a discount."""': "return sum(prices) * (1 - discount)",
    "summed = 0.0": "summed = 1",
    "for price in prices:": "summed += price",
    "summed += price": "",
    '"""No test looks at it."""': "return 0",
}
"""By the last line with code before the cursor."""
ORDER = ("failed", "untestable", "untested", "passed")
"""The worst of a line counts."""


def answer(asked):
    return ANSWERS.get(asked["prompt"].rstrip().rpartition("\n")[2].strip(), "")


def state(record):
    """The sign for a verdict. What the machine failed at says nothing of the model."""
    if record.verdict is None or record.verdict.name == "infrastructure":
        return "untested"
    return record.verdict.name if record.verdict.name in ORDER else "failed"


def worst_by_line(records):
    found = {}
    for record in records:
        found.setdefault(record.moment.line + 1, []).append(state(record))
    return {line: min(states, key=ORDER.index) for line, states in found.items()}


def title(records):
    states = [state(record) for record in records]
    count = states.count
    testable = count("passed") + count("failed")
    parts = [f"{count('passed')} of {testable} passed" if testable else ""]
    parts += [
        f"{count(each)} {words}" if count(each) else ""
        for each, words in (("untestable", "untestable"), ("untested", "not tested"))
    ]
    return ", ".join(filter(None, parts))


def test_the_signs_and_sums_of_a_file_are_the_verdicts_of_the_command_line(open_file, model, ghosttape, tmp_path, need):
    need("bwrap")
    model.answer = answer
    window = open_file(SHOP, file="shop.py", others=OTHERS)
    window.command("ghosttape: Evaluate This File")
    finished(window, "ghosttape evaluate:")
    (tape,) = (window.workspace / ".ghosttape/evaluated").glob("shop-*.tape.jsonl")
    settings = json.dumps({"provider": model.settings})
    ghosttape("replay", tape, "--settings", settings, "--out", tmp_path / "run", "--json", status=None)
    with Store.open(tmp_path / "run") as store:
        records = list(store.records())
    print([(r.moment.line+1,r.moment.kind,r.moment.scenario,r.ending.name,r.verdict and r.verdict.name) for r in records])
    print(window.page.evaluate("()=>[...document.querySelectorAll('.glyph-margin-widgets *')].slice(0,4).map(e=>e.outerHTML+getComputedStyle(e).backgroundImage)"))
    print(signs(window), sums(window), tree(window))
    window.page.screenshot(path="/tmp/b2/eval.png")
    assert set(worst_by_line(records).values()) == set(ORDER)
    window.until(lambda: signs(window) == worst_by_line(records), "signs are verdicts")
