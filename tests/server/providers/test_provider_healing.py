"""Half-typed words: asked from their start, kept only where they go on as typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.context import Context
from server.providers import registry
from server.providers.gguf import Gguf
from server.providers.protocol import AnswerMetadata, AnswerText, OfflineProvider, Request, answer_text
from server.providers.wrappers.healing import HealingProvider, grammar, half_word
from server.settings import ProviderSettings
from tests.support.answer_pieces import texts
from tests.support.fakes.model_server import FakeEngine, FakeScript


@pytest.mark.parametrize(
    ("before", "typed"),
    [
        ("    retu", "retu"),
        ("a.appe", "appe"),
        ("f(x, na", "na"),
        ("$sco", "$sco"),
        ("x = größ", "größ"),
        ("_", "_"),
        ("a\nb", "b"),
        ("return ", ""),
        ("f(", ""),
        ("", ""),
        ("a\n", ""),
        ("x = 12", ""),
        ("x = 0x1f", ""),
        ("v2", "v2"),
        ("@prop", "prop"),
        ("#inc", "inc"),
    ],
)
def test_a_half_typed_word_is_an_identifier_right_before_the_cursor(before, typed):
    assert half_word(before) == typed


class Model(OfflineProvider):
    """Goes on from its prompt with given pieces."""

    continues = True
    name = "model"

    def __init__(self, *pieces) -> None:
        self.pieces, self.asked = pieces, []

    def prompt(self, context):
        return type(super().prompt(context))(text=context.before)

    async def complete(self, request):
        self.asked.append(request)
        for piece in self.pieces:
            yield AnswerText(piece) if isinstance(piece, str) else piece


async def _healed(model, before):
    healing = HealingProvider(model)
    context = Context("a.py", "python", before, "")
    request = Request(before, "", "auto", context, healing.prompt(context))
    return [piece async for piece in healing.complete(request)]


@pytest.mark.parametrize(
    ("pieces", "left"),
    [
        (("return a",), ["rn a"]),
        (("re", "tu", "rn", " a"), ["rn", " a"]),
        (("re", "turn", " a"), ["rn", " a"]),
        (("retu",), []),
        (("print(a)",), []),
        (("re", "sult"), []),
        (("  return",), []),
        ((), []),
    ],
)
async def test_only_what_begins_as_typed_is_kept_and_without_it(pieces, left):
    model = Model(*pieces)
    assert texts(await _healed(model, "def f():\n    retu")) == left
    assert model.asked[0].prompt.text == "def f():\n    "
    assert model.asked[0].begins == "retu"


async def test_what_is_told_of_tokens_stays_with_them():
    model = Model(
        AnswerMetadata(prompt_tokens=3),
        AnswerText("ret", -9.0, 1, 10.0),
        AnswerText("urn", -0.5, 2, 20.0),
        AnswerText(" a", -0.25, 1, 30.0),
    )
    told, first, second = await _healed(model, "retu")
    assert told.prompt_tokens == 3
    assert [first, second] == [AnswerText("rn", -0.5, 2, 20.0), AnswerText(" a", -0.25, 1, 30.0)]


async def test_at_the_end_of_a_word_nothing_is_changed():
    model = Model(" x")
    assert texts(await _healed(model, "return ")) == [" x"]
    assert (model.asked[0].prompt.text, model.asked[0].begins) == ("return ", "")


async def test_a_model_that_is_asked_about_the_file_is_left_alone():
    model = Model("rn x")
    model.continues = False
    assert texts(await _healed(model, "retu")) == ["rn x"]
    assert (model.asked[0].prompt.text, model.asked[0].begins) == ("retu", "")


def test_a_grammar_spells_every_character_out():
    assert grammar('a"é') == 'root ::= "\\U00000061\\U00000022\\U000000E9" [\\x00-\\U0010FFFF]*'


def test_the_settings_say_who_is_healed():
    url = {"name": "openai", "base_url": "http://127.0.0.1:1"}
    llamacpp = {"name": "llamacpp", "base_url": "http://127.0.0.1:1"}
    kinds = [
        isinstance(registry.make(ProviderSettings(**settings)), HealingProvider)
        for settings in (llamacpp, {**llamacpp, "heal": False}, url, {**url, "heal": True})
    ]
    assert kinds == [True, False, False, True]


async def test_a_files_first_word_is_healed_too():
    engine = FakeEngine(FakeScript(["import", " os"]))
    provider = Gguf(ProviderSettings(), Path("fake.gguf"), engine=engine)
    *pieces, end = await _healed(provider, "imp")
    assert (texts(pieces), end.finish) == (["ort", " os"], "stop")
    assert engine.asked[0]["prompt"] == "\n"
    assert engine.asked[0]["grammar"] == grammar("imp")
    assert texts(await _healed(provider, "\n\nimp")) == ["ort", " os"]
    assert await _healed(provider, "") == []


@pytest.mark.usefixtures("embedded")
async def test_the_embedded_model_goes_on_with_a_files_first_word():
    made = registry.make(ProviderSettings(max_tokens=6))
    context = Context("a.py", "python", "imp", "")
    request = Request("imp", "", "auto", context, made.prompt(context))
    assert answer_text([piece async for piece in made.complete(request)])
    await made.close()


@pytest.mark.usefixtures("embedded")
async def test_the_embedded_model_begins_as_it_must():
    made = registry.make(ProviderSettings(max_tokens=6))
    before = "def add(a, b):\n    retu"
    context = Context("a.py", "python", before, "")
    request = Request(before, "", "auto", context, made.prompt(context))
    assert answer_text([piece async for piece in made.complete(request)]).startswith("rn a + b")
    await made.close()
