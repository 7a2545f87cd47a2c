""""""

from __future__ import annotations

CODE = """\
def helper(x):
    return x * 2


def entered(x):
    y = helper(x)
    if x > 100:
        y = 0
    return y


def never(x):
    return x + 1


def unchecked(x):
    z = x
    print(z)
"""
