"""A codebook by a scripted chat with known errors: every code, every count and kappa are those of the script."""

import json
import re

import pytest
from sklearn.metrics import cohen_kappa_score

from corpora.codealign.codebook.coders import BATCH, coded, given_codes
from server.chat import FakeChat
from server.errors import ProviderError

TEXTS = [
    "please comment the tricky bits",
    "stop as soon as you know",
    "rename get_y to get_height",
    "comments!",
    "early exit",
    "say what it does",
]
NEW = {"code": "use-early-exit", "type": "structural", "ask": "Leave the loop  once the answer is known."}


def entries(*given):
    return json.dumps([{"text": number, **one} for number, one in given])


def code(id_):
    return {"code": id_}


FIRST = entries((1, code("add-comments")), (2, NEW), (3, code("none")), (4, code("add-comments")), (5, code("use-early-exit")), (6, code("add-comments")))  # fmt: skip
SECOND = entries((1, code("add-comments")), (2, code("use-early-exit")), (3, code("use-early-exit")), (4, code("none")), (5, code("use-early-exit")), (6, code("add-comments")))  # fmt: skip


async def codebook(first, second=SECOND, texts=TEXTS):
    return await coded(texts, FakeChat(lambda _: first), FakeChat(lambda _: second))


async def test_texts_become_candidates_and_two_coders_agree_as_sklearn_says():
    found = await codebook(FIRST)
    assert [(one["id"], one["type"], one["known"], one["texts"], one["again"]) for one in found["codes"]] == [
        ("add-comments", "cosmetic", True, [TEXTS[0], TEXTS[3], TEXTS[5]], 2),
        ("use-early-exit", "structural", False, [TEXTS[1], TEXTS[4]], 3),
    ]
    assert found["codes"][1]["ask"] == "Leave the loop once the answer is known."
    labels = [one["codes"] for one in found["labels"]]
    assert found["agreement"]["value"] == pytest.approx(cohen_kappa_score(*zip(*labels, strict=True)))
    assert found["agreement"]["n"] == 6
    assert found["coders"] == [{"uncoded": 0, "unread": 0}, {"uncoded": 0, "unread": 0}]


async def test_what_cannot_be_read_is_counted_and_never_guessed():
    first = entries(
        (1, code("add-comments")),
        (2, code("make-it-nice")),  # new, without a type
        (3, {"code": "Not An Id", "type": "cosmetic", "ask": "a"}),
        (4, code("add-comments")),
        (4, code("none")),  # twice
        (9, code("add-comments")),  # no such text
        (6, NEW),
    )
    second = entries((1, code("none")), (2, code("add-type-hints")), (6, code("use-early-exit")))
    found = await codebook(first, second)
    assert [one["codes"] for one in found["labels"]] == [
        ["add-comments", "none"],
        [None, None],  # `add-type-hints` is of the catalogue, and not of this codebook
        [None, None],
        [None, None],
        [None, None],
        ["use-early-exit", "use-early-exit"],
    ]
    assert found["coders"] == [{"uncoded": 4, "unread": 0}, {"uncoded": 4, "unread": 0}]
    assert found["agreement"]["n"] == 2


@pytest.mark.parametrize(
    "answer",
    ["Sure! [1]", "", "{}", '[{"text": 1}]', '[{"text": 1, "code": "a", "why": "b"}]', '[{"text": 1, "code": "a", "type": "funny"}]', f"{FIRST}\nDone."],
)  # fmt: skip
async def test_an_answer_in_another_form_is_asked_for_once_more_and_then_counts_nothing(answer):
    assert given_codes(answer) is None
    first = FakeChat(lambda _: answer)
    found = await coded(TEXTS, first, FakeChat(lambda _: SECOND))
    assert found["coders"][0] == {"uncoded": 6, "unread": 1}
    assert (found["codes"], found["agreement"]["value"]) == ([], None)
    assert len(first.asked) == 2


def test_a_fence_may_stand_around_an_answer():
    assert given_codes(f"```json\n{FIRST}\n```\n") == given_codes(FIRST)
    assert len(given_codes(FIRST)) == 6


async def test_batches_share_one_codebook_and_the_second_coder_sees_no_code_of_the_first():
    texts = [f"text {number}" for number in range(2 * BATCH + 3)]

    def reply(said):
        numbers = [int(found) for found in re.findall(r"^(\d+)\. text", said, re.MULTILINE)]
        known = "use-early-exit (structural): " in said
        return entries(*((number, code("use-early-exit") if known else NEW) for number in numbers))

    first, second = FakeChat(reply), FakeChat(reply)
    found = await coded(texts, first, second)
    assert [len(one["texts"]) for one in found["codes"]] == [len(texts)]
    assert len(first.asked) == len(second.asked) == 3
    assert "add-comments (cosmetic): " in first.asked[0][1].content
    assert "add-comments (cosmetic): " not in second.asked[0][1].content


async def test_a_provider_that_fails_ends_it():
    def reply(_):
        raise ProviderError("503")

    with pytest.raises(ProviderError):
        await coded(["a"], FakeChat(reply), FakeChat(reply))
