"""Clients that count the characters of a line in bytes or in code points."""

import hashlib
import random

import pytest

FIXED = {"provider": {"name": "fixed", "text": "return 1"}}
SIZES = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def counted(text, encoding):
    codec, size = SIZES[encoding]
    return len(text.encode(codec)) // size


@pytest.mark.parametrize(
    ("offered", "agreed"),
    [
        (("utf-8",), "utf-8"),
        (("utf-8", "utf-16"), "utf-8"),
        (("utf-32", "utf-8", "utf-16"), "utf-32"),
        (("utf-16", "utf-8"), "utf-16"),
        ((), "utf-16"),
        (("utf-7", "utf-8"), "utf-8"),
    ],
)
async def test_the_first_encoding_that_both_know_is_announced(start, offered, agreed):
    editor = await start(FIXED, encodings=offered)
    assert editor.greeted.capabilities.position_encoding == agreed


@pytest.mark.parametrize("encoding", SIZES)
async def test_a_suggestion_behind_wide_characters_is_at_its_place(start, encoding):
    editor = await start({"provider": {"name": "fixed", "text": "1, 2))"}}, encodings=(encoding,))
    editor.open("x = 1\nä😀 = 'é'; print(max())\n")
    before = "ä😀 = 'é'; print(max("
    where = counted(before, encoding)
    assert await editor.ask(1, where) == ("1, 2))", counted(before + "))", encoding))
    explained = await editor.explain(1, where)
    assert explained.raw == "1, 2))"


@pytest.mark.parametrize("encoding", SIZES)
async def test_random_edits_of_wide_text_leave_both_sides_with_the_same_text(start, encoding):
    rng = random.Random(encoding)
    pieces = ["a", "ä", "😀", "é\n", "b = 1\n", "中文", "\r\n", ""]
    editor = await start(FIXED, encodings=(encoding,))
    lines = ["x = 'ä'", "😀😀 # 中", "", "plain"]
    editor.open("\n".join(lines))
    text = "\n".join(lines)
    for version in range(2, 60):
        start_at, end_at = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        end_at = min(end_at, start_at + 4)
        new = rng.choice(pieces)
        edit = (*_place(text, start_at, encoding), *_place(text, end_at, encoding), new)
        text = text[:start_at] + new + text[end_at:]
        text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in new else text
        if "\r" in new:
            edit = (*edit[:4], "\n")
        editor.change(version, edit)
    assert (await editor.state()).sha256 == hashlib.sha256(text.encode()).hexdigest()


def _place(text, index, encoding):
    line = text.count("\n", 0, index)
    return line, counted(text[text.rfind("\n", 0, index) + 1 : index], encoding)


async def test_a_position_inside_a_character_is_its_beginning_and_one_past_the_line_its_end(start):
    editor = await start(FIXED, encodings=("utf-8",))
    editor.open("ä😀\nb\n")
    editor.change(2, (0, 1, 0, 4, "x"))
    assert (await editor.state()).sha256 == hashlib.sha256("x😀\nb\n".encode()).hexdigest()
    editor.change(3, (0, 99, 0, 99, "y"))
    assert (await editor.state()).sha256 == hashlib.sha256("x😀y\nb\n".encode()).hexdigest()
