"""A person who types: a steady hand, with quick pairs of keys, pauses, slips that are mended, and ghost text that is sometimes taken."""

import random
import time

PROGRAM = """\
import json


def total(prices):
    result = 0
    for price in prices:
        result += price
    return result


class Shop:
    def __init__(self, name):
        self.name = name
        self.items = []

    def add(self, item):
        self.items.append(item)
        return len(self.items)
"""
QUICK, USUAL, THINKING = (0.005, 0.02), (0.11, 0.2), (0.35, 0.6)
"""Seconds between two keys. None is near the 50 ms that VS Code waits: whether it asks then is a matter of chance."""


class Typist:
    """Types a program until enough was asked, and then stops."""

    def __init__(self, window, seed):
        self._window, self._random = window, random.Random(seed)

    def work(self, is_enough):
        """Type lines of the program, from one that the seed chooses, with the indentation that the editor gives."""
        lines = [line.strip() for line in PROGRAM.splitlines() if line.strip()]
        at = self._random.randrange(len(lines))
        while not is_enough():
            self._line(lines[at % len(lines)])
            at += 1
        time.sleep(0.5)

    def _line(self, line):
        taken_at = self._random.randrange(2, 12)
        for number, character in enumerate(line):
            if self._random.random() < 0.03:
                self._key("z")
                self._key("Backspace", press=True)
            self._key(character)
            if number == taken_at and self._takes():
                break
        self._key("Enter", press=True)

    def _takes(self):
        """Look at what is shown, if anything is, and press a key about it or not. Whether some of it was taken: the line ends there."""
        time.sleep(0.4)
        key = self._random.choice(["Tab", "Control+ArrowRight", "Escape", ""])
        if not key or self._window.ghost == "":
            return False
        self._window.page.keyboard.press(key)
        time.sleep(0.4)
        return key != "Escape"

    def _key(self, key, *, press=False):
        keyboard = self._window.page.keyboard
        began = time.monotonic()
        keyboard.press(key) if press else keyboard.type(key)
        drawn = self._random.random()
        span = QUICK if drawn < 0.08 else THINKING if drawn > 0.95 else USUAL
        time.sleep(max(0.0, self._random.uniform(*span) - (time.monotonic() - began)))
