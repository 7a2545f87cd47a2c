"""What must hold for the grafts of a recording of 92 minutes."""

import pytest

from replay.tapes.timeline import Timeline
from tests.support.graft_rules import RULES, graftables


@pytest.fixture(scope="module")
def timeline(long_session):
    return Timeline(long_session)


@pytest.fixture(scope="module")
def holes(timeline):
    return graftables(timeline)


@pytest.fixture(scope="module")
def testable(holes):
    return [one for one in holes if not isinstance(one.hole, str)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_each_rule_holds_at_all_testable_moments(timeline, testable, rule):
    rule(timeline, testable)


def test_moments_are_untestable_for_reasons_of_the_closed_list(holes, testable):
    reasons = {one.hole for one in holes if isinstance(one.hole, str)}
    assert reasons <= {"rewritten", "empty", "no-syntax"}
    assert len(testable) > 100
