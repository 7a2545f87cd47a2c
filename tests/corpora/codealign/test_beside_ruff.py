"""Rules on Python beside ruff's, over some of DevBench's programs: where both mean the same, they name the same programs."""

from tests.support.ruff_rules import compared_with_ruff, write_programs


def test_rules_name_the_programs_that_ruff_names(shared, tmp_path):
    programs, findings = compared_with_ruff(write_programs(shared, tmp_path))
    assert programs > 10
    assert findings > programs
