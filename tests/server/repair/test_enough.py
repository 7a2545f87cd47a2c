"""An answer gives the same suggestion however it was cut into pieces, and no more of it is waited for than is wanted."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from server.providers.protocol import AnswerText, OfflineProvider
from server.queries import Query
from server.repair.draft import Draft
from server.repair.offer import enough, offered, places
from server.service import Service
from server.settings import Settings
from syntax.languages import language_of
from tests.support.repair_cases import GOLDEN, SOURCES, golden_case
from tests.support.scale import examples
from tests.support.streamed_answers import cut_differently, drawn_answers, enough_of

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


class Spoken(OfflineProvider):
    """A provider that says its pieces, and counts them."""

    name = "spoken"

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces, self.said = pieces, 0

    async def complete(self, request):
        for piece in self.pieces:
            self.said += 1
            yield AnswerText(piece)


def cut_up(text, size):
    return [text[start : start + size] for start in range(0, len(text), size)]


async def suggested(draft, pieces, language):
    provider = Spoken(pieces)
    query = Query("file:///a", language, draft.before, draft.after, draft.stop)
    return await Service(provider, Settings()).complete(query), provider.said


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize(("language", "before", "after", "text", "wanted"), TALK)
async def test_talk_around_code_ends_no_stream_too_early(language, before, after, text, wanted, size):
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
    draft, _ = golden_case(path)
    language = GOLDEN[path]["language"]
    found = {(await suggested(draft, cut_up(draft.text, size), language))[0].text for size in (1, 5, 10_000)}
    assert len(found) == 1


def test_pieces_make_no_difference_to_published_answers(shared):
    assert cut_differently(drawn_answers(shared, 150)) == []


@pytest.mark.sampled
@pytest.mark.parametrize("name", sorted(SOURCES))
def test_what_is_enough_gives_what_the_whole_answer_gives(name):
    language, source, chance, seen = language_of(name), SOURCES[name], random.Random(1), Counter()
    for _ in range(examples(60)):
        start = chance.randrange(len(source))
        end = chance.randrange(start, min(len(source), start + 200))
        told = source[start:end] + chance.choice(
            ["", source[end : end + 80], "\n}\n\nfoo();\n", "\n\nfoo\n", "\n```\n"]
        )
        stop = chance.choice(["auto", "auto", "line", "statement", "block", "any"])
        draft = Draft(language, source[:start], source[end:], told, stop)
        ends = enough(draft)
        seen[ends is not None] += 1
        if ends is not None:
            assert offered(draft).text == offered(replace(draft, text=told[:ends])).text
            assert enough_of(draft, ends) == ends
    assert seen[True] >= examples(60) // 12
    assert seen[False] >= examples(60) // 12


@pytest.mark.parametrize(
    ("language", "before", "line", "behind"),
    [
        ("javascript", "function f() {\n  ", "  const v{0} = g({0});\n", "}\n\nfunction h() {\n  return 2;\n}\n"),
        ("go", "package a\n\nfunc f() {\n\t", "\tg({0})\n", "}\n\nfunc h() {\n}\n"),
        ("python", "def f():\n    ", "    v{0} = g({0})\n", "\n\ndef h():\n    return 2\n"),
    ],
)
def test_the_end_of_a_long_block_is_seen(language, before, line, behind):
    body = "".join(map(line.format, range(300))).strip()
    draft = Draft(language_of(language), before, "\n}\n" if behind[0] == "}" else "\n", f"{body}\n{behind}" * 2)
    ends = enough(draft)
    assert ends is not None
    assert ends < len(body) + 20
    assert offered(draft).text == body


def test_few_places_of_a_long_block_are_looked_at():
    body = "".join(f"  if (g({n})) {{\n    h({n});\n  }}\n" for n in range(300)).strip()
    draft = Draft(language_of("javascript"), "function f() {\n  ", "\n}\n", f"{body}\n}}\n\nfunction k() {{}}\n")
    assert len(list(places(draft))) < 10
