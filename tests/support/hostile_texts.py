"""300 texts that attack a terminal, a reader, or the markup of a library."""

import unicodedata
from itertools import product

from replay.records import Ending, Moment, Record, Rewriting, Suggestion, TrailStep, Verdict

ESC, BEL, ST, CSI, OSC, DCS = "\x1b", "\x07", "\x1b\\", "\x1b[", "\x1b]", "\x1bP"
C1 = "\x9b", "\x9d", "\x90", "\x98", "\x9e", "\x9f", "\x84", "\x85", "\x8d", "\x9c"

SEQUENCES = (
    *(f"{start}{end}" for start, end in product((CSI, "\x9b"), ("2J", "H", "31m", "?1049h", "?25l", "6n", "5i", "1000D", "8;1;1t", "21t", "?1000h", "!p", "4h", "0c", "3J", "10;10r", "1@", "s", ">4;2m", "?2004h"))),
    *(f"{start}{body}{end}" for start, end, body in product((OSC, "\x9d"), (BEL, ST, "\x9c", ""), ("0;pwned", "52;c;cm0gLXJmIH4=", "8;;http://evil.example", "4;1;?", "10;?", "1337;File=:AA==", "9;hi", "777;notify;a;b", "50;?", "133;C"))),
    *(f"{start}{body}{ST}" for start, body in product((DCS, "\x1b_", "\x1b^", "\x1bX", "\x90", "\x9f"), ("q", '$q"p', "1;1|17/1234"))),
    *(f"{ESC}{byte}" for byte in "c78DEHMNOZ=>#(" ),
)  # fmt: skip
CONTROLS = tuple(chr(code) for code in (*range(0x20), 0x7F)) + C1
MARKUP = (
    "[bold red]x[/]", "[/]", "[/bold]", "[link=http://evil.example]x[/link]", "[@click=app.quit]x[/]", "[@click='app.bell']x[/@click]",
    "[[bold]]", "\\[bold]", "[on red]", "[$error]x[/]", "[#ff0000]x", ":skull:", "[blink]", "[", "]", "[=]", "[b", "<b>x</b>", "{x}", "%s%n", "$(id)", "`id`",
)  # fmt: skip
HIDDEN = tuple(
    f"a{character}b"
    for character in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u200b\u200c\u200d\u2060\u2061\u2064\ufeff\u00ad\u034f\u115f\u1160\u3164\uffa0"
    "\u180e\u2028\u2029\ufff9\ufffb\ufe0f\U000e0041\U000e0100\U0001d173\U0001bca0\u17b4\u206a\u206f\ufffe\ufdd0"
)
BROKEN = ("\ud800", "\udfff", "a\ud83d", "\ude00b", "\udc80\udcff", "\udce9t\udce9")
SHAPES = (
    "\r", "a\rb", "a\r\nb", "a\nb\nc", "\n" * 50, "\t" * 50, "x" * 1_000_000, "é" * 1_000_000, "\U0001f600" * 100_000, f"{CSI}31m" * 50_000,
    "a" + "\u0301" * 5_000, "e\u0301\u0302\u0303\u0304\u0305", "漢字" * 5_000, "\U0001f468\u200d\U0001f469\u200d\U0001f467", "1\ufe0f\u20e3", "☠\ufe0f", " " * 5_000, "",
)  # fmt: skip
MIXED = tuple(
    f"{left}{right}{tail}"
    for left, right, tail in product(
        (f"{CSI}2J", "\u202e", "[bold]"),
        (f"{OSC}52;c;AAAA{BEL}", "\ud800", "\x9b31m", "[/]"),
        ("x" * 3_000, "\r\n", ""),
    )
)
HOSTILE = tuple(dict.fromkeys((*SEQUENCES, *CONTROLS, *MARKUP, *HIDDEN, *BROKEN, *SHAPES, *MIXED)))
HIDDEN = {
    0x34F,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    0x180E,
    0x3164,
    0xFFA0,
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
}
LONGEST = 1_100
"""Characters of a line: those that are shown, and how many more there are."""
PARTS = 4
"""A line of code has so many parts, each of which may be long."""
NAMES = [text for text in HOSTILE if text]


def is_harmless(text, longest=LONGEST):
    """Whether a terminal obeys nothing of a text, a person sees all of it, and its lines end somewhere."""
    for character in set(text) - {"\n"}:
        assert unicodedata.category(character) not in {"Cc", "Cs", "Cf", "Zl", "Zp"}, hex(ord(character))
        assert ord(character) not in HIDDEN
        assert ord(character) & 0xFFFE != 0xFFFE
    assert max(map(len, text.split("\n"))) <= longest
    return True


def hostile_record(text, event=0):
    """A record in which every text is hostile."""
    at = Moment(
        tape=text, event=event, path=f"{text}/a.py", language=text, offset=len(text), line=3, character=2, t=1.0,
        kind=text[:99], before=f"a\n{text}", after=text, truth=text, hole=text, function=text,
    )  # fmt: skip
    trail = (TrailStep(text, text, f"{text}x"), TrailStep("stop", f"{text}x", text, undone=True))
    offered = Suggestion(text=text, start=at.offset, end=at.offset, latency=1, raw=text, prompt=text, provider=text, trail=trail, cache=text)  # fmt: skip
    verdict = Verdict(name="failed", reason=text, message=text, log=f"{text}\nE   {text}\n", cause=text, program=text, hole=(0, 3), rewriting=Rewriting(cause="before", then=text, now=text))  # fmt: skip
    return Record(moment=at, ending=Ending("failed", text), suggestion=offered, verdict=verdict)
