import pytest

from corpora.efcb.answering import letter_of


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("B", "B"),
        ("b", "B"),
        (" C\n", "C"),
        ("**D**", "D"),
        ("(A)", "A"),
        ("A.", "A"),
        ("Choice B", "B"),
        ("Answer: C", "C"),
        ("The correct answer is **D**.", "D"),
        ("option a:", "A"),
        ("`B`", "B"),
    ],
)
def test_a_letter_is_read(answer, letter):
    assert letter_of(answer) == letter


@pytest.mark.parametrize(
    "answer", ["", "A or B", "AB", "E", "B, because of the test", "A\nB", "Because", "ABCD", "choice"]
)
def test_what_is_no_letter_is_not_guessed(answer):
    assert letter_of(answer) is None
