"""Failures in the classes of SimCopilot's paper, against the words that its script goes by."""

import re
import subprocess
import sys

import pytest

from corpora.run.error_classes import error_classes, is_unbuilt
from runners.protocol import Completed
from runners.verdicts import classify

JAVAC = "A.java:3: error: cannot find symbol\n    return width;\n           ^\n  symbol:   variable width\n  location: class A\n1 error\n"
FAILED = [
    ("python", "print(width)", "variable hallucination"),
    ("python", "width = = 1", "syntax"),
    ("python", "width = 1\n  height = 2", "indentation"),
    ("python", "1()", "other"),
    ("java", JAVAC, "compilation"),
    ("java", "A.java:3: error: ';' expected\n    return 1\n            ^\n1 error\n", "compilation"),
]
"""Programs in Python, and what javac says of ones in Java."""
NAMES = {"NameError": "variable hallucination", "SyntaxError": "syntax", "IndentationError": "indentation"}


def as_published(language, said):
    """What the published script makes of a result: `Error: Compilation error: …` of javac, else the last word that ends in Error."""
    result = f"Error: Compilation error: {said}" if language == "java" else f"Error: {said}"
    if result.startswith("Error: Compilation"):
        return "compilation"
    return NAMES.get(re.findall(r"\b\w*Error\b", result)[-1], "other")


@pytest.mark.parametrize(("language", "said", "wanted"), FAILED)
def test_a_failure_is_in_the_class_that_the_published_script_puts_it_into(language, said, wanted, tmp_path):
    if language == "python":
        (tmp_path / "program.py").write_text(said)
        ran = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
        said = ran.stderr
    verdict = classify(
        Completed(exit=1, signal=None, stdout="", stderr=said, wall_ms=1.0), "", language, began=language != "java"
    )
    assert error_classes([(language, verdict.verdict_class)]) == {wanted: 1} == {as_published(language, said): 1}


@pytest.mark.parametrize("language", ["java", "c", "cpp", "csharp", "go", "rust", "typescript", "typescriptreact"])
def test_what_a_compiler_refuses_is_one_class(language):
    names = ["compile", "syntax", "indentation", "undefined-name"]
    assert error_classes([(language, name) for name in names]) == {"compilation": 4}
    assert all(is_unbuilt(language, name) for name in names)


@pytest.mark.parametrize("language", ["python", "javascript", "javascriptreact", "ruby"])
def test_a_name_that_is_missing_is_found_when_the_program_runs_where_nothing_is_compiled(language):
    names = ["syntax", "indentation", "undefined-name", "assertion"]
    assert [is_unbuilt(language, name) for name in names] == [True, True, False, False]


def test_what_passes_or_could_not_be_judged_is_no_error():
    verdicts = [
        ("python", name) for name in ("passed", "untestable", "infrastructure", "assertion", "timeout", "syntax")
    ]
    assert error_classes(verdicts) == {"other": 2, "syntax": 1}
