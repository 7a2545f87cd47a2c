import pytest

from tui.outcome import Status

FINE = {"tapes": {"small": {}}, "endings": {"shown": 3}, "verdicts": {"passed": 2, "failed": 1}, "left_out": []}


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, Status.DONE),
        ({"ablation": {"infrastructure": 0}}, Status.DONE),
        ({"ablation": {"infrastructure": 1}}, Status.FAILURES),
        ({"endings": {"failed": 1}}, Status.FAILURES),
        ({"verdicts": {"infrastructure": 1}}, Status.FAILURES),
        ({"left_out": [{"tape": "a", "why": "lacking"}]}, Status.DONE),
        ({"left_out": [{"tape": "a", "why": "failed"}]}, Status.FAILURES),
        ({"tapes": {}}, Status.LACKING),
    ],
)
def test_numbers_that_are_not_whole_end_with_a_status_that_says_so(more, status):
    assert Status.of({**FINE, **more}) == status
