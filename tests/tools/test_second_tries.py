"""A second try of `make test-real` counts only if the test passed: not if it was skipped, and not if nothing ran."""

import pytest

from tests.support.second_tries import has_passed


@pytest.mark.parametrize(
    ("cases", "passed"),
    [
        ("<testcase name='a'/>", True),
        ("<testcase name='a'/><testcase name='b'><failure/></testcase>", False),
        ("<testcase name='a'><error/></testcase>", False),
        ("<testcase name='a'><skipped message='busy'/></testcase>", False),
        ("", False),
    ],
)
def test_a_report_has_passed_where_each_of_its_tests_has(tmp_path, cases, passed):
    (tmp_path / "report.xml").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    assert has_passed(tmp_path / "report.xml") is passed


def test_a_report_that_is_not_there_has_not(tmp_path):
    assert not has_passed(tmp_path / "none.xml")
