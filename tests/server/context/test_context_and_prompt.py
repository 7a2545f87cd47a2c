"""What a model is shown, within its budget."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from server.context import ORDER, Budget, Context, RecentEdit, Snippet, Surroundings, allotted, choose
from server.context.chunks import chunks, outline
from server.context.context_selection import similar
from server.context.pieces import cost, fitting
from server.prompt import TEMPLATES, beside, chat, infill, middle, plain
from server.providers import registry
from server.settings import ContextSettings, ProviderSettings

LINES = "".join(f"line_{number} = {number}\n" for number in range(1000))
CART = '''import json

TAX = 0.2
RATES = load(TAX)


class Cart:
    """Holds items."""

    # what it costs
    @property
    def total(self):
        def one(item):
            return item.price
        return sum(one(item) for item in self.items)

    def add(self, item, count=1):
        self.items.extend([item] * count)
'''


def _chosen(budget, before="", after="", path="a.py", **around):
    return choose(Surroundings(path, "python", before, after, **around), budget)


def test_sections_keep_to_their_budget_and_are_cut_at_line_starts():
    context = _chosen(Budget(before=100, after=50), LINES, LINES)
    assert len(context.before) <= 320
    assert len(context.after) <= 160
    assert context.before.startswith("line_")
    assert context.after.endswith("\n")


def test_the_prefix_keeps_its_start_while_a_line_is_typed():
    starts = {_chosen(Budget(before=100, after=0), LINES + "x" * typed).before[:30] for typed in range(60)}
    assert len(starts) <= 2


def test_models_see_line_feeds_only():
    context = _chosen(Budget(before=10, after=10), "a\r\nb\r", "\r\nc")
    assert (context.before, context.after) == ("a\nb\n", "\nc")


def test_a_provider_that_counts_better_tells_its_own_rate():
    around = Surroundings("a.py", "python", LINES, "")
    assert len(choose(around, Budget(before=100, after=0), rate=1.5).before) <= 150


def test_settings_override_a_budget_number_by_number():
    assert Budget(before=1, after=2, snippets=3).overridden(ContextSettings(after=9)) == Budget(1, 9, 3)
    assert Budget(1, 2).overridden(ContextSettings(opened=5)) == Budget(1, 2, opened=5)


def test_what_a_section_does_not_need_goes_to_the_text_before_the_cursor_first():
    shares = dict.fromkeys(ORDER, 800)
    sizes = allotted(shares, {"before": 9000, "after": 9000, "snippets": 100, "edits": 0, "opened": 800})
    assert sizes == {"before": 800 + 1500, "after": 800, "snippets": 800, "edits": 800, "opened": 800}


def test_a_section_that_is_switched_off_gets_nothing_of_others():
    assert _chosen(Budget(before=500, after=0), "x = 1\n", LINES).after == ""


_SIZES = st.fixed_dictionaries(dict.fromkeys(ORDER, st.integers(0, 5000)))


@given(_SIZES, _SIZES)
def test_sharing_never_spends_more_than_there_is_and_takes_from_nobody_who_needs_it(shares, needs):
    sizes = allotted(shares, needs)
    spent = sum(min(sizes[section], needs[section]) for section in ORDER)
    assert spent <= sum(shares.values())
    assert all(sizes[section] >= shares[section] for section in ORDER)
    assert all(sizes[section] == 0 for section in ORDER if not shares[section])


@given(st.text("ab\n\r \U0001f600", max_size=400), st.integers(0, 60), st.integers(0, 60))
def test_no_text_makes_a_section_larger_than_the_whole_budget(text, before, after):
    context = _chosen(Budget(before, after), text, text)
    assert len(context.before) + len(context.after) <= int((before + after) * 3.2)
    assert text.replace("\r\n", "\n").replace("\r", "\n").endswith(context.before)


def test_the_most_similar_pieces_of_other_files_are_shown():
    others = [Snippet("b.py", "import json\nnothing = 1\n"), Snippet("c.py", "def load_rows(path):\n    return rows\n")]
    context = _chosen(Budget(before=50, after=0, snippets=100), "rows = load_rows(path)\n", others=others)
    assert [snippet.path for snippet in context.snippets] == ["c.py"]
    assert "# c.py\n# def load_rows(path):\n" in plain(context).text


def test_a_piece_is_a_function_with_what_stands_right_above_it():
    pieces = [(chunk.line, chunk.text.split("\n")[0]) for chunk in chunks("cart.py", CART)]
    assert pieces == [
        (0, "import json"),
        (6, "class Cart:"),
        (9, "    # what it costs"),
        (16, "    def add(self, item, count=1):"),
    ]
    assert chunks("cart.py", CART)[2].words == {
        "what",
        "costs",
        "property",
        "total",
        "one",
        "item",
        "price",
        "sum",
        "items",
    }


@pytest.mark.parametrize(
    ("path", "text", "first"),
    [
        ("a.js", "const A = 1;\nlet b = A;\n\nfunction f(x) {\n  return x;\n}\n", "function f(x) {"),
        (
            "a.ts",
            "let a = 1;\nlet b = a;\n\nclass K {\n  run(x: number) {\n    return x;\n  }\n}\n",
            "  run(x: number) {",
        ),
        ("a.java", "class K {\n  int a;\n  int b;\n  int run(int x) {\n    return x;\n  }\n}\n", "  int run(int x) {"),
        ("a.cpp", "int a;\nint b;\nint run(int x) {\n  return x;\n}\n", "int run(int x) {"),
        ("a.cs", "class K {\n  int a;\n  int b;\n  int Run(int x) {\n    return x;\n  }\n}\n", "  int Run(int x) {"),
        ("a.go", "package a\nvar b = 1\nfunc run(x int) int {\n\treturn x\n}\n", "func run(x int) int {"),
        ("a.rs", "const A: u8 = 1;\nconst B: u8 = 2;\nfn run(x: u8) -> u8 {\n  x\n}\n", "fn run(x: u8) -> u8 {"),
        ("a.rb", "A = 1\nB = 2\ndef run(x)\n  x\nend\n", "def run(x)"),
    ],
)
def test_functions_are_pieces_in_every_language(path, text, first):
    assert first in [chunk.text.split("\n")[0] for chunk in chunks(path, text)]
    assert first.rstrip() in outline(path, text).split("\n")


def test_pieces_of_a_file_hold_each_of_its_lines_once_in_order():
    lines = [line for chunk in chunks("cart.py", CART) for line in chunk.text.split("\n") if line.strip()]
    assert lines == [line for line in CART.split("\n") if line.strip()]


def test_files_without_known_syntax_are_cut_by_lines():
    text = "\n".join(f"row {number}" for number in range(130))
    assert [chunk.line for chunk in chunks("notes.txt", text)] == [0, 60, 120]


def test_similarity_is_the_jaccard_index_of_identifiers():
    sources = [
        Snippet("wide.py", "def wide(alpha, beta, gamma, delta, extra, more):\n    return alpha, beta\n"),
        Snippet("near.py", "def near(alpha, beta):\n    return alpha\n"),
        Snippet("far.py", "def far(zeta):\n    return zeta\n"),
    ]
    found = similar("alpha = beta\n", sources)
    assert [snippet.path for snippet in found] == ["near.py", "wide.py"], (
        "2/3 before 2/7, and none without a common word"
    )


def _pieces_like_c():
    return [Snippet(f"{name}.py", f"def {name}(alpha):\n    return alpha, {'x' * 9}{name}\n") for name in "dcbae"]


def test_evidence_takes_the_place_of_similar_pieces_whatever_its_words_are():
    evidence = (Snippet("e.py", "beta"), Snippet("d.py", "gamma\n" * 200))
    others = (*_pieces_like_c(), *evidence)
    wide = Budget(before=50, after=0, snippets=500, opened=500)
    context = _chosen(wide, "alpha = 1\nxxxxxxxxxc = 2\n", others=others, evidence=evidence)
    assert {snippet.path for snippet in context.snippets} == {"d.py", "e.py"}
    assert not context.opened
    narrow = Budget(before=50, after=0, snippets=20)
    assert [snippet.path for snippet in _chosen(narrow, "x = 1\n", evidence=evidence).snippets][-1] == "e.py"


def test_at_most_three_pieces_are_chosen_and_they_stand_in_the_order_of_their_places():
    before = "alpha = 1\nxxxxxxxxxc = 2\n"
    assert [snippet.path for snippet in similar(before, _pieces_like_c())] == ["c.py", "a.py", "b.py"]
    context = _chosen(Budget(before=50, after=0, snippets=100), before, others=_pieces_like_c())
    assert [snippet.path for snippet in context.snippets] == ["a.py", "b.py", "c.py"]


def test_where_there_is_room_for_one_piece_it_is_the_best():
    before = "y = 3\n" * 40 + "alpha = 1\nxxxxxxxxxc = 2\n"
    context = _chosen(Budget(before=50, after=0, snippets=15), before, others=_pieces_like_c())
    assert [snippet.path for snippet in context.snippets] == ["c.py"]


def test_the_line_being_typed_changes_no_piece():
    sources = [
        Snippet("a.py", "def one(alpha):\n    return alpha\n"),
        Snippet("b.py", "def two(beta):\n    return beta\n"),
    ]
    before = "alpha = 1\n"
    assert {similar(before + "beta = two("[:typed], sources) for typed in range(11)} == {similar(before, sources)}


def test_the_same_text_in_two_files_is_shown_once():
    text = "def one(alpha):\n    return alpha\n"
    assert len(similar("alpha = 1\n", [Snippet("a.py", text), Snippet("copy.py", text)])) == 1


def test_far_parts_of_the_document_itself_are_other_places_and_near_ones_are_not():
    far = "def distant(omega):\n    return omega\n"
    context = _chosen(Budget(before=100, after=0, snippets=100), far + LINES + "omega = 1\n")
    assert [snippet.text for snippet in context.snippets] == [far.rstrip()]
    near = _chosen(Budget(before=100, after=0, snippets=100), far + "omega = 1\n")
    assert near.snippets == ()


def test_outlines_of_open_documents_tell_what_can_be_called():
    context = _chosen(
        Budget(before=9, after=0, opened=100), "x", others=[Snippet("cart.py", CART), Snippet("a.txt", "no")]
    )
    assert context.opened == (
        Snippet(
            "cart.py", "class Cart:\n    def total(self):\n        def one(item):\n    def add(self, item, count=1):"
        ),
    )


def test_edits_are_shown_whole_the_newest_first_while_there_is_room():
    new, long, old = (
        RecentEdit("b.py", 3, ("x = 1",), ("x = 2",)),
        RecentEdit("c.py", 0, (), ("y",) * 99),
        RecentEdit("d.py", 1, ("z",), ("zz",)),
    )
    context = _chosen(Budget(before=9, after=0, edits=20), "x", edited=(new, long, old))
    assert context.edits == (new, old)


def test_edits_that_the_text_around_the_cursor_shows_are_left_out():
    seen, gone = RecentEdit("a.py", 0, (), ("total = 1",)), RecentEdit("a.py", 5, ("old = 1",), ("fresh = 2",))
    budget = Budget(before=50, after=0, edits=50)
    assert _chosen(budget, "total = 1\n", edited=(seen, gone)).edits == (gone,)
    assert _chosen(budget, "total = 1\n", path="b.py", edited=(seen,)).edits == (seen,), "of another file it is news"


FORMS = {
    "plain": lambda context: len(plain(context).text) + len(context.after),
    "beside": lambda context: len(beside(context).text) + len(context.after),
    "infill": lambda context: len(infill(context).shown()) - len("⟨before⟩\n⟨cursor⟩"),
    "chat": lambda context: len(chat(context).shown()) - len(chat(replace(_BARE, path=context.path)).shown()),
    **{
        name: lambda context, form=form: len(middle(context, form).text) - len(middle(_BARE, form).text)
        for name, form in TEMPLATES.items()
        if name not in {"codeqwen", "qwen", "starcoder2"}  # as others, but for the project's name
    },
}
_BARE = Context("", "python", "", "", (Snippet("", ""),))


@pytest.mark.parametrize("form", FORMS)
def test_no_form_goes_over_the_budget_but_by_its_fixed_words(form):
    lines = "".join(f"def f{number}(alpha):\n  beta = 1\n  y\n  z\n\n" for number in range(400))
    names = ("x", "y", "z", "f1")
    others = [Snippet(f"a/long/way/{name}.py", "def g(alpha, beta):\n" + f"  {name}\n" * 50) for name in names]
    edits = [RecentEdit(f"src/edited{number}.py", 3, ("a=1",), ("b=2", "c=3")) for number in range(40)]
    budget = Budget(before=300, after=100, snippets=300, edits=150, opened=50)
    sizes = []
    for end in range(3000, 4200, 7):
        context = _chosen(budget, lines[:end], lines[end:], others=others, edited=edits)
        assert context.snippets
        assert context.edits
        sizes.append(FORMS[form](context))
    assert max(sizes) <= 900 * 3.2
    assert max(sizes) > 0.8 * 900 * 3.2, "and the budget is used"


@pytest.mark.parametrize(
    ("settings", "budget"),
    [
        ({"api": "completions", "model": "m"}, Budget(before=2000, after=0, snippets=600, edits=200)),
        ({"api": "completions", "model": "starcoder2"}, None),
        ({"api": "completions", "template": "qwen"}, None),
        ({"api": "suffix"}, None),
        ({"api": "chat"}, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("name", ["openai", "ollama"])
def test_a_form_that_shows_only_the_text_before_the_cursor_keeps_nothing_for_the_text_after_it(name, settings, budget):
    url = "http://127.0.0.1:1"
    made = registry.make(ProviderSettings(name=name, base_url=url, **({"model": "m"} | settings)))
    assert made.budget == (budget or Budget(before=1500, after=500, snippets=600, edits=200))


@pytest.mark.parametrize("size", range(0, 200, 3))
def test_a_piece_is_cut_so_that_it_fits_with_its_marks(size):
    piece = Snippet("a.py", "".join(f"line {number}\n" for number in range(9)))
    shown = fitting([piece], size)
    assert sum(cost(each.path, each.text) for each in shown) <= size
    if shown and shown[0] != piece:
        assert piece.text.startswith(f"{shown[0].text}\n")
    assert bool(shown) == (size >= cost("a.py", "line 0"))


def test_the_choice_is_the_same_in_every_process():
    code = (
        "from server.context import *\nfrom server.prompt import *\n"
        "others = [Snippet(f'{n}.py', f'def f{n}(alpha, beta):\\n    return alpha{n % 3}\\n') for n in range(40)]\n"
        "c = choose(Surroundings('a.py', 'python', 'alpha = beta\\n', '', others), Budget(99, 9, 99, 0, 99))\n"
        "print(chat(c).shown(), plain(c).text)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in "012"
    }
    assert len(told) == 1
    assert "def f" in told.pop()


CONTEXT = Context(
    "src/a.py",
    "python",
    "x = ",
    "\ny = 2\n",
    (Snippet("b.py", "def b():\n    pass"),),
    (RecentEdit("c.py", 4, ("one = 1",), ("one = 2",)),),
    (Snippet("d.py", "def d(x):"),),
    "shop",
)


def test_chat_states_the_four_rules_of_simcopilot():
    rules = chat(CONTEXT).messages[0].content.split("\n")
    assert [rule[:2] for rule in rules[1:]] == ["1.", "2.", "3.", "4."]
    assert "Continue the code logically" in rules[1]
    assert "only code: no comments, no explanation" in rules[2]
    assert "Pair every bracket" in rules[3]
    assert "keep the indentation" in rules[3]


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("def f():\n    ", "", "innermost unfinished block"),
        ("def f():\n    ", "\n\ndef g():\n    pass\n", "innermost unfinished block"),
        ("if (x) {\n    ", "\n}\n", "innermost unfinished block"),
        ("f(", ")\n", "innermost unfinished block"),
        ("def f():\n    ", "\n    return 1\n", "takes over"),
        ("x = ", " + 1\n", "takes over"),
        ("if (x) {\n    ", "\n    done();\n}\n", "takes over"),
    ],
)
def test_completion_stops_at_the_unfinished_block_and_infill_where_the_code_goes_on(before, after, rule):
    assert rule in chat(Context("a", "python", before, after)).messages[0].content.split("\n")[-1]


def test_chat_shows_other_files_edits_as_differences_and_then_the_file_with_its_cursor():
    assert chat(CONTEXT).messages[1].content == (
        "d.py\n```\ndef d(x):\n```\n\n"
        "b.py\n```\ndef b():\n    pass\n```\n\n"
        "Changed lately: c.py\n```diff\n-one = 1\n+one = 2\n```\n\n"
        "src/a.py\n```python\nx = <CURSOR>\ny = 2\n\n```"
    )


def test_neither_the_cursors_mark_nor_a_fence_can_be_mistaken_for_code():
    system, user = chat(Context("a.md", "markdown", "<CURSOR>\n````\n", "```")).messages
    assert user.content == "a.md\n`````markdown\n<CURSOR>\n````\n<CURSOR_>```\n`````"
    assert "<CURSOR_>" in system.content
    assert "<CURSOR>" not in system.content


def test_a_model_that_knows_of_no_files_sees_other_places_as_comments_with_what_matters_most_last():
    comments = "# d.py\n# def d(x):\n# c.py\n# one = 2\n# b.py\n# def b():\n#     pass\n"
    assert plain(CONTEXT).text == f"{comments}x = "
    assert (beside(CONTEXT).text, beside(CONTEXT).suffix) == (f"{comments}x = ", "\ny = 2\n")


def test_a_server_that_arranges_files_itself_gets_them_as_files():
    prompt = infill(CONTEXT)
    assert (prompt.text, prompt.suffix) == ("x = ", "\ny = 2\n")
    assert [file.path for file in prompt.files] == ["d.py", "c.py", "b.py"]


@pytest.mark.parametrize(
    ("language", "mark"), [("ruby", "#"), ("rust", "//"), ("yaml", "#"), ("typescriptreact", "//")]
)
def test_comments_are_of_the_documents_own_language(language, mark):
    context = Context("a", language, "x", "", (Snippet("b", "y"),))
    assert plain(context).text == f"{mark} b\n{mark} y\nx"
