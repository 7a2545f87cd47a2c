"""Programs as DevBench's own script puts them together, over the whole benchmark."""

from tests.support.devbench_programs import in_place_of_answers, java_named_otherwise


def test_java_programs_have_the_names_of_the_script_wherever_they_parse(shared):
    number, differing = java_named_otherwise(shared)
    assert (number, len(differing)) == (300 + 2990, 44)


def test_what_was_published_in_place_of_answers_is_no_program(shared):
    names = ["java/code2NL_NL2code/8", "java/pattern_matching/2", "python/code_purpose_understanding/38"]
    assert in_place_of_answers(shared, "Ministral-3B") == names
    assert in_place_of_answers(shared, "gpt-4o") == []
