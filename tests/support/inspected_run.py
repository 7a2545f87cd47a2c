"""A run made through the store, with moments of every kind that the inspector has to show."""

import pytest

from replay.records import Ending, Moment, Record, Suggestion, TrailStep, Verdict
from replay.run.store import Store
from tests.support.places import ROOT

BEFORE = '''"""A shopping cart."""

from decimal import Decimal


class Cart:
    """Items and their prices."""

    def __init__(self) -> None:
        self.items: dict[str, Decimal] = {}

    def total(self, discount: Decimal) -> Decimal:
        """Return the price of all items, less the discount."""
        if discount > 1:
            '''
AFTER = """
        return sum(self.items.values()) * (1 - discount)


def empty(cart: Cart) -> bool:
    return not cart.items
"""
TRUTH = 'raise ValueError("a discount is at most 1")'
NASTY = 'x = "[bold red]not markup[/]"\t# \x1b[31mred\x1b[0m\r\ny = "\U0001f600\u202e"  \x07\n' + "z" * 10_000
LOG = """============================= test session starts ==============================
tests/test_cart.py ..F                                                    [100%]

    def test_discount_is_limited():
>       with pytest.raises(ValueError):
E       Failed: DID NOT RAISE <class 'ValueError'>

FAILED tests/test_cart.py::test_discount_is_limited - Failed: DID NOT RAISE
========================= 1 failed, 2 passed in 0.03s ==========================
"""


def moment(event, **fields):
    known = {
        "tape": "cart",
        "path": "shop/cart.py",
        "language": "python",
        "offset": 900 + len(BEFORE),
        "line": 13,
        "character": 12,
        "t": 100.0 * event,
        "kind": "if",
        "scenario": "full",
        "before": BEFORE,
        "after": AFTER,
        "truth": TRUTH,
    }
    return Moment(event=event, **{**known, **fields})


def suggestion(text, at, **fields):
    known = {"start": at.offset, "end": at.offset, "latency": 143.2, "raw": text, "provider": "gguf"}
    return Suggestion(text=text, **{**known, **fields})


def _good():
    at = moment(4)
    return Record(
        moment=at,
        ending=Ending("accepted"),
        suggestion=suggestion(TRUTH, at, prompt="<fim_prefix>" + BEFORE + "<fim_suffix>" + AFTER + "<fim_middle>"),
        verdict=Verdict(name="passed", passed=3, failed=0, wall_ms=412.0, log="3 passed in 0.02s\n"),
    )


def _repaired():
    before, after = BEFORE + TRUTH + "\n        return ", "None" + AFTER
    at = moment(9, line=15, character=15, kind="return", scenario="", before=before, after=after)
    raw = "```python\nreturn sum(self.items.values())  \n```\nHope this helps!"
    bare = "return sum(self.items.values())  "
    done = "sum(self.items.values())"
    return Record(
        moment=at,
        ending=Ending("rejected"),
        suggestion=suggestion(
            done,
            at,
            end=at.offset + 4,
            raw=raw,
            latency=1_204.0,
            trail=(TrailStep("prose", raw, bare), TrailStep("repeats", bare, done)),
            prompt="Complete the code.",
        ),
        verdict=Verdict(name="failed", message="Failed: DID NOT RAISE ValueError", passed=2, failed=1, log=LOG),
    )


def _others():
    yield Record(
        moment=moment(1, line=0, character=0, before="", scenario="", kind=""), ending=Ending("gated", "mid-word")
    )
    at = moment(12, line=20, character=4, kind="function", scenario="inner")
    yield Record(
        moment=at,
        ending=Ending("filtered", "prose"),
        suggestion=suggestion("", at, raw="Sure! Here is the code you asked for.", latency=88.0),
        verdict=Verdict(name="untestable", reason="undetected"),
    )
    yield Record(moment=moment(14, path="shop/prices.py", line=3), ending=Ending("failed", "connection refused"))
    at = moment(
        3,
        character=2,
        tape="basket",
        path="src/basket.ts",
        language="typescript",
        line=1,
        before="const a = [\n  ",
        after=";",
    )
    yield Record(
        moment=at,
        ending=Ending("shown"),
        suggestion=suggestion(NASTY, at, prompt=NASTY),
        verdict=Verdict(name="syntax", message=NASTY, log=NASTY, failed=0),
    )


RECORDS = (_good(), _repaired(), *_others())


@pytest.fixture(autouse=True)
def own_preferences(tmp_path, monkeypatch):
    """No test reads or writes what the person who runs the tests has chosen."""
    monkeypatch.setenv("GHOSTTAPE_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "first-run"
    with Store.create(path, {"provider": "gguf", "policy": "blocks"}) as store:
        for record in RECORDS:
            store.put(record)
    return path


@pytest.fixture(scope="session")
def real_run(tmp_path_factory):
    """A run of the engine on a bundled tape: twelve moments as VS Code asks, answered by n-grams in 80 ms each, without tests."""
    import asyncio

    from replay.options import ReplayOptions
    from replay.run.engine import Engine
    from replay.run.sources.tape_source import TapeSource
    from replay.run.summary import summarise_replay
    from replay.tapes.tape import read
    from server.settings import ProviderSettings, Settings

    tape = read(ROOT / "corpora" / "demo" / "ledger.tape.jsonl")
    settings = Settings(provider=ProviderSettings(name="ngram"))
    options = ReplayOptions(settings=settings, policy="vscode", latency="fixed:80", tests=False, limit=12)
    place = tmp_path_factory.mktemp("real")
    engine = Engine(options, lambda _: None, summarise_replay, cache=place / "cache")
    asyncio.run(engine.run([TapeSource(tape, options)], place / "real-run"))
    return place / "real-run"
