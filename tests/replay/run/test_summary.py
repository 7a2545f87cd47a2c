"""What a replay comes to, whatever the order in which its verdicts came."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from replay.options import ReplayOptions
from replay.records import Rewriting, Verdict
from replay.run.findings import Findings
from replay.run.summary import summarise_replay
from tests.support.scale import examples
from tests.support.tapes import record_of

VERDICTS = ("passed", "failed", "untestable", "infrastructure", None)


@st.composite
def several_samples(draw):
    """The records of one tape or two, with five answers at each moment, in the order of the tape."""
    moments = draw(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), min_size=2, max_size=12))
    return [
        _record(tape, at, f"a.py:{hole}", sample, draw(st.sampled_from(VERDICTS)))
        for at, (tape, hole) in enumerate(moments)
        for sample in range(5)
    ]


def _record(tape, at, hole, sample, name):
    record = record_of(at, "shown", name, tape=tape, latency=10.0 + at / 7, covered=[at, at + 1])
    if name == "untestable":
        changed = Rewriting(cause="before", then=f"then {at}", now="now")
        why = Verdict(name=name, reason="rewritten", rewriting=changed)
        record = structs.replace(record, verdict=why)
    return structs.replace(record, moment=structs.replace(record.moment, hole=hole, sample=sample))


def text_of(records, samples):
    found = Findings(records=records, keys={"a": 60, "b": 40})
    return msgspec.json.encode(summarise_replay(ReplayOptions(samples=samples), found))


@settings(max_examples=examples(40))
@given(several_samples(), st.randoms())
def test_the_summary_does_not_depend_on_the_order_of_the_verdicts(records, random):
    shuffled = random.sample(records, len(records))
    for samples in (1, 5):
        assert text_of(shuffled, samples) == text_of(records, samples)


def test_what_was_rewritten_is_told_in_the_order_of_the_tapes():
    records = [_record(tape, at, "", 0, "untestable") for tape, at in [("b", 1), ("a", 9), ("b", 0), ("a", 10)]]
    found = summarise_replay(ReplayOptions(), Findings(records=records, keys={"a": 60, "b": 40}))
    assert [one["then"] for one in found["rewritten"]] == ["then 9", "then 10", "then 0", "then 1"]
