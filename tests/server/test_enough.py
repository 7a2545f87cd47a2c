"""An answer gives the same suggestion however it was cut into pieces, and no more of it is waited for than is wanted."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repair_tables import MODELS, golden_answers, published_answers
from test_golden_repairs import GOLDEN, _case

from server.providers.protocol import Offline
from server.repair.draft import Draft
from server.repair.offer import enough, offered
from server.service import Query, Service
from server.settings import Settings
from syntax.languages import LANGUAGES

HEADERS = "def f(x):\n    ", "function f(x) {\n  "
TALK = [
    (
        "python",
        HEADERS[0],
        "\n",
        "Here is the completed code:\n\n```python\n    return x + 1\n```\nThis works.",
        "return x + 1",
    ),
    ("python", "def f(x):\n    y = ", "\n", "Sure! Here's the code:\n```python\nx + 1\n```", "x + 1"),
    (
        "javascript",
        HEADERS[1],
        "\n}\n",
        "Here is:\n```js\nreturn x;\n}\n\nfunction g() { return 2; }\n```",
        "return x;",
    ),
    ("javascript", HEADERS[1], "\n}\n", "return x;\n}\n\nfunction g() { return 2; }\n", "return x;"),
    (
        "javascript",
        HEADERS[1],
        "\n}\n",
        "const a = `\none;\n  two;\n`;\n  return a;\n}\n\nclass B {}",
        "const a = `\none;\n  two;\n`;\n  return a;",
    ),
]


class Spoken(Offline):
    """A provider that says its pieces, and counts them."""

    name = "spoken"

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces, self.said = pieces, 0

    async def complete(self, request):
        for piece in self.pieces:
            self.said += 1
            yield piece


def cut_up(text, size):
    return [text[start : start + size] for start in range(0, len(text), size)]


async def suggested(draft, pieces, language):
    provider = Spoken(pieces)
    query = Query("file:///a", language, draft.before, draft.after, draft.stop)
    return await Service(provider, Settings()).complete(query), provider.said


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize(("language", "before", "after", "text", "wanted"), TALK)
async def test_talk_around_code_ends_no_stream_too_early(language, before, after, text, wanted, size):  # noqa: PLR0917
    provider = Spoken(cut_up(text, size))
    suggestion = await Service(provider, Settings()).complete(Query("file:///a", language, before, after))
    assert suggestion.text == wanted


async def test_what_comes_behind_the_end_is_not_waited_for():
    pieces = cut_up("return x;\n}\n\n" + "function g() { return 2; }\n" * 50, 4)
    provider = Spoken(pieces)
    await Service(provider, Settings()).complete(Query("file:///a.js", "javascript", HEADERS[1], "\n}\n"))
    assert provider.said < 10


@pytest.mark.parametrize(
    "path", [path for path in GOLDEN if "paper_rules" not in GOLDEN[path]], ids=lambda path: path.stem
)
async def test_pieces_make_no_difference_to_a_golden_case(path):
    draft, _ = _case(path)
    language = GOLDEN[path]["language"]
    found = {(await suggested(draft, cut_up(draft.text, size), language))[0].text for size in (1, 5, 10_000)}
    assert len(found) == 1


def test_pieces_make_no_difference_to_published_answers(shared):
    chance = random.Random(1)
    answers = chance.sample(
        [*(answer for model in MODELS for answer in published_answers(shared, model)), *golden_answers(shared)], 150
    )
    for answer in answers:
        draft = answer.draft("auto")
        ends = enough(draft)
        grown = next(
            (kept for size in range(len(draft.text) + 1) if (kept := _enough_of(draft, size)) is not None), None
        )
        assert grown == ends, (answer.language, answer.category, answer.instance)


def _enough_of(draft, size):
    return enough(replace(draft, text=draft.text[:size]), since=size - 1)


@given(
    st.text("ab;\n{}()` \"'=", max_size=25),
    st.sampled_from([*LANGUAGES.values()]),
    st.sampled_from(["auto", "line", "statement", "block", "any"]),
)
def test_what_is_enough_gives_what_the_whole_answer_gives(text, language, stop):
    draft = Draft(language, "f(x) {\n  ", "\n}\n", text, stop)
    ends = enough(draft)
    if ends is not None:
        cut = Draft(language, draft.before, draft.after, text[:ends], stop)
        assert offered(draft).text == offered(cut).text
