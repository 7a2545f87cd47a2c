import pytest

from tui.outcome import ExitStatus

FINE = {"tapes": {"small": {}}, "endings": {"shown": 3}, "verdicts": {"passed": 2, "failed": 1}, "left_out": []}


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, ExitStatus.DONE),
        ({"ablation": {"infrastructure": 0}}, ExitStatus.DONE),
        ({"ablation": {"infrastructure": 1}}, ExitStatus.FAILURES),
        ({"endings": {"failed": 1}}, ExitStatus.FAILURES),
        ({"verdicts": {"infrastructure": 1}}, ExitStatus.FAILURES),
        ({"left_out": [{"tape": "a", "why": "lacking"}]}, ExitStatus.DONE),
        ({"left_out": [{"tape": "a", "why": "failed"}]}, ExitStatus.FAILURES),
        ({"tapes": {}}, ExitStatus.LACKING),
    ],
)
def test_numbers_that_are_not_whole_end_with_a_status_that_says_so(more, status):
    assert ExitStatus.of({**FINE, **more}) == status
