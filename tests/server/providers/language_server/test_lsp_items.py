"""What a language server answers, as text at the cursor; and documents as differences. Pure."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.documents import Document, OpenDocuments
from server.errors import ProviderRefused
from server.providers.language_server.server_session import DocumentMirror, continuation, plain
from syntax.text import length, position_at
from tests.support.scale import sampled

BEFORE, AFTER = "def f(a):\r\n    x = g(a", ")\r\n    return x\r\n"


def _at(index, before=BEFORE, after=AFTER):
    line, character = position_at(before + after, length((before + after)[:index]))
    return {"line": line, "character": character}


def _item(text, left=0, right=0, before=BEFORE, after=AFTER):
    ends = (len(before) - left, len(before) + right)
    start, end = (_at(index, before, after) for index in ends)
    return {"insertText": text, "range": {"start": start, "end": end}}


def _got(item, before=BEFORE, after=AFTER):
    found = continuation([item], before, after)
    return found and (found.text, found.covers)


@pytest.mark.parametrize("nothing", [None, [], {"items": []}, {"items": None}, {}])
def test_no_items_are_no_continuation(nothing):
    assert continuation(nothing, BEFORE, AFTER) is None


@pytest.mark.parametrize("some", [[{"insertText": ", 1"}, {"insertText": "2"}], {"items": [{"insertText": ", 1"}]}])
def test_the_first_item_counts_and_without_a_range_it_goes_to_the_cursor(some):
    found = continuation(some, BEFORE, AFTER)
    assert (found.text, found.covers, found.skipped) == (", 1", 0, 0)


@pytest.mark.parametrize(
    "malformed",
    [
        "text",
        7,
        ["text"],
        [{}],
        [{"insertText": 3}],
        [{"insertText": {"value": None}}],
        [{"insertText": "x", "range": 3}],
        [{"insertText": "x", "range": {"start": {"line": 0, "character": 0}}}],
        [{"insertText": "x", "range": {"start": {"line": 0, "character": -1}, "end": {"line": 0, "character": 1}}}],
        [{"insertText": "x", "range": {"start": {"line": 99, "character": 0}, "end": {"line": 99, "character": 0}}}],
    ],
)
def test_a_malformed_answer_is_refused(malformed):
    with pytest.raises(ProviderRefused):
        continuation(malformed, BEFORE, AFTER)


def test_what_an_item_says_again_of_the_left_is_cut_off():
    assert _got(_item("    x = g(a, 1", left=11)) == (", 1", 0)
    assert continuation([_item("g(a, 1", left=3)], BEFORE, AFTER).skipped == 3


@pytest.mark.parametrize("line", [2, 99, 2**32 - 1])
def test_a_range_that_ends_below_the_last_line_ends_with_the_document(line):
    where = {"start": {"line": 0, "character": 0}, "end": {"line": line, "character": 0}}
    assert _got({"insertText": "x = 1\ny\n", "range": where}, "x", "\ny\n") == (" = 1", 0)


def test_an_item_that_changes_what_was_written_is_no_continuation():
    assert _got(_item("    y = g(a, 1", left=11)) is None
    assert _got({"insertText": "x", "range": {"start": _at(0), "end": _at(3)}}) is None


def test_lines_that_an_item_says_again_may_end_otherwise():
    assert _got(_item("def f(a):\n    x = g(a, 1", left=len(BEFORE))) == (", 1", 0)


def test_an_item_that_says_nothing_new_is_none():
    assert _got(_item("g(a", left=3)) is None


def test_what_it_replaces_right_of_the_cursor_is_covered():
    assert _got(_item(", 1)", right=1)) == (", 1)", 1)
    assert _got(_item("g(a, 1)", left=3, right=1)) == (", 1)", 1)


def test_whole_lines_below_that_it_says_again_are_cut_off_and_others_are_not_replaced():
    assert _got(_item(", 1)\n    return x\n", right=len(AFTER))) == (", 1", 0)
    assert _got(_item(", 1)\n    return y\n", right=len(AFTER))) is None


def test_positions_are_counted_in_utf_16():
    before, after = "s = '😀' + f(", ")\n"
    assert _got(_item("f(1)", left=2, right=1, before=before, after=after), before, after) == ("1)", 1)
    found = continuation([_item("'😀' + f(1)", left=8, right=1, before=before, after=after)], before, after)
    assert found.skipped == 9


def test_how_far_an_item_was_accepted_counts_from_its_own_start():
    found = continuation(
        [_item("'😀' + f(1, 2)", left=8, right=1, before="s = '😀' + f(", after=")\n")], "s = '😀' + f(", ")\n"
    )
    assert found.reached("1, 2)", 2) == 11
    assert found.reached("2)", 1) == 13  # the rest, after some of it was typed
    assert found.reached("something else", 99) == 14


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ("f($1)$0", "f()"),
        ("f(${1:a}, ${2:b})", "f(a, b)"),
        ("f(${1:g(${2:x})})", "f(g(x))"),
        ("${1|one,two|} of", "one of"),
        (r"cost \$5 \} \\ ${TM_FILENAME} ${UNKNOWN:else}", "cost $5 } \\  else"),
        ("${1/(.*)/${1:/upcase}/}x", "x"),
        ("a$b {c}", "a {c}"),
        (r"\${1:a}", "${1:a}"),
    ],
)
def test_a_snippet_becomes_the_text_that_stands_before_anything_is_filled_in(snippet, text):
    assert plain(snippet) == text
    assert _got({"insertText": {"kind": "snippet", "value": snippet}}, "", "") == (text, 0)
    assert _got({"insertText": snippet, "insertTextFormat": 2}, "", "") == (text, 0)


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ("${1:{a}}", "{a}"),
        ("${1:a", "${1:a"),
        (r"${1|one\,two,b|}", "one,two"),
        (r"${TM_FILENAME/(.*)\..+$/$1/g}!", "!"),
        ("${1:${2:x} ${3|u,v|}$4}}", "x u}"),
        ("${a/${1:b}", "${a/b"),
    ],
)
def test_snippets_that_open_or_close_too_much_lose_nothing(snippet, text):
    assert plain(snippet) == text


@pytest.mark.sampled
@pytest.mark.parametrize("bit", sampled(["${1:", "${a/", "${a//${", "${1|", "${1|x,", "${1|x", "${a/x/", "$", "${aa"]))
@pytest.mark.parametrize("ends", ["", "}", "/}", "|}"])
def test_a_snippet_is_read_in_time_linear_in_its_length(bit, ends):
    """Fourfold the length takes about fourfold the time, not sixteenfold; the best of some runs counts on a busy machine."""
    short, long = (_least_time(bit * number + ends * number) for number in (2_000, 16_000))
    assert long < 0.3 or long / short < 24


def _least_time(snippet):
    times = []
    for _ in range(3):
        begun = time.process_time()
        plain(snippet)
        times.append(time.process_time() - begun)
        if times[-1] > 1:
            break
    return min(times)


def test_an_item_that_is_far_too_long_is_refused_before_it_is_read():
    with pytest.raises(ProviderRefused, match=r"20,000 characters is longer than the limit of 16,"):
        continuation([{"insertText": {"kind": "snippet", "value": "${1:}" * 4_000}}], BEFORE, AFTER)
    with pytest.raises(ProviderRefused, match=r"16,38\d characters is longer than the limit of 16,384"):
        continuation([{"insertText": "x" * 16_385}], BEFORE, AFTER)


def test_what_an_item_says_again_of_a_long_document_does_not_count_as_its_length():
    before = "x = 1\n" * 5_000
    assert _got(_item(f"{before}y", left=len(before), before=before, after=""), before, "") == ("y", 0)


def test_dollars_in_plain_text_are_dollars():
    assert _got({"insertText": "cost $1"}, "", "") == ("cost $1", 0)


LETTERS = st.lists(st.sampled_from([*"ab\r\n😀😁é ", "\r\n"]), max_size=12).map("".join)


@given(
    st.lists(st.dictionaries(st.sampled_from(["a.py", "b.py", "c.py"]), LETTERS, max_size=3), max_size=6), st.booleans()
)
def test_a_mirror_equals_the_documents_whatever_they_become(states, whole):
    mirror, theirs = DocumentMirror(whole), OpenDocuments()
    for state in states:
        for method, params in mirror.follow([Document(uri, "python", 0, text) for uri, text in state.items()]):
            _hear(theirs, method, params)
        assert {each.uri: each.text for each in theirs.all()} == state


def test_a_document_whose_language_changes_is_opened_anew():
    mirror = DocumentMirror()
    list(mirror.follow([Document("a", "plaintext", 0, "x")]))
    methods = [method for method, _ in mirror.follow([Document("a", "python", 0, "x")])]
    assert methods == ["textDocument/didClose", "textDocument/didOpen"]


def test_nothing_is_sent_where_nothing_changed():
    mirror = DocumentMirror()
    list(mirror.follow([Document("a", "python", 0, "x")]))
    assert list(mirror.follow([Document("a", "python", 9, "x")])) == []


def _hear(documents, method, params):
    told = params["textDocument"]
    if method.endswith("didOpen"):
        documents.open(told["uri"], told["languageId"], told["version"], told["text"])
    elif method.endswith("didClose"):
        documents.close(told["uri"])
    else:
        edits = []
        for change in params["contentChanges"]:
            where = change.get("range")
            ends = where and [(where[name]["line"], where[name]["character"]) for name in ("start", "end")]
            edits.append((*ends, change["text"]) if ends else change["text"])
        documents.change(told["uri"], told["version"], edits)
