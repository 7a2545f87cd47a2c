"""*Evaluate This File* under a person's hands: the signs beside the lines are the verdicts that the command line gives."""

import json
from collections import Counter

from replay.run.store import Store
from tests.support.vscode.results_screen import begun, finished, groups, named, signs, sums

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
    '"""No test looks at it."""': "return 0",
}
"""By the last line with code before the cursor."""
SUMS = {4: "2 of 3 passed, 1 not tested", 12: "1 untestable"}
ORDER = ("failed", "untestable", "untested", "passed")
"""The worst of a line counts."""


def answer(asked):
    """What the model writes; at one place it breaks the connection."""
    above = asked["prompt"].rstrip().rpartition("\n")[2].strip()
    return None if above == "summed += price" else ANSWERS.get(above, "")


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


def test_the_signs_and_sums_of_a_file_are_the_verdicts_of_the_command_line(open_file, model, ghosttape, tmp_path, need):
    need("bwrap")
    model.answer = answer
    settings = {"provider": model.settings | {"tries": 1}}
    window = open_file(SHOP, file="shop.py", others=OTHERS, settings={"ghosttape.provider": settings["provider"]})
    window.command("ghosttape: Evaluate This File")
    begun(window, "ghosttape evaluate:")
    finished(window, "ghosttape evaluate:")
    (tape,) = (window.workspace / ".ghosttape/evaluated").glob("shop-*.tape.jsonl")
    ghosttape("replay", tape, "--settings", json.dumps(settings), "--out", tmp_path / "run", "--json", status=1)
    with Store.open(tmp_path / "run") as store:
        records = list(store.records())
    expected = worst_by_line(records)
    assert set(expected.values()) == set(ORDER)
    window.until(lambda: signs(window) == expected, lambda: f"the signs {expected} (there are {signs(window)})")
    window.until(lambda: {line: links[0] for line, links in sums(window).items()} == SUMS, "the sums of functions")
    window.page.get_by_text(SUMS[4]).click()
    endings = Counter(record.ending.name for record in records)
    window.until(lambda: Counter(groups(window, 1)) == endings, "the results by ending")
    verdicts = Counter((record.ending.name, named(record)) for record in records)
    window.until(lambda: Counter(groups(window, 2)) == verdicts, lambda: f"{verdicts} (there are {groups(window, 2)})")
    assert window.on_disk == SHOP
