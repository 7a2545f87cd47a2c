"""How processor time grows with the size of what is read: a ratio within one run, which is the same on a slow and a busy machine."""

import time

FOLD = 8
LINEAR = 24
"""Eightfold the size takes about eightfold the time; with its square it is 64 times."""


def growth(work, sized, size):
    """How many times the time of a size the time of `FOLD` times that size is: of each the least of three."""
    least = [min(_seconds(work, sized(one)) for _ in range(3)) for one in (size, FOLD * size)]
    return least[1] / least[0]


def _seconds(work, text):
    began = time.process_time()
    work(text)
    return time.process_time() - began
