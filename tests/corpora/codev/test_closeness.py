"""How close answers are: against values of fuzzywuzzy 0.18.0 without python-Levenshtein (computed apart), and by hand."""

from __future__ import annotations

import pytest

from corpora.codev.closeness import published_lines, published_similarity, token_similarity, tokens_of

LONG = "\n".join(f"    value_{n} = compute(value_{n}, total)" for n in range(12))


@pytest.mark.parametrize(
    ("answer", "truth", "said"),
    [
        ("", "", 100),
        ("", "x", 0),
        ("abcd", "abxd", 75),
        ("return x", "return y + 1", 70),
        ("for a in b:\n  c", "for a in d:\n  c(e)", 85),
        ("qabxcd", "abycdf", 67),
        ("total += price * count", "count * price += total", 55),  # by the longest common subsequence it would be 59
        (LONG, LONG.replace("compute", "work"), 81),
    ],
)
def test_similarity_of_characters_is_what_the_published_script_computes(answer: str, truth: str, said: int) -> None:
    assert published_similarity(answer, truth) == said / 100


def test_similarity_of_tokens_counts_edits_of_tokens() -> None:
    assert tokens_of("x_1 += f('a b')") == ["x_1", "+", "=", "f", "(", "'", "a", "b", "'", ")"]
    assert token_similarity("return x", "return y + 1") == pytest.approx(1 - 3 / 4)
    assert token_similarity("a, b = b, a", "a ,b=b , a") == 1
    assert (token_similarity("", " "), token_similarity("", "x")) == (1, 0)


def test_an_answer_without_text_has_one_line_as_published() -> None:
    assert [published_lines(text) for text in ("", "x", "x\n", "x\n\ny")] == [1, 1, 2, 3]
