"""Translated problems: cases come from the Python tests alone, and only a translation that passes all of them becomes a problem."""

import json

import pytest
import pytest_asyncio

from corpora.codealign.benchmark import StandaloneProblem
from corpora.standalone.translating import translated
from corpora.standalone.translating.translation import recorded_cases
from runners.programs import cold
from runners.sandboxes import pick
from server.chat import FakeChat
from tests.support.scale import sampled

REFERENCE = '''def mix(names, text, table, factor, number):
    """Mix."""
    if not names:
        return None
    if number > 5:
        return mix(names, text, table, factor, 5)
    return {"k": [name * factor for name in names], "t": text[::-1] + table.get("é", "?"), "p": [[number > 1]]}
'''
TESTS = r"""def check(candidate):
    assert candidate([1, 2], 'ab"\n\\', {'é': 'ü'}, 0.5, 3)['p'] == [[True]]
    assert candidate([], '', {}, 1.0, 0) is None
    candidate([10**9], 'x', {}, 2.0, 1)
    candidate([7], 'x', {}, 2.0, 9)

check(mix)
"""
PROBLEM = StandaloneProblem("made/0", "python", "Mix.", REFERENCE, "import math", TESTS)
JAVA = """```java
import java.util.*;

public class Solution {
    public static Map<String, Object> mix(List<Integer> names, String text, Map<String, String> table, double factor, int number) {
        if (names.isEmpty()) return null;
        Map<String, Object> made = new HashMap<>();
        double[] k = new double[names.size()];
        for (int i = 0; i < k.length; i++) k[i] = names.get(i) * factor;
        made.put("k", k);
        made.put("t", new StringBuilder(text).reverse().toString() + table.getOrDefault("\\u00e9", "?"));
        made.put("p", List.of(new boolean[]{number > 1}));
        return made;
    }

    public static void main(String[] words) { }
}
```"""
SCRIPT = """```javascript
function mix(names, text, table, factor, number) {
  if (!names.length) return;
  const t = text.split("").reverse().join("") + (table["é"] || "?");
  return {t, k: names.map((name) => name * factor), p: [[number > 1]]};
}
```"""
ANSWERS = {"java": JAVA, "javascript": SCRIPT}


@pytest_asyncio.fixture
async def programs(cache):
    made = await cold(pick(), cache, lambda _: None)
    yield made
    await made.close()


async def test_cases_are_the_outermost_calls_of_the_tests_with_what_the_reference_returns(programs):
    found = await recorded_cases(PROBLEM, programs)
    scope = {}
    exec(REFERENCE, scope)
    given = [
        [[1, 2], 'ab"\n\\', {"é": "ü"}, 0.5, 3],
        [[], "", {}, 1.0, 0],
        [[10**9], "x", {}, 2.0, 1],
        [[7], "x", {}, 2.0, 9],
    ]
    assert found.function == "mix"
    assert found.cases == tuple((own, scope["mix"](*own)) for own in given)


@pytest.mark.parametrize(
    ("reference", "tests", "fault"),
    [
        ("def f(a):\n    return {a}\n", "assert f(1)", "JSON lacks"),
        ("def f(a):\n    return a\n", "assert f(float('inf'))", "did not come to their end"),
        ("def f(a):\n    return 2**60\n", "assert f(1)", "too large"),
        ("def f(a):\n    return 'x' * 30000\n", "assert f(1)", "too large"),
        ("def f(a):\n    return a\n", "assert f", "never call it"),
        ("def f(a):\n    return a\n", "assert f(2) == 3", "did not come to their end"),
        ("def f(a):\n    return a\n\n\ndef g(a):\n    return a\n", "assert f(1) == g(1)", "name 2 functions"),
        ("", "assert f(1)", "with a reference"),
    ],
)
async def test_what_cannot_be_said_in_json_has_no_cases(programs, reference, tests, fault):
    found = await recorded_cases(StandaloneProblem("a", "python", "b", reference, "", tests), programs)
    assert fault in found.fault
    assert found.cases == ()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("language", "right", "wrong"),
    sampled([("javascript", "name * factor", "name * 2"), ("java", "number > 1", "number > 3")]),
)
async def test_a_right_translation_becomes_a_problem_and_a_wrong_one_is_given_back(programs, language, right, wrong):
    answers = iter([ANSWERS[language].replace(right, wrong), ANSWERS[language]])
    chat = FakeChat(lambda _: next(answers))
    made = await translated([PROBLEM], [language], chat, programs)
    (problem,) = made.problems
    assert (problem.name, problem.language, made.left_out) == (f"made/0/{language}", language, {})
    assert problem.reference == ANSWERS[language].partition("\n")[2].removesuffix("```")
    assert "10" not in chat.asked[0][-1].content  # the model sees no case before it fails one
    assert "It fails (" in chat.asked[1][-1].content


async def test_one_that_stays_wrong_is_left_out(programs):
    chat = FakeChat(lambda _: SCRIPT.replace("return;", "return [];"))
    made = await translated([PROBLEM], ["javascript"], chat, programs)
    assert made.problems == []
    assert made.left_out == {"made/0/javascript": "no translation passed its 4 cases in 3 tries"}
    assert [len(messages) for messages in chat.asked] == [1, 3, 5]


async def test_one_that_is_mended_counts_and_words_are_no_program(programs):
    answers = iter(["I cannot.", SCRIPT])
    chat = FakeChat(lambda _: next(answers))
    made = await translated([PROBLEM], ["javascript"], chat, programs)
    assert len(made.problems) == 1
    assert "no code block" in chat.asked[1][-1].content


def test_a_java_solution_keeps_its_imports_in_front_and_its_lines_are_known():
    problem = StandaloneProblem("a", "java", "b", head="class Main { }", tests="class Cases { }")
    program = problem.program("import java.util.*;\nimport java.io.File;\n\nclass Solution { }\n")
    lines = program.text.splitlines()
    assert lines[:3] == ["import java.util.*;", "import java.io.File;", "class Main { }"]
    first, last = program.written
    assert "class Solution { }" in lines[first - 1 : last]
    assert json.dumps(lines).count("import") == 2
