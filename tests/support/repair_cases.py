"""Golden cases of repairs, and sources into which completions are drawn."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from server.repair.draft import Draft
from syntax.languages import language_of
from tests.support.places import ROOT
from tests.support.scale import examples

GOLDEN = {
    path: tomllib.loads(path.read_bytes().decode().replace("\r\n", "\n"))
    for path in sorted((ROOT / "tests/server/repair/golden").glob("*.toml"))
}


def golden_case(path: Path) -> tuple[Draft, str]:
    case = GOLDEN[path]
    before, rest = case["given"].split("‹")
    text, after = rest.split("›")
    wanted = text if case.get("unchanged") else case["wanted"]
    return Draft(language_of(case["language"]), before, after, text, case["stop"]), wanted


SOURCES = {path.stem: path.read_text() for path in sorted((ROOT / "tests/server/repair/sources").glob("*.code"))}
"""A file of each language with what confuses those who count characters: see the strings."""


@st.composite
def drafts(draw):
    name = draw(st.sampled_from(sorted(SOURCES)))
    source = SOURCES[name]
    if draw(st.booleans()):
        source = re.sub(r"^( {4})+", lambda lead: "\t" * (len(lead[0]) // 4), source, flags=re.MULTILINE)
    start = draw(st.integers(0, len(source)))
    end = draw(st.integers(start, min(len(source), start + 160)))
    pieces = draw(st.lists(st.one_of(st.sampled_from(JUNK), st.text(max_size=6)), max_size=4))
    written = draw(st.sampled_from(["", source[start:end], source[: start + 60][-90:], source[start : end + 80]]))
    at = draw(st.sampled_from([0, len(written), len(written) // 2]))
    text = "".join([written[:at], *pieces, written[at:]]).replace("\r", "")
    after = draw(st.sampled_from([source[end:], source[end:], source[start:], ""]))
    return Draft(language_of(name), source[:start], after, text, draw(st.sampled_from(HINTS)))


RELAXED = settings(deadline=None, max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow])


JUNK = [
    *(
        "}",
        "\n}",
        ")",
        "]",
        "\n    });",
        "(",
        "[",
        "{",
        '"',
        "'",
        "`",
        " ",
        "\t",
        ";",
        "\n",
        "\n\n",
        "\n    ",
        "\n\t\t",
    ),
    *(
        "```",
        "\n```\n",
        "```python\n",
        "Here is the code:\n",
        "\nThis function returns the sum of both.\n",
        "<|endoftext|>",
    ),
    *("<think>no</think>", "\n// ... rest of the code\n", "// src/a.js\n", "# TODO: your code here"),
    *(
        "return x",
        "if x:\n",
        "x = 1\n",
        "// b",
        "# c\n",
        "/*",
        "*/",
        '"""',
        "else {",
        "end",
        "\nend\n",
        "</li>",
        "<b>",
        "${",
        "f(a, " * 3,
    ),
    *("x += 1;\n" * 6, "ab " * 40, "é\U0001f600"),
]


HINTS = ["auto", "line", "statement", "block", "any"]
