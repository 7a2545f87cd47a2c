"""The providers without a model."""

from __future__ import annotations

import pytest

from server.context import Context
from server.errors import ProviderMissing, SettingsError
from server.prompt import Prompt
from server.providers import registry
from server.providers.ngram import ELSEWHERE, WINDOW, NGram
from server.providers.protocol import AnswerText, Request, answer_text
from server.providers.recorded import Recorded, answer_key, read_answers
from server.settings import AnswerRecord, ProviderSettings


async def _answer(provider, before, after="", stop="auto", others=()) -> str:
    request = Request(before, after, stop, Context("a.py", "python", before, after), Prompt(), others)
    return answer_text([piece async for piece in provider.complete(request)])


def test_an_answer_key_is_the_hash_of_both_sides_and_the_hint():
    assert answer_key("a", "b", "line") == "b61fa3220883d1992b9c40a42088156ee90834dcfc5a931af40d5a7a1a25587c"
    assert len({answer_key(*parts) for parts in (("a", "b", "line"), ("a", "b", "block"), ("ab", "", "line"))}) == 3
    assert answer_key("\ud83d", "", "line") != answer_key("", "\ud83d", "line")


async def test_a_missing_answer_offers_nothing_unless_all_are_required():
    assert await _answer(Recorded({}), "x") == ""
    with pytest.raises(ProviderMissing, match="record the run again"):
        await _answer(Recorded({}, required=True), "x")


def test_a_malformed_answers_file_is_refused_with_its_line(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"key": "a", "text": "b"}\n\n{"key": 1}\n', encoding="utf-8")
    with pytest.raises(ProviderMissing, match=r"answers\.jsonl:3: not an answer of the form"):
        read_answers(path)


def test_of_two_answers_under_one_key_the_later_holds(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"key": "a", "text": "b"}\n{"key": "a", "text": "c", "more": 1}\n', encoding="utf-8")
    assert read_answers(path) == {"a": AnswerText("c")}


async def test_ngrams_go_on_as_the_open_documents_did():
    known = "for row in rows:\n    print(row.name)\n"
    assert (await _answer(NGram(), "x = 1\nfor row in", others=(known,))).startswith(" rows:\n    print(row.name)")


async def test_ngrams_are_the_same_for_the_same_seed():
    before = "a = b + c\na = b + d\na = b + e\na = b"
    first = [await _answer(NGram(seed=seed), before) for seed in (1, 2, 3, 4, 5)]
    again = [await _answer(NGram(seed=seed), before) for seed in (1, 2, 3, 4, 5)]
    assert first == again
    assert len(set(first)) > 1


async def test_ngrams_end_when_they_go_in_circles():
    assert len(await _answer(NGram(max_tokens=500), "a, b, a, b, a, b, a, b, ")) < 60


async def test_of_a_huge_document_ngrams_read_what_is_near():
    known = "alpha beta gamma\n"
    filler = "".join(f"x{number} = {number}\n" for number in range(WINDOW // 8))
    assert await _answer(NGram(max_tokens=2), f"{known}alpha beta") == " gamma"
    assert await _answer(NGram(max_tokens=2), f"{known}{filler}alpha beta") == ""
    assert await _answer(NGram(max_tokens=2), "alpha beta", f"\n{filler}{known}") == ""


async def test_of_many_documents_ngrams_read_the_latest():
    known, filler = "alpha beta gamma\n", "x" * ELSEWHERE
    assert await _answer(NGram(max_tokens=2), "alpha beta", others=(known, filler)) == " gamma"
    assert await _answer(NGram(max_tokens=2), "alpha beta", others=(filler, known)) == ""


def test_an_unknown_provider_is_refused_with_the_known_ones():
    with pytest.raises(SettingsError, match="'psychic' is none of gguf, openai"):
        registry.make(ProviderSettings(name="psychic"))


def test_of_an_unknown_provider_the_nearest_known_one_is_proposed():
    with pytest.raises(SettingsError, match=r"ngram, repeat-edit, fixed \(did you mean 'openai'\?\)"):
        registry.make(ProviderSettings(name="opnai"))


@pytest.mark.parametrize("name", ["fixed", "ngram"])
def test_a_provider_that_needs_nothing_is_made_by_its_name(name):
    assert registry.make(ProviderSettings(name=name)).name == name


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("oracle", "provider.answers"), ("recorded", "provider.answers"), ("openai", "provider.base_url")],
)
def test_a_provider_says_which_setting_it_lacks(name, wanted):
    with pytest.raises(ProviderMissing, match=wanted):
        registry.make(ProviderSettings(name=name))


def _anthropic(**settings):
    return registry.make(ProviderSettings(name="anthropic", model="m", **settings))


def test_anthropic_without_a_key_is_refused_before_it_is_asked(monkeypatch):
    monkeypatch.delenv("GHOSTTAPE_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ProviderMissing, match="ANTHROPIC_API_KEY"):
        _anthropic()
    assert _anthropic(base_url="http://127.0.0.1:9").name == "anthropic"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert _anthropic().name == "anthropic"
    with pytest.raises(ProviderMissing, match="use_key"):
        _anthropic(use_key=False)


async def test_anthropic_without_a_key_serves_a_record_and_misses_the_key_beyond_it(monkeypatch, tmp_path):
    monkeypatch.delenv("GHOSTTAPE_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    path = str(tmp_path / "answers.jsonl")
    with pytest.raises(ProviderMissing, match="ANTHROPIC_API_KEY"):
        _anthropic(record=AnswerRecord(path=path, mode="write"))
    provider = _anthropic(record=AnswerRecord(path=path, mode="replay"))
    context = Context("a.py", "python", "x", "")
    with pytest.raises(ProviderMissing, match="ANTHROPIC_API_KEY"):
        await anext(provider.complete(Request("x", "", "auto", context, provider.prompt(context))))
    await provider.close()
