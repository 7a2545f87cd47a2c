"""The docs keep to their limits, and their links lead somewhere."""

import re

import pytest

from tests.support.places import ROOT

MOST_WORDS = 25_000
LONGEST_LINE, LONGEST_CELL = 120, 40
REFERENCE = ROOT / "docs" / "reference"
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CHECKED = [*PAGES, ROOT / "CHANGELOG.md"]
WRITTEN = re.compile(r"<!-- ?(?P<open>[\w:. ]+?) ?-->.*?<!-- (?:/|end of )[\w ]+ -->", re.DOTALL)
"""A table that a tool writes, with its marks."""
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def text_of(page):
    return page.read_text(encoding="utf-8")


def words(text):
    """How many words a text has outside of what tools write, code included: parts between blanks with a letter in them."""
    return sum(any(map(str.isalpha, part)) for part in WRITTEN.sub("", text).split())


def anchors(text):
    """The places of a page that a link can name, as GitHub makes them of headings."""
    heads = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def name(page):
    return page.relative_to(ROOT).as_posix()


def test_the_docs_outside_the_reference_are_short():
    counts = {name(page): words(text_of(page)) for page in PAGES if REFERENCE not in page.parents}
    longest = sorted(counts.items(), key=lambda item: -item[1])[:5]
    assert sum(counts.values()) <= MOST_WORDS, longest


@pytest.mark.parametrize("page", CHECKED, ids=name)
def test_no_line_is_long_but_rows_of_tables_and_addresses(page):
    lines = enumerate(text_of(page).splitlines(), 1)
    long = [
        number for number, line in lines if len(line) > LONGEST_LINE and not re.match(r"\s*\||.*https?://\S{60}", line)
    ]
    assert long == []


@pytest.mark.parametrize("page", CHECKED, ids=name)
def test_no_cell_of_a_table_is_a_paragraph(page):
    rows = [line for line in FENCE.sub("", text_of(page)).splitlines() if line.lstrip().startswith("|")]
    cells = [cell.strip() for row in rows for cell in re.split(r"(?<!\\)\|", row)]
    assert [cell for cell in cells if len(cell.split()) > LONGEST_CELL] == []


@pytest.mark.parametrize("page", CHECKED, ids=name)
def test_links_lead_somewhere(page):
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text_of(page))):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and anchor not in anchors(text_of(there))):
            lost.append(target)
    assert lost == []


@pytest.mark.parametrize("page", [page for page in PAGES if REFERENCE not in page.parents], ids=name)
def test_files_that_a_page_names_exist(page):
    """Rooms and files in back-ticks; NAME, TYPE and ID stand for something in them."""
    rooms = "server|replay|runners|corpora|tui|syntax|tools|vscode-ext"
    named = set(re.findall(rf"`((?:{rooms})/[\w/.-]+)`", text_of(page)))
    assert [one for one in sorted(named) if not re.search(r"\b[A-Z]+\b", one) and not (ROOT / one).exists()] == []


def test_names_behind_files_of_the_architecture_are_in_them():
    """`file.py` (`name`, `name`): what is named there is defined there."""
    rows = re.findall(r"`([\w/.-]+\.py)` \(((?:`\w+`(?:, )?)+)\)", text_of(ROOT / "ARCHITECTURE.md"))
    assert len(rows) > 10
    lost = [
        (file, name)
        for file, names in rows
        for name in re.findall(r"\w+", names)
        if not re.search(rf"^\s*(?:(?:async )?def |class )?{name}\b", text_of(ROOT / file), re.MULTILINE)
    ]
    assert lost == []


def test_words_of_tables_that_a_tool_writes_do_not_count():
    assert words("one two\n<!-- policies -->\n| three |\n<!-- /policies -->\nfour | 5 | --- |") == 3
    assert words("one\n<!-- tables: make repairs -->\ntwo\n<!-- end of tables -->\n") == 1
