"""Fill-in-the-middle words, against what the makers of the models say."""

from __future__ import annotations

import re

import pytest

from server.context import Context, Snippet
from server.errors import SettingsError
from server.prompt import TEMPLATES, middle, template_of
from tests.support.places import ROOT

ALONE = Context("main.py", "python", "PRE", "SUF")
AMONG = Context("main.py", "python", "PRE", "SUF", (Snippet("lib.py", "ONE"), Snippet("util.py", "TWO")), repo="shop")
DEEPSEEK = ("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>")

FILES = {
    "codeqwen": "<fim_prefix>PRE<fim_suffix>SUF<fim_middle>",
    "qwen": "<|fim_prefix|>PRE<|fim_suffix|>SUF<|fim_middle|>",
    "starcoder2": "<fim_prefix>PRE<fim_suffix>SUF<fim_middle>",
    "starcoder": "<fim_prefix>PRE<fim_suffix>SUF<fim_middle>",
    "santacoder": "<fim-prefix>PRE<fim-suffix>SUF<fim-middle>",
    "granite4": "<|fim_prefix|>PRE<|fim_suffix|>SUF<|fim_middle|>",
    "granite": "<fim_prefix>PRE<fim_suffix>SUF<fim_middle>",
    "codellama": "<PRE> PRE <SUF>SUF <MID>",
    "deepseek": f"{DEEPSEEK[0]}PRE{DEEPSEEK[1]}SUF{DEEPSEEK[2]}",
    "codegemma": "<|fim_prefix|>PRE<|fim_suffix|>SUF<|fim_middle|>",
    "codestral": "[SUFFIX]SUF[PREFIX]PRE",
    "stable-code": "<fim_prefix>PRE<fim_suffix>SUF<fim_middle>",
    "seed-coder": "<[fim-suffix]>SUF<[fim-prefix]>PRE<[fim-middle]>",
    "mellum": "<fim_suffix>SUF<fim_prefix>PRE<fim_middle>",
}
PROJECTS = {
    "codeqwen": "<reponame>shop\n<file_sep>lib.py\nONE\n<file_sep>util.py\nTWO\n<file_sep>main.py\n"
    + FILES["codeqwen"],
    "qwen": "<|repo_name|>shop\n<|file_sep|>lib.py\nONE\n<|file_sep|>util.py\nTWO\n<|file_sep|>main.py\n"
    + FILES["qwen"],
    "starcoder2": "<repo_name>shop<file_sep>lib.py\nONE<file_sep>util.py\nTWO<file_sep>"
    "<fim_prefix>main.py\nPRE<fim_suffix>SUF<fim_middle>",
    "granite": "<filename>lib.py\nONE\n<filename>util.py\nTWO\n<filename>main.py\n" + FILES["granite"],
    "deepseek": f"{DEEPSEEK[0]}#lib.py\nONE\n#util.py\nTWO\n#main.py\nPRE{DEEPSEEK[1]}SUF{DEEPSEEK[2]}",
    "codegemma": "lib.py\nONE\n<|file_separator|>util.py\nTWO\n<|file_separator|>main.py\n" + FILES["codegemma"],
    "codestral": "[SUFFIX]SUF[PREFIX]+++++ lib.py\nONE\n\n+++++ util.py\nTWO\n\n+++++ main.py\nPRE",
    "mellum": "<filename>lib.py\nONE\n<filename>util.py\nTWO\n<filename>main.py\n" + FILES["mellum"],
}


def test_every_family_is_tested_here():
    assert set(FILES) == set(TEMPLATES)
    assert set(PROJECTS) == {name for name, template in TEMPLATES.items() if template.project}


@pytest.mark.parametrize("family", sorted(FILES))
def test_one_file_is_asked_for_in_the_familys_words(family):
    assert middle(ALONE, TEMPLATES[family]).text == FILES[family]


@pytest.mark.parametrize("family", sorted(PROJECTS))
def test_other_files_are_shown_in_the_familys_words_for_files(family):
    assert middle(AMONG, TEMPLATES[family]).text == PROJECTS[family]


@pytest.mark.parametrize("family", sorted(set(FILES) - set(PROJECTS)))
def test_families_without_words_for_files_see_them_as_comments_inside_the_prefix(family):
    comments = "# lib.py\n# ONE\n# util.py\n# TWO\n"
    assert middle(AMONG, TEMPLATES[family]).text == FILES[family].replace("PRE", f"{comments}PRE").replace(
        f"<{comments}PRE>", "<PRE>"
    )


@pytest.mark.parametrize("family", sorted(TEMPLATES))
def test_braces_in_code_are_no_fields(family):
    context = Context("{path}", "javascript", "{after}{before}", "{text}", (Snippet("{repo}", "{others}"),))
    assert middle(context, TEMPLATES[family]).text.count("{after}{before}") == 1


@pytest.mark.parametrize("family", sorted(TEMPLATES))
def test_every_family_names_its_source_and_what_ends_an_answer(family):
    template = TEMPLATES[family]
    assert len(template.source) > 20
    assert template.stops
    assert middle(ALONE, template).stops == template.stops


@pytest.mark.parametrize("family", sorted(TEMPLATES))
def test_the_words_of_a_family_are_known_to_who_shows_a_prompt(family):
    shown = middle(AMONG, TEMPLATES[family]).text
    rest = re.sub("|".join(map(re.escape, TEMPLATES[family].marks)), "", shown)
    assert not re.search(r"fim|_sep|SUFFIX|<filename>", rest)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("bartowski/Qwen2.5-Coder-1.5B.gguf", "qwen"),
        ("qwen3-coder:30b", "qwen"),
        ("Qwen/CodeQwen1.5-7B", "codeqwen"),
        ("bigcode/starcoder2-3b", "starcoder2"),
        ("starcoderbase-1b", "starcoder"),
        ("bigcode/santacoder", "santacoder"),
        ("ibm-granite/granite-3b-code-base-2k", "granite"),
        ("granite-3.3-8b-instruct", "granite"),
        ("granite4:tiny-h", "granite4"),
        ("ibm-granite/granite-4.0-micro", "granite4"),
        ("codellama/CodeLlama-7b-hf", "codellama"),
        ("code-llama-13b", "codellama"),
        ("deepseek-ai/deepseek-coder-6.7b-base", "deepseek"),
        ("DeepSeek-Coder-V2-Lite-Base", "deepseek"),
        ("google/codegemma-2b", "codegemma"),
        ("mistralai/Codestral-22B-v0.1", "codestral"),
        ("stabilityai/stable-code-3b", "stable-code"),
        ("Seed-Coder-8B-Base", "seed-coder"),
        ("mellum-4b-base.Q8_0.gguf", "mellum"),
        ("SmolLM2-135M-Instruct.Q4_1.gguf", None),
        ("Qwen3-8B", None),
        ("mistral-7b-instruct", None),
        ("mamba-codestral-7B-v0.1", None),
        ("deepseek-r1:7b", None),
        ("codellama/CodeLlama-70b-hf", "codellama"),
        ("codellama/CodeLlama-13b-Instruct-hf", "codellama"),
        ("codellama/CodeLlama-34b-hf", None),
        ("codellama:34b", None),
        ("Phind-CodeLlama-34B-v2", None),
        ("codellama/CodeLlama-7b-Python-hf", None),
        ("codellama:7b-python", None),
        ("codellama:70b-python", None),
        ("granite-embedding-30m-english", None),
        ("ibm-granite/granite-embedding-small-r2", None),
        ("ibm-granite/granite-guardian-3.1-8b", None),
        ("granite3.2-vision:2b", None),
        ("ibm-granite/granite-speech-3.3-8b", None),
        ("ibm-granite/granite-docling-258M", None),
        ("ibm-granite/granite-timeseries-ttm-r2", None),
        ("granite-4.0-1b-speech", None),
        ("codestral-embed-2505", None),
        ("mistralai/codestral-embed", None),
        ("Codestral-2508", "codestral"),
        ("HuggingFaceH4/starchat-beta", None),
        ("starchat2-15b-v0.1", None),
        ("gpt-4o", None),
        ("", None),
    ],
)
def test_a_models_name_tells_its_family(model, family):
    assert template_of("", model) is (TEMPLATES[family] if family else None)


def test_a_family_can_be_named_and_an_unknown_name_is_refused():
    assert template_of("codellama", "whatever") is TEMPLATES["codellama"]
    with pytest.raises(SettingsError, match="none of codegemma"):
        template_of("nonsense", "")
    with pytest.raises(SettingsError, match=r"\(did you mean 'codellama'\?\)"):
        template_of("codelama", "")


def test_the_reference_names_every_family_with_its_source():
    page = " ".join((ROOT / "docs" / "reference" / "models.md").read_text("utf-8").split())
    for name, template in TEMPLATES.items():
        others = "in its own words" if template.project else "as comments above the file"
        assert f"* `{name}`: {_order(template.file)} first; other files {others}. Source: {template.source}" in page


def _order(form):
    return "prefix" if form.index("{before}") < form.index("{after}") else "suffix"
