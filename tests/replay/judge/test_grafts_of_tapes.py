"""What must hold for the grafts of whole sessions: the bundled tapes, and the beginning of a real one."""

import pytest

from replay.tapes.tape import read
from replay.tapes.timeline import Timeline
from tests.support.graft_rules import RULES, graftables
from tests.support.places import DEMO

TESTABLE = {"ledger": 100, "router": 100, "recording": 25}
"""More than so many moments of each tape are testable."""


@pytest.fixture(scope="module", params=TESTABLE)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def timeline(name, request):
    if name == "recording":
        return Timeline(request.getfixturevalue("recorded_session"))
    return Timeline(read(DEMO / f"{name}.tape.jsonl"))


@pytest.fixture(scope="module")
def holes(timeline):
    return graftables(timeline)


@pytest.fixture(scope="module")
def testable(holes):
    return [one for one in holes if not isinstance(one.hole, str)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_each_rule_holds_at_all_testable_moments(timeline, testable, rule):
    rule(timeline, testable)


def test_moments_are_untestable_for_reasons_of_the_closed_list(holes, testable, name):
    reasons = {one.hole for one in holes if isinstance(one.hole, str)}
    assert reasons <= {"rewritten", "empty", "no-syntax"}
    assert len(testable) > TESTABLE[name]
