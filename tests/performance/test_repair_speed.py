"""What the repairs of one suggestion cost, in parses of the file that it stands in."""

import pytest

from replay.tapes.tape import read
from replay.tapes.timeline import Timeline
from server.repair.chain import repair
from server.repair.draft import Draft, tree_of
from syntax.languages import language_of, parser_of
from syntax.parse import has_error, parse
from tests.support.places import DEMO

WRONG = "Here is the code:\n```\n" + "total = f(total, x)\n" * 4 + "```\nI hope that this helps."


@pytest.fixture(params=["ledger/ledger/parse.py", "router/src/router.js", "long recording", "5,000 lines"])
def file(request):
    """A path and a text: two small files, the largest of the long recording, and one of 5,000 lines."""
    if request.param == "5,000 lines":
        source = (DEMO / "ledger/ledger/parse.py").read_text()
        return "long.py", "\n\n".join(
            source.replace("def ", f"def n{number}_") for number in range(5000 // source.count("\n"))
        )
    if request.param != "long recording":
        return request.param, (DEMO / request.param).read_text()
    final = Timeline(read(request.getfixturevalue("long_tape"))).final
    return max(final.items(), key=lambda item: len(item[1]) * (language_of(item[0]) is not None))


def statement_near_the_middle(language, text):
    """Start and end of a line without which the file still parses."""
    start, mark = len(text) // 2, ")" if language.layout else ";"
    while True:
        start = text.index("\n", start) + 1
        end = text.index("\n", start)
        if text[start:end].rstrip().endswith(mark) and not has_error(language, text[:start] + text[end:]):
            return start, end


@pytest.mark.parametrize("kind", ["right", "wrong"])
def test_repairing_a_suggestion_against_parsing_its_file(file, measure, kind):
    path, text = file
    language = language_of(path)
    start, end = statement_near_the_middle(language, text)
    draft = Draft(language, text[:start], text[end:], text[start:end] if kind == "right" else WRONG)

    def forget():
        tree_of.cache_clear()
        parse.cache_clear()

    data = text.encode()
    repaired, trail = measure(
        lambda: repair(draft), lambda: parser_of(language).parse(data), prepare=forget, characters=len(text)
    )
    forget()
    repair(draft)
    assert tree_of.cache_info().misses == 1 if kind == "right" else tree_of.cache_info().misses <= 8
    if kind == "right":
        assert repaired == draft.text
    else:
        assert trail
        assert "```" not in repaired
