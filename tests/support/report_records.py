"""Records of which reports are made."""

from replay.numbers.figures import summary
from replay.records import Ending, Moment, Record, Suggestion, TrailStep, Verdict


def record(event, verdict="passed", ending="accepted", **fields):
    at = Moment(tape=fields.pop("tape", "cart"), event=event, path="shop/cart.py", language="python", offset=event, line=event, character=4, t=1.0, stop="block", kind="if", scenario="full", before="if x:\n    ", after="\nreturn y\n", truth="return x", sample=fields.pop("sample", 0))  # fmt: skip
    offered = Suggestion(text="return y", start=event, end=event, latency=100.0 + event, raw="```\nreturn y", prompt="<PRE>", trail=(TrailStep("prose", "```\nreturn y", "return y"),))  # fmt: skip
    return Record(moment=at, ending=Ending(ending), suggestion=offered, verdict=Verdict(name=verdict, log="1 failed\n", message="AssertionError") if verdict else None, **fields)  # fmt: skip


RECORDS = [record(1), record(2, "failed", "rejected"), record(3, "untestable"), record(4, None, "late")]


SUMMARY = summary(RECORDS, {"cart": 40})


MANY = [
    record(at, "passed" if at % 3 else "failed", covered=tuple(range(5 * at, 5 * at + 4)), tape="ab"[at % 2])
    for at in range(1, 40)
]
