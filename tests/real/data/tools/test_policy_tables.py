"""The table of the policies in the docs: a few of its rows are computed anew, and its words checked against data and log."""

import json
import re
from collections import Counter

import pytest
from scipy.stats import binomtest

from replay.tapes.timeline import Timeline
from tests.support.places import ROOT
from tests.support.recording_names import LONG
from tools.policy_tables import lived, played

PAGE = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def recording(recording_file):
    return recording_file(LONG)


@pytest.fixture(scope="module")
def timeline(long_session):
    return Timeline(long_session)


@pytest.fixture(scope="module")
def fetches(recording):
    """The starts and ends of the session's requests, straight from its log: (time, document, version), (error, items, ms)."""
    starts, ends, changed = [], [], {}
    for entry in json.loads(recording.read_bytes())["log"]:
        data = entry.get("data", {})
        if entry["kind"] == "changed":
            changed[entry["id"], entry["v"]] = entry["time"]
        elif data.get("sourceId") == "InlineCompletions.fetch" and data["kind"] == "start":
            starts.append((entry["time"], entry["id"], data["v"]))
        elif data.get("sourceId") == "InlineCompletions.fetch":
            ends.append((data.get("error"), len(data["result"]), data["durationMs"]))
    return starts, ends, changed


def rows(page):
    """The lines of the first table between marks, by their first column."""
    page = page.partition("<!-- policies -->")[2].partition("<!-- /policies -->")[0]
    return {line.split(" | ")[0].removeprefix("| "): line for line in page.splitlines() if line.startswith("| ")}


@pytest.mark.parametrize("policy", ["recorded", "vscode", "copilot:hold=0", "continue", "pause:300"])
def test_rows_of_the_table_are_what_a_replay_gives(timeline, policy):
    asking = played(timeline, policy)
    assert asking.requests == sum(map(asking.count, ("cancelled", "in time", "late"))) > 0
    assert rows(PAGE)[f"`{policy}`"] == asking.row()


def test_the_row_of_the_session_is_what_its_log_says(recording, fetches):
    session, ends = lived(recording), fetches[1]
    assert (session.requests, session.count("cancelled")) == (
        len(ends),
        sum(error == "canceled" for error, _, _ in ends),
    )
    assert (
        session.requests,
        session.count("in time"),
        round(100 * session.count("cancelled") / session.requests, 1),
    ) == (
        3033,
        1288,
        57.5,
    )
    assert rows(PAGE)["the live session"] == session.row()


def test_shares_have_the_interval_of_their_holes(timeline):
    """The requests of one hole are alike: an interval that took them for independent would be far narrower."""
    asking = played(timeline, "pause:300")
    assert asking.requests > 2 * len({hole for hole, _ in asking.asked})
    low, high = map(float, re.search(r"\((.*?)–(.*?)\)", asking.row()).groups())
    wilson = binomtest(asking.count("in time"), asking.requests).proportion_ci(method="wilson")
    assert high - low > 1.2 * 100 * (wilson.high - wilson.low)


def test_recorded_cancels_and_waits_as_the_session_did(timeline, recording):
    session, asking = lived(recording), played(timeline, "recorded")
    counted = ("cancelled", "in time", "late")
    assert [asking.count(name) for name in counted] == [
        session.count("cancelled"),
        session.requests - session.count("cancelled"),
        0,
    ]


def test_what_the_page_says_of_the_session_is_in_its_log(fetches):
    starts, ends, changed = fetches
    versions = Counter(start[1:] for start in starts)
    waits = [time - changed[where] for time, *where in starts for where in [tuple(where)]]
    answered = [(items, ms) for error, items, ms in ends if error is None]
    with_items = [ms for items, ms in answered if items]
    quick = sum(ms <= 25 for ms in with_items)
    for words in (
        f"{sum(50 <= wait < 60 for wait in waits):,} of its {len(starts):,} requests were sent 50 to 59 ms after",
        f"{len(versions):,} first ones for a version of a document, and {len(starts) - len(versions)} more",
        f"{quick} of {len(with_items):,} answers came within 25 ms",
    ):
        assert words in " ".join(PAGE.split())
