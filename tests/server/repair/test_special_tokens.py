"""Special tokens, thoughts and talk: what is removed, and what the document means.

`leaks.jsonl` has situations from public reports (`id`), as lines of `ghosttape repair` with the document that is expected.
"""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.prompt.special_tokens import FAMILIES, SPECIAL, SPELLINGS, cut_off, name_in_code
from server.prompt.templates import TEMPLATES
from server.repair.draft import Draft
from server.repair.line_protocol import Wishes, repaired
from server.repair.offer import offered
from syntax.languages import language_of

CASES = [json.loads(line) for line in Path(__file__).with_name("leaks.jsonl").read_text("utf-8").splitlines()]
PYTHON = language_of("python")
HEAD = "def f(a):\n    "


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_answer_of_a_report_is_repaired(case):
    done = json.loads(repaired(json.dumps(case), Wishes()))
    assert case["before"] + done["repaired"] + case["after"][done["covered"] :] == case["expected"], done["trail"]


def text_of(before, text, after="\n", language=PYTHON):
    made = offered(Draft(language, before, after, text))
    return made.text


CODE = ("return a", "return a.", "return f(a)", "return a[0]", "return 1")


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_token_behind_any_code_goes_in_either_case_and_where_the_length_limit_cut_it_off(family):
    for number, token in enumerate((*family.tokens, *family.turns)):
        code = CODE[number % len(CODE)]
        assert text_of(HEAD, code + token) == code
        assert text_of(HEAD, f"return f(a){token.swapcase()}") == "return f(a)"
        for size in range(3 if name_in_code(token) is None else 5, len(token)):
            assert cut_off(f"return f(a){token[:size]}") == len("return f(a)"), token[:size]


def test_every_word_of_a_template_is_a_special_token():
    words = {word for template in TEMPLATES.values() for word in (*template.marks, *template.stops)}
    assert {word for word in words if word[0] in "<["} <= set(SPELLINGS)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_names_its_source_and_has_tokens_that_are_found(family):
    assert len(family.source) > 20
    assert all(SPECIAL.fullmatch(token) for token in (*family.tokens, *family.turns))


MEANT = [
    ("python", "EOS = '</s>'\nSTOPS = [", "'<|endoftext|>', '<|im_end|>'", "]\n"),
    ("python", "def test_decode():\n    ", 'assert decode([1]) == "<s>a</s>"', "\n"),
    ("python", "TEMPLATE = ", '"<|im_start|>user\\n{text}<|im_end|>"', "\n"),
    ("python", "# The text between <|fim_prefix|> and ", "<|fim_suffix|> is what stands above.", "\n"),
    ("python", "x = rows", "[PREFIX] + rows[SUFFIX]", "\n"),
    ("python", "def f(prefix):\n    ", "return NAMES[prefix]", "\n"),
    ("rust", "struct Map<PRE> { a: PRE }\nfn f() -> ", "Map<PRE> { todo!() }", "\n"),
    ("typescriptreact", "const a = ", "<p><s>{old}</s> {price}</p>", ";\n"),
    ("cpp", "int f(int filename) { return 1 ", "<filename > 2", "; }\n"),
    ("javascript", "", "analysisResult.push(f(x));", "\n"),
    ("javascript", "", "analysisResult = await f(x);", "\n"),
    (
        "java",
        "class A {\n  int f(int[] xs) {\n    ",
        "int middle = xs.length / 2;\n    return xs[middle];",
        "\n  }\n}\n",
    ),
    (None, "Usage: ", "tool [SUFFIX] <filename>", "\n"),
    (None, "| token | |\n| --- | --- |\n", "| `<|endoftext|>` | the end |", "\n"),
    (None, "<p>", "Now <s>20</s> 15", "</p>\n"),
]


@pytest.mark.parametrize(("language", "before", "text", "after"), MEANT)
def test_what_the_document_means_stays(language, before, text, after):
    made = offered(Draft(language and language_of(language), before, after, text))
    assert made.text == text


FENCED = "```sh\npip install tool\n```\n\nThen run it:\n\n```sh\ntool --help\n```"
TEXTS = [
    ("# Tool\n\n## Install\n\n", FENCED),
    ("1. Install it:\n\n    ", "```sh\n    pip install tool\n    ```"),
    ("> ", "```\n> quoted\n> ```"),
    ("```ruby\nputs 'yo'\n", "```\n\n# Some heading\n\nHere is the rest of it."),
    ("Title\n", "=====\n\nThis function adds two numbers."),
    ("Let me explain.\n\n", "Here's how it works:\n\n**Note:** it is slow."),
    ("<ul>\n", "  <answer>42</answer>"),
    ("key: ", "`value`"),
    ("SELECT ", "a -- Here is the first column of the table.\nFROM t"),
    ("\\begin{itemize}\n", "\\item This is the first of the items.\n\\end{itemize}"),
    ("# ", "TODO: your code here"),
]


@pytest.mark.parametrize(("before", "text"), TEXTS)
def test_in_a_document_of_text_fences_sentences_and_tags_are_the_answer(before, text):
    assert text_of(before, text, "\n", None) == text


@pytest.mark.parametrize("before", ["port: ", "services:\n    ", "x = "])
def test_a_fence_goes_where_markdown_lets_none_begin(before):
    assert text_of(before, "```yaml\n8080\n```", "\n", None) == "8080"


@pytest.mark.parametrize(
    "text", ["Here is the sum:\n\n    ```\n    f(1)\n    ```", "`f` returns the sum of both.", "This is done twice."]
)
@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("python", 'def f():\n    """', '\n    """\n    return 1\n'),
        ("python", "def f():\n    return 1  # ", "\n"),
        ("javascript", "/**\n * ", "\n */\nf();\n"),
        ("rust", "/// ", "\nfn f() {}\n"),
        ("go", "package m\n\nconst q = `\n", "\n`\n".replace("`", "` + x")),
    ],
)
def test_in_comments_and_strings_of_code_they_are_too(language, before, after, text):
    text = text if "\n" in before and not before.endswith(("# ", "/// ", "* ")) else text.replace("\n", " ")
    if language == "go" and "`" in text:
        return
    assert text_of(before, text, after, language_of(language)) == text


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([token for token in SPELLINGS if not re.search("think|thought|reason", token.lower())]), st.data()
)
def test_a_token_goes_however_the_stream_splits_it(token, data):
    """What is enough of a beginning is enough of the whole, so no half of a token is offered."""
    whole = f"return f(a){token}\nimport os\n"
    size = data.draw(st.integers(len("return f(a)"), len(whole)))
    if size - len("return f(a)") not in range(1, 5):
        assert re.fullmatch(r"return f\(a\)", text_of(HEAD, whole[:size]))
