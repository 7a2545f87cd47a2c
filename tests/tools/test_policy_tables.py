"""The table of the policies in the docs: how its rows are computed, on a real session, and that it names all policies."""

import re

import pytest
from scipy.stats import binomtest

from replay.play.policies.policy import policy_names
from replay.tapes.timeline import Timeline
from tests.support.places import ROOT
from tests.support.recorded_logs import ends_of, log_of
from tests.support.recording_names import BEGINNING
from tools.policy_tables import POLICIES, lived, played, put, table

PAGE = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def recording(recording_file):
    return recording_file(BEGINNING)


@pytest.fixture(scope="module")
def timeline(recorded_session):
    return Timeline(recorded_session)


def rows(page):
    """The lines of the first table between marks, by their first column."""
    page = page.partition("<!-- policies -->")[2].partition("<!-- /policies -->")[0]
    return {line.split(" | ")[0].removeprefix("| "): line for line in page.splitlines() if line.startswith("| ")}


@pytest.mark.parametrize("policy", ["recorded", "vscode", "copilot:hold=0", "continue", "pause:300"])
def test_each_request_ends_in_one_of_three_ways(timeline, policy):
    asking = played(timeline, policy)
    assert asking.requests == sum(map(asking.count, ("cancelled", "in time", "late"))) > 0


def test_what_is_said_of_a_session_is_what_its_log_says(recording):
    session, ends = lived(recording), ends_of(log_of(recording))
    cancelled = sum(end.get("error") == "canceled" for end in ends)
    assert (session.requests, session.count("cancelled")) == (len(ends), cancelled)
    assert session.count("in time") == len(ends) - cancelled > 0


def test_shares_have_the_interval_of_their_holes(timeline):
    """The requests of one hole are alike: an interval that took them for independent would be far narrower."""
    asking = played(timeline, "pause:300")
    assert asking.requests > 2 * len({hole for hole, _ in asking.asked})
    low, high = map(float, re.search(r"\((.*?)–(.*?)\)", asking.row()).groups())
    wilson = binomtest(asking.count("in time"), asking.requests).proportion_ci(method="wilson")
    assert high - low > 1.2 * 100 * (wilson.high - wilson.low)


def test_the_table_has_every_policy():
    assert [*rows(PAGE)][2:] == ["the live session", *(f"`{name}`" for name in POLICIES)]
    assert {name.partition(":")[0] for name in POLICIES} == {*policy_names()} - {"blocks", "edits"}


def test_recorded_cancels_and_waits_as_the_session_did(timeline, recording):
    session, asking = lived(recording), played(timeline, "recorded")
    counted = ("cancelled", "in time", "late")
    assert [asking.count(name) for name in counted] == [
        session.count("cancelled"),
        session.requests - session.count("cancelled"),
        0,
    ]


def test_the_page_has_a_section_with_the_source_of_every_policy():
    sections = re.split(r"^### ", PAGE, flags=re.MULTILINE)
    for name in {*policy_names()} - {"blocks", "edits", "every", "pause", "recorded"}:
        (section,) = (part for part in sections if part.split("\n")[0] == name)
        assert "*Source*:" in section, name


def test_a_page_is_changed_only_where_it_says_so():
    page = "before\n<!-- one -->\nold\n<!-- /one -->\nafter\n"
    assert put(page, "one", "new\nnew") == "before\n<!-- one -->\nnew\nnew\n<!-- /one -->\nafter\n"
    with pytest.raises(ValueError, match="the page has no place between '<!-- two -->' and '<!-- /two -->'"):
        put(page, "two", "new")


def test_a_table_of_nothing_has_a_head_only():
    assert len(table([]).splitlines()) == 2
