"""Which combinations are runs of an experiment, and what they are called."""

from itertools import product

from corpora.experiments.matrix import TAPES, Matrix, names_of, slug


def matrix(over, leave_out=(), **values):
    return Matrix({"over": over, **values}, leave_out)


def test_every_combination_over_tapes_is_a_cell():
    made = matrix((TAPES,), provider=("a", "b"), policy=("blocks", "vscode"), repairs=("all", "none"))
    chosen = [(each["provider"], each["policy"], each["repairs"]) for each in made.choices()]
    assert chosen == list(product("ab", ("blocks", "vscode"), ("all", "none")))
    assert not made.omissions


def test_over_a_corpus_what_only_tapes_have_makes_no_further_cells_and_says_why():
    made = matrix(("bench",), provider=("a",), policy=("blocks", "vscode"), user=("exact", "words"), latency=("tape",))
    (only,) = made.choices()
    assert only == {
        "over": "bench", "provider": "a", "prompt": None, "policy": None, "user": None, "repairs": None,
        "latency": None, "samples": None,
    }  # fmt: skip
    assert len(made.omissions) == 3
    assert all("bench is a corpus" in each.reason for each in made.omissions)


def test_a_rule_leaves_out_what_it_names_with_its_reason():
    rule = {"policy": ["vscode", "zed"], "user": "words", "reason": "too slow"}
    made = matrix((TAPES,), [rule], policy=("blocks", "vscode", "zed"), user=("exact", "words"))
    assert len(list(made.choices())) == 4
    assert [(each.choice["policy"], each.reason) for each in made.omissions] == [
        ("vscode", "too slow"),
        ("zed", "too slow"),
    ]


def test_a_rule_for_the_first_policy_leaves_the_cell_of_a_corpus_to_the_next_one():
    made = matrix(("bench",), [{"policy": "blocks"}], policy=("blocks", "vscode", "zed"))
    assert len(list(made.choices())) == 1


def test_names_have_what_differs_and_nothing_that_leads_out_of_a_folder():
    made = matrix((TAPES,), provider=("a/../b",), policy=("pause:300", "blocks"))
    assert names_of(list(made.choices())) == ["pause-300", "blocks"]
    assert slug("a/../..", "é b") == "a-b"
    assert slug("..") == "cell"


def test_two_names_that_would_be_the_same_get_numbers():
    made = matrix((TAPES,), latency=("fixed:1", "fixed 1"))
    assert names_of(list(made.choices())) == ["fixed-1", "fixed-1-2"]
