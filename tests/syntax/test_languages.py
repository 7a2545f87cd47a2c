"""Which language a path, an LSP identifier and a name that people use mean."""

import pytest

from syntax.languages import LANGUAGES, language_named, language_of
from syntax.parse import has_error

PATHS = {
    "a.py": "python",
    "b/a.pyi": "python",
    "a.js": "javascript",
    "a.mjs": "javascript",
    "a.cjs": "javascript",
    "a.jsx": "javascriptreact",
    "a.ts": "typescript",
    "a.tsx": "typescriptreact",
    "A.java": "java",
    "a.cpp": "cpp",
    "a.hpp": "cpp",
    "a.h": "cpp",
    "A.cs": "csharp",
    "a.go": "go",
    "a.rs": "rust",
    "a.RB": "ruby",
}
NAMES = {
    "Python": "python",
    "py": "python",
    "python3": "python",
    " JavaScript ": "javascript",
    "nodejs": "javascript",
    "C++": "cpp",
    "c": "cpp",
    "C#": "csharp",
    "c_sharp": "csharp",
    "golang": "go",
    "rs": "rust",
}


@pytest.mark.parametrize(("path", "language"), PATHS.items())
def test_the_end_of_a_path_names_its_language_in_any_case(path, language):
    assert language_of(path) is LANGUAGES[language]


@pytest.mark.parametrize(("name", "language"), NAMES.items())
def test_a_name_that_people_use_names_a_language(name, language):
    assert language_named(name) is LANGUAGES[language]


@pytest.mark.parametrize("name", ["a.txt", "py.unknown", "Makefile", "", "cobol"])
def test_what_is_no_known_language_has_no_syntax(name):
    assert language_of(name) is None
    assert language_named(name) is None


@pytest.mark.parametrize("name", ["javascriptreact", "typescriptreact"])
def test_elements_in_angle_brackets_are_code_only_in_the_languages_that_have_them(name):
    element = "const a = <div id={b}>text</div>;\n"
    assert not has_error(LANGUAGES[name], element)
    assert has_error(LANGUAGES["typescript"], element)
