"""Two real runs over the same tapes, made once: each knows one answer, so that one passes where the other fails."""

import asyncio

import pytest

from replay.tapes.tape import Tests as ProjectTests
from replay.tapes.tape import read, write
from tests.support.replays import options_of, run
from tests.support.tapes import Typist

CART = '''"""A shopping cart."""


def following(x):
    return x + 1


def total(prices):
    """The price of all."""
    return sum(prices)


def discounted(prices, discount):
    """The price of all, less the discount."""
    if discount > 1:
        raise ValueError("a discount is at most 1")
    return sum(prices) * (1 - discount)
'''
QUERY = """export function parse(text) {
    const pairs = text.split("&");
    return pairs.map((pair) => pair.split("="));
}
"""
CHECK = (
    "status=0; "
    "for wanted in 'return x + 1' 'return sum(prices)$' 'at most 1' 'return sum(prices) \\*'; do "
    'if grep -q "$wanted" cart.py; then echo "ok: $wanted"; else echo "FAILED: cart.py has no $wanted"; status=1; fi; '
    "done; exit $status"
)
ANSWERS = {"one": "return x + 1", "other": "return sum(prices)"}


def tapes(folder):
    """Two tapes in a folder; only the parts of the first are noticed by its tests."""
    cart = Typist(
        "shop/cart.py", "python", tests=ProjectTests(toolchain="none", command=f"cd shop; {CHECK}"), name="cart"
    )
    query = Typist("query.js", "javascript", tests=ProjectTests(toolchain="none", command="true"), name="query")
    for typist, text in ((cart, CART), (query, QUERY)):
        tape = typist.type(text).tape()
        write(tape, folder / f"{tape.header.id}.tape.jsonl")
    return [read(folder / f"{name}.tape.jsonl") for name in ("cart", "query")]


@pytest.fixture(scope="session")
def two_runs(once, run_folder):
    """The folders of both runs."""

    def make():
        folder = run_folder / "two-runs"
        folder.mkdir()
        played = tapes(folder)
        for name, text in ANSWERS.items():
            settings = {"provider": {"name": "fixed", "text": text}}
            options = options_of(settings=settings, latency="fixed:80", sandbox="none")
            asyncio.run(run(played, folder / name, options, cache=folder / "cache"))
        return tuple(folder / name for name in ANSWERS)

    return once("two-runs", make)
