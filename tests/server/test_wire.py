"""Messages out of bytes, however they are cut and whatever stands between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.wire.framing import LARGEST_MESSAGE_BYTES, FrameReader, InvalidFrame

BODIES = st.lists(st.binary(max_size=40).filter(lambda body: b"ontent" not in body).map(b"{%b}".__mod__), max_size=5)


def framed(body, head=b"Content-Length: %d\r\n\r\n"):
    return head % len(body) + body


def fed(stream, cuts=()):
    frames, given, at = FrameReader(), [], 0
    for cut in (*sorted(cuts), len(stream)):
        given += frames.feed(stream[at:cut])
        at = max(at, cut)
    return given


@given(BODIES, st.lists(st.integers(0, 400), max_size=20))
def test_messages_come_through_however_the_stream_is_cut(bodies, cuts):
    assert fed(b"".join(map(framed, bodies)), cuts) == bodies


@given(
    st.binary(max_size=60).filter(lambda junk: b"ontent" not in junk),
    BODIES.filter(bool),
    st.lists(st.integers(0, 400)),
)
def test_messages_behind_junk_come_through(junk, bodies, cuts):
    given = fed(junk + b"".join(map(framed, bodies)), cuts)
    assert [frame for frame in given if isinstance(frame, bytes)] == bodies


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"content-length:%d \r\n\r\n",
        b"Content-Length: 7\r\nContent-Length: %d\r\n\r\n",
    ],
)
def test_other_headers_and_other_spellings_are_taken(head):
    assert fed(framed(b"{}", head) + framed(b"[]")) == [b"{}", b"[]"]


@pytest.mark.parametrize("wrong", [1, 3, 6, 14, 15, 16, 17, 18, 19, 20, 60, 10_000])
def test_a_length_that_is_too_great_does_not_swallow_the_next_message(wrong):
    assert fed(b"Content-Length: %d\r\n\r\n{}" % (2 + wrong) + framed(b'{"good": 1}')) == [b"{}", b'{"good": 1}']


def test_a_length_that_is_too_small_spoils_one_message():
    stream = b'Content-Length: 2\r\n\r\n{"cut": 1}' + framed(b'{"good": 1}')
    assert fed(stream) == [b'{"', InvalidFrame("bytes that belong to no message"), b'{"good": 1}']


@pytest.mark.parametrize("length", [LARGEST_MESSAGE_BYTES + 1, 10 * 1024**3, 10**30])
def test_a_message_that_is_too_large_is_refused_before_it_comes(length):
    refused, *rest = fed(b"Content-Length: %d\r\n\r\n" % length + framed(b"{}"))
    assert isinstance(refused, InvalidFrame)
    assert "is more than" in refused.reason
    assert rest == [b"{}"]


@pytest.mark.parametrize(
    "head", [b"Content-Length: -5\r\n\r\n", b"Content-Length: x\r\n\r\n", b"X: y\r\n\r\n", b"\r\n\r\n"]
)
def test_a_header_without_a_length_is_told_at_once(head):
    assert fed(head) == [InvalidFrame("a header without Content-Length")]


def test_an_empty_message_is_no_message():
    assert fed(b"Content-Length: 0\r\n\r\n" + framed(b"{}")) == [InvalidFrame("a message without content"), b"{}"]


def test_what_is_no_message_is_not_kept():
    frames = FrameReader()
    for _ in range(200):
        assert list(frames.feed(b"x" * 10_000)) == []
    assert len(frames._held) < 20_000


def test_a_header_that_never_ends_is_not_kept():
    frames = FrameReader()
    given = [frame for _ in range(200) for frame in frames.feed(b"Content-Length: 5\r\n" + b"X-More: y\r\n" * 100)]
    assert {frame.reason for frame in given} <= {"a header without an end", "bytes that belong to no message"}
    assert len(frames._held) < 20_000
