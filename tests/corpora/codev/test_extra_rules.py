"""The rules that the published script adds to the tests, against its own words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpora.codev.extra_rules import EXTRA_RULES
from corpora.codev.scenes import BlockScene
from tests.support.codev_tasks import PYTHON


def judge_right_indent(data: dict, block_dict: dict, code: str) -> bool:
    """As it stands in `src/evaluate.py` of LingmaTongyi/Codev-Bench at e2d185f, but for the file that it reads."""
    first_line = code.split("\n")[block_dict[data["block_key"]]["startLine"]]
    ground_indent = ""
    for char in first_line:
        if len(char.strip()) != 0:
            break
        ground_indent += char
    for line in data["response"].split("\n")[1:]:
        line_indent = ""
        for char in line:
            if len(char.strip()) != 0:
                break
            line_indent += char
        if len(line_indent) < len(ground_indent):
            return False
    return True


texts = st.lists(st.sampled_from(["\n", " ", "    ", "\t", "x", "y = 1"]), max_size=12).map("".join)


@given(texts, st.integers(0, PYTHON.count("\n")))
def test_indentation_is_judged_as_published(answer: str, line: int) -> None:
    published = judge_right_indent({"block_key": "k", "response": answer}, {"k": {"startLine": line}}, PYTHON)
    assert EXTRA_RULES["indent"](answer, PYTHON.split("\n")[line]) == published


@given(texts)
def test_one_line_and_nothing_are_judged_as_published(answer: str) -> None:
    assert EXTRA_RULES["one-line"](answer, "") == bool(len(answer.split("\n")) == 1)
    assert EXTRA_RULES["empty"](answer, "") == bool(answer == "")


def test_a_block_begins_on_the_line_that_its_key_names() -> None:
    where = {"name": "n", "repository": "r", "scenario": 1, "kind": "full", "block_type": "FOR", "language": "python"}
    keys = {"path": "a.py", "block_key": "a.py#L3-L5", "function_key": "a.py#L1-L6", "tests": ()}
    scene = BlockScene(**where, **keys, prefix=PYTHON, middle="", hidden="", suffix="", emptied="")  # type: ignore[arg-type]
    assert scene.head == "    for price in prices:"
