"""How often the editor asks, as a dry run says it, for a whole tape."""

from importlib.resources import files

import pytest

from replay.play.policies.policy import policy_names
from replay.tapes.tape import find, read
from tests.support.expected_questions import check_expected


@pytest.fixture(scope="module")
def tape():
    """The first bundled tape."""
    return read(find([files("corpora") / "demo"])[0])


@pytest.mark.parametrize("policy", policy_names())
def test_the_questions_of_a_session_are_known_before_it_or_bounded(tape, policy):
    check_expected(tape, policy)
