"""Programs as DevBench's own script puts them together: a case for each of its rules."""

import pytest

from corpora.corpus import corpus_of
from corpora.devbench.evaluator import AsEvaluated
from corpora.evaluation_options import EvaluateOptions
from replay.records import Suggestion
from runners.programs import Program, plan_of
from runners.programs.fake_program import FakePrograms
from runners.verdicts import Result
from tests.support.devbench_data import instance, write
from tests.support.devbench_programs import in_place_of_answers, java_named_otherwise

HEADERS = "iostream", "cassert", "string", "vector", "algorithm"


def program(language, prefix, answer, suffix, assertions=""):
    return AsEvaluated(language, prefix, suffix, assertions)(f"{prefix}\n{answer}\n{suffix}")


def task_of(folder, language, *parts):
    prefix, answer, suffix, assertions = (*parts, "")[:4]
    record = instance(1, answer, prefix=prefix, suffix=suffix, assertions=assertions, language=language)
    write(folder, record, language=language)
    (task,) = corpus_of("devbench", folder).tasks([language], ["low_context"], packages=False, programs="evaluator")
    return task


JOINED = {
    "line feeds, and a remark before the assertions": (
        ("javascript", "a();", "b();", "c();", "d();"),
        "a();\nb();\nc();\n\n// Run assertions\nd();\n",
    ),
    "TypeScript as JavaScript, also without assertions": (
        ("typescript", "a();\n", "\nb();", "c();"),
        "a();\n\n\nb();\nc();\n\n// Run assertions\n\n",
    ),
    "Python after what it is given": (
        ("python", "a()", "b()", "c()", "assert d"),
        "import os\nimport asyncio\n\na()\nb()\nc()\n\n# Run assertions\nassert d\n",
    ),
    "no line feed on either side: one before the answer, and no white space around": (
        ("java", "class A { \t", "  int b;", "\n\n  int c; }"),
        "class A {\n  int b;int c; }",
    ),
    "the prefix ends with a line feed": (
        ("java", "class A {\n", "int b;", "\nint c; }"),
        "class A {\nint b;\nint c; }",
    ),
    "the answer begins with one": (("java", "class A { ", "\nint b;", " int c; }"), "class A { \nint b; int c; }"),
    "an empty answer": (("java", "class A {", "", " int c; }"), "class A {\nint c; }"),
    "a Java program with a library goes into a package": (
        ("java", "import org.json.*;", "class A {", "}"),
        "package devbench.test;\n\nimport org.json.*;\nclass A {}",
    ),
    "but not if it has one": (
        ("java", "package a.b; import org.json.*;", "class A {", "}"),
        "package a.b; import org.json.*;\nclass A {}",
    ),
    "C++ headers that no word of the program names": (
        ("cpp", "#include <vector>\nint main() {", "  std::string s;", "}"),
        "#include <iostream>\n#include <cassert>\n#include <algorithm>\n\n#include <vector>\nint main() {\n  std::string s;}",
    ),
    "C++ assertions before the last return of main": (
        (
            "cpp",
            f"// {' '.join(HEADERS)}\nint main() {{\n",
            "int x = 1;",
            "\nreturn 0;\n}\nint f() { return 2; }",
            "assert(x);",
        ),
        f"// {' '.join(HEADERS)}\nint main() {{\nint x = 1;\n    // Assertions\n    assert(x);\nreturn 0;\n}}\nint f() {{ return 2; }}",
    ),
    "a Main in C#": (
        ("csharp", "class A { static void Main() {", "\n", "} }"),
        "class A { static void Main() {\n} }",
    ),
}


@pytest.mark.parametrize("name", JOINED)
def test_the_parts_are_joined_by_the_rule_of_their_language(name):
    parts, expected = JOINED[name]
    assert program(*parts).text == expected


def test_a_cpp_program_without_a_main_is_put_into_one():
    text = program("cpp", f"// {' '.join(HEADERS)}", "int x = 1;", "x++;", "assert(x == 2);").text
    first, _, last = text.partition("int main() {\n")
    assert first.split() == [word for name in HEADERS for word in ("#include", f"<{name}>")]
    assert [line.strip() for line in last.split("\n")] == [
        f"// {' '.join(HEADERS)}",
        "int x = 1;x++;",
        "",
        "// Run assertions if any",
        "assert(x == 2);",
        "",
        "return 0;",
        "}",
        "",
    ]


@pytest.mark.parametrize(
    ("prefix", "namespace", "named"),
    [
        ("int x = 1;", False, "TestCase"),
        ("class Own { }", False, "Own"),
        ("using Dapper; class Own { }", True, "Own"),
        ("namespace Company.A { }", None, ""),
    ],
)
def test_a_csharp_program_without_a_main_is_put_into_a_class(prefix, namespace, named):
    text = program("csharp", prefix, "A();", "B();", "C();").text
    if namespace is None:
        assert text == f"{prefix}\nA();B();"
        return
    assert ("namespace TestNamespace" in text) == namespace
    assert f"public class {named}\n" in text
    assert text.index("static void Main(string[] args)") < text.index("A();B();") < text.index("C();")


def test_what_plots_needs_no_screen_where_the_program_can_tell():
    assert "Agg" not in program("python", "a = 1", "b = 2", "c = 3").text
    for word in ("import matplotlib", "plt.show()"):
        assert program("python", word, "b = 2", "c = 3").text.startswith("import matplotlib\n")


LINES = {
    "python": ("a = 1", "b = 2\nc = 3", "d = 4", "assert d"),
    "java": ("public class A {  ", "int b;\nint c;", "  int d; }", ""),
    "cpp": ("int main() {", "int b;\nint c;", "int d;\nreturn 0; }", "assert(1);"),
}


@pytest.mark.parametrize("language", LINES)
async def test_the_lines_of_the_answer_are_those_that_it_has_in_the_program(tmp_path, language):
    task = task_of(tmp_path, language, *LINES[language])
    offset = task.moment().offset
    programs = FakePrograms(lambda _: Result("passed", "", None, None, "", 1.0))
    given = Suggestion(text="int x;\nint y;", start=offset, end=offset, latency=1.0)
    await task.tests.run(task.filled(given), programs)
    (ran,) = programs.ran
    first, last = ran.written
    assert "\n".join(ran.text.split("\n")[first - 1 : last]).startswith("int x;\nint y;")
    hole = task.tests.reached(task.finished, task.hole)
    assert hole.finished.text[slice(*hole.hole)] == task.truth


def test_an_answer_that_replaced_lines_before_the_gap_brings_its_own():
    made = AsEvaluated("javascript", "a();\nb", "c();", "")("a();\nB();\nc();")
    assert made.text == "a();\nB();\nc();\n\n// Run assertions\n\n"
    assert (made.in_document, made.in_text) == (5, 5)


def test_typescript_is_compiled_for_the_language_of_the_script(tmp_path):
    task = task_of(tmp_path, "typescript", "a();", "b();", "c();")
    assert task.tests.options("") == (
        "--target",
        "es2020",
        "--lib",
        "es2020,dom,dom.iterable,dom.asynciterable,webworker.importscripts,scripthost",
    )
    command = plan_of(Program("typescript", "", options=task.tests.options(""))).command
    assert command.index("--target es2022") < command.index("--target es2020") < command.index("program.ts")


@pytest.mark.parametrize(
    ("chosen", "form"),
    [
        ({}, "editor"),
        ({"published": "gpt-4o"}, "evaluator"),
        ({"published": "gpt-4o", "programs": "editor"}, "editor"),
        ({"programs": "evaluator"}, "evaluator"),
    ],
)
def test_published_answers_are_judged_as_the_evaluator_does_unless_something_else_is_said(chosen, form):
    options = EvaluateOptions(corpus="devbench", data="", **chosen)
    assert options.program_form == options.kept()["programs"] == form


def test_java_programs_have_the_names_of_the_script_wherever_they_parse(shared):
    number, _ = java_named_otherwise(shared)
    assert number > 6 * 2


def test_what_was_published_in_place_of_answers_is_no_program(shared):
    assert in_place_of_answers(shared, "Ministral-3B") == ["python/code_purpose_understanding/38"]
    assert in_place_of_answers(shared, "gpt-4o") == []
