"""How often the editor asks, as a dry run says it, against sessions that are played with other answers."""

from importlib.resources import files

import pytest
from msgspec import structs

from replay.play.policies.policy import policy_names
from replay.tapes.tape import find, read
from tests.support.expected_questions import check_expected, source_of

BEGINNING = 400


@pytest.fixture(scope="module")
def beginning(tape):
    """The first part of that tape."""
    return structs.replace(tape, events=tape.events[:BEGINNING])


@pytest.fixture(scope="module")
def tape():
    """The first bundled tape."""
    return read(find([files("corpora") / "demo"])[0])


@pytest.mark.parametrize("policy", policy_names())
def test_the_questions_of_a_session_are_known_before_it_or_bounded(beginning, policy):
    check_expected(beginning, policy)


def test_only_policies_that_go_by_answers_are_not_known(tape):
    unknown = {policy for policy in policy_names() if not source_of(tape, policy).expected.exact}
    assert unknown == {"copilot-nes", "tabby", "cody", "zed"}
    assert not source_of(tape, "pause:300", mode="drive").expected.exact


def test_a_limit_bounds_what_is_expected(tape):
    assert source_of(tape, "vscode", limit=3).expected.asks == 3
    assert source_of(tape, "zed", limit=3).expected.asks == 3
