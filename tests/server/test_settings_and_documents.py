from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.documents import OpenDocuments, moved
from server.errors import DocumentError, SettingsError
from server.settings import ProviderSettings, Settings, merge, parse, to_options
from syntax.text import cut, length, line_starts, offset_of, position_at, splice


def test_settings_have_defaults_for_everything():
    assert parse("{}") == Settings()


def test_options_are_laid_over_key_by_key():
    base = Settings(provider=ProviderSettings(name="ngram", seed=3))
    assert merge(base, {"provider": {"seed": 4}}).provider == ProviderSettings(name="ngram", seed=4)
    assert merge(base, None) is base


def test_all_settings_pass_through_the_wire_and_replace_those_of_the_server():
    sent = Settings(provider=ProviderSettings(name="gguf", seed=3), repairs=("stop",))
    servers = Settings(provider=ProviderSettings(name="openai", model="m", base_url="http://h", temperature=1.0))
    assert merge(servers, msgspec.json.decode(msgspec.json.encode(to_options(sent)))) == sent


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"colour": 1}', "unknown field `colour`"),
        ('{"provider": {"max_tokens": 0}}', "at least 1"),
        ('{"repairs": ["prose", "magic"]}', "magic"),
        ('{"repairs": ["brackts"]}', r"`\$\.repairs\[0\]` \(did you mean 'brackets'\?\): choose one of prose, repeats"),
        ('{"provider": {"modle": "m"}}', r"`modle` - at `\$\.provider` \(did you mean 'model'\?\)"),
        ('{"provider": {"record": {"mdoe": ""}}}', r"\(did you mean 'mode'\?\)"),
        ('{"provider": {"record": {"mode": "replya"}}}', r"\(did you mean 'replay'\?\): choose one of write, replay"),
        ('{"provder": {}}', r"`provder` \(did you mean 'provider'\?\)"),
        ('{"colour": 1}', "unknown field `colour`$"),
        ("[]", "must be a JSON object"),
        ("{", "not JSON"),
    ],
)
def test_wrong_settings_are_refused_with_their_place(text, message):
    with pytest.raises(SettingsError, match=message):
        parse(text)


@pytest.mark.parametrize(
    "url",
    [
        "https://me:hunter2@host/v1",
        "http://hunter2@host",
        "https://host/v1?api_key=hunter2",
        "https://host/v1#hunter2",
        "hunter2@host/v1",
        "http://me:hunter2@\u2100.example",
    ],
)
def test_a_url_that_can_hold_a_key_is_refused_without_being_said(url):
    with pytest.raises(SettingsError, match="base_url holds") as refused:
        merge(Settings(), {"provider": {"base_url": url}})
    assert "hunter2" not in str(refused.value)


def test_who_turns_to_the_embedded_model_does_not_load_another_providers():
    base = Settings(provider=ProviderSettings(name="openai", model="m", seed=3))
    assert merge(base, {"provider": {"name": "gguf"}}).provider == ProviderSettings(seed=3)
    assert merge(base, {"provider": {"name": "gguf", "model": "a.gguf"}}).provider.model == "a.gguf"
    assert merge(base, {"provider": {"name": "ollama"}}).provider.model == "m"


@given(
    st.text(alphabet="ab\n\r\x0c\u2028\U0001f600é", max_size=30),
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 40), st.text(alphabet="xy\r\n\U0001f47b", max_size=4)), max_size=6
    ),
)
def test_edits_by_position_do_what_edits_by_offset_do(text, edits):
    documents = OpenDocuments()
    documents.open("a", "python", 1, text)
    for version, (one, other, new) in enumerate(edits, 2):
        bounds = sorted({_boundary(text, one), _boundary(text, other)})
        start, end = bounds[0], bounds[-1]
        documents.change("a", version, [(position_at(text, start), position_at(text, end), new)])
        text = splice(text, [(start, end, new)])
        assert documents.get("a").text == text
        assert documents.get("a").version == version


def _boundary(text: str, at: int) -> int:
    """An offset that a position can name: not inside a pair or a line end."""
    at = min(at, len(text))
    at -= at > 0 and text[at - 1 : at + 1] == "\r\n"
    return len(text[:at].encode("utf-16-le")) // 2


def test_a_change_of_a_document_that_is_not_open_is_refused():
    with pytest.raises(DocumentError, match="a is not open"):
        OpenDocuments().change("a", 2, [((0, 0), (0, 1), "y")])


def test_changes_without_a_version_are_counted():
    documents = OpenDocuments()
    documents.open("a", "python", 7, "x")
    documents.change("a", None, ["y"])
    assert (documents.get("a").text, documents.get("a").version) == ("y", 8)


def test_a_position_moves_in_utf_16_units():
    assert moved("f('\U0001f600')\n", (0, 3), 2) == (0, 6)


@pytest.mark.parametrize(
    ("text", "edit", "wanted"),
    [
        ("a\nb", ((0, 0), (2, 0), "x\n"), "x\n"),
        ("a\nb\n", ((1, 0), (9, 9), ""), "a\n"),
        ("a", ((5, 0), (5, 0), "\nb"), "a\nb"),
        ("a\rb\U0001f600", ((1, 0), (2, 0), "c"), "a\rc"),
        ("", ((0, 0), (1, 0), "x"), "x"),
        ("ab\nc", ((0, 9), (0, 99), "!"), "ab!\nc"),
        ("a\nb", ((0, 0), (2**32 - 1, 0), "c"), "c"),
        ("abc", ((0, 2), (0, 1), "X"), "aXc"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_range_that_ends_below_the_last_line_ends_with_the_document(text, edit, wanted, encoding):
    documents = OpenDocuments(encoding)
    documents.open("a", "python", 1, text)
    [change] = documents.change("a", 2, [edit])
    assert documents.get("a").text == wanted == splice(text, [change])


@given(
    st.text(alphabet="ab\n\r\U0001f600é", max_size=12),
    st.lists(
        st.tuples(
            st.integers(0, 8), st.integers(0, 8), st.integers(0, 8), st.integers(0, 8), st.text("x\n\r", max_size=3)
        ),
        max_size=5,
    ),
)
def test_any_range_does_what_the_reference_implementation_does(text, edits):
    documents = OpenDocuments()
    documents.open("a", "python", 1, text)
    for version, (line, character, end_line, end_character, new) in enumerate(edits, 2):
        one, other = (line, character), (end_line, end_character)
        start, end = sorted([one, other])
        change = (reference_offset(text, *start), reference_offset(text, *end), new)
        assert documents.change("a", version, [(one, other, new)]) == (change,)
        text = splice(text, [change])
        assert documents.get("a").text == text
        where = (min(line, len(line_starts(text)) - 1), character)
        assert documents.get("a").offset(where) == reference_offset(text, *where), "what is known of lines stays right"


def reference_offset(text: str, line: int, character: int) -> int:
    """`TextDocument.offsetAt` of vscode-languageserver-node, in its own words."""
    starts = [offset_of(text, start) for start in line_starts(text)]
    if line >= len(starts):
        return length(text)
    end = starts[line + 1] if line + 1 < len(starts) else length(text)
    while end > starts[line] and cut(text, end - 1, end) in {"\r", "\n"}:
        end -= 1
    return min(starts[line] + character, end)
