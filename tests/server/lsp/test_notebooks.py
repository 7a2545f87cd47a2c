"""Notebooks: a request in a cell sees the cells above and below it, in their order and as they are now."""

import pytest
from lsprotocol import types

BOOK = "file:///project/book.ipynb"
CODE, MARKUP = types.NotebookCellKind.Code, types.NotebookCellKind.Markup


def uri(name):
    return f"vscode-notebook-cell:/project/book.ipynb#{name}"


def text_of(name, text, language="python"):
    return types.TextDocumentItem(uri(name), language, 1, text)


def cell(name, kind=CODE):
    return types.NotebookCell(kind, uri(name))


class Book:
    """A notebook in an editor with a real server, whose model server notes what it was asked."""

    def __init__(self, editor, model_server):
        self.editor, self.model_server, self.version = editor, model_server, 1
        texts = [
            text_of("a", "import os"),
            text_of("m", "# Title", "markdown"),
            text_of("b", "y = \n"),
            text_of("c", "print(y)\n"),
        ]
        cells = [cell("a"), cell("m", MARKUP), cell("b"), cell("c")]
        book = types.NotebookDocument(BOOK, "jupyter-notebook", 1, cells)
        editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(book, texts))

    def change(self, **cells):
        self.version += 1
        book = types.VersionedNotebookDocumentIdentifier(self.version, BOOK)
        change = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(**cells))
        self.editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(book, change))

    def arrange(self, start, deleted, cells=(), opened=(), closed=()):
        array = types.NotebookCellArrayChange(start, deleted, list(cells))
        gone = [types.TextDocumentIdentifier(uri(name)) for name in closed]
        self.change(structure=types.NotebookDocumentCellChangeStructure(array, list(opened), gone))

    def edit(self, name, version, where, text):
        place = types.Range(types.Position(*where), types.Position(*where))
        document = types.VersionedTextDocumentIdentifier(version, uri(name))
        changes = [types.TextDocumentContentChangePartial(place, text)]
        self.change(text_content=[types.NotebookDocumentCellContentChanges(document, changes)])

    async def asked(self, name, *where):
        """The text before and after the cursor that the model is given; `where` is a position in the cell."""
        self.model_server.asked.clear()
        await self.editor.request(*where, uri=uri(name))
        ((_, body, _),) = self.model_server.asked
        return body["prompt"], body["suffix"]


@pytest.fixture
async def book(start, model_server):
    provider = {"name": "openai", "base_url": model_server.base_url, "model": "m", "api": "suffix"}
    return Book(await start({"provider": provider, "cache": {"entries": 0}}), model_server)


async def test_the_cells_above_and_below_are_before_and_after_the_cursor(book):
    before, after = await book.asked("b", 0, 4)
    assert before.endswith("import os\ny = ")
    assert after.rstrip("\n") == "\n\nprint(y)"
    assert "Title" not in before + after


async def test_the_first_and_the_last_cell_see_one_side(book):
    before, after = await book.asked("a", 0, 9)
    assert before.endswith("import os")
    assert after.split() == ["y", "=", "print(y)"]
    before, after = await book.asked("c", 1, 0)
    assert before.endswith("import os\ny = \nprint(y)\n")
    assert not after


async def test_cells_that_change_move_come_and_go_are_seen_as_they_are(book):
    book.edit("a", 2, (0, 9), ", re")
    assert (await book.asked("b", 0, 4))[0].endswith("import os, re\ny = ")
    book.arrange(1, 0, [cell("n")], [text_of("n", "z = 1")])
    assert (await book.asked("b", 0, 4))[0].endswith("import os, re\nz = 1\ny = ")
    book.arrange(0, 1, closed=["a"])
    before, _ = await book.asked("b", 0, 4)
    assert before.endswith("z = 1\ny = ")
    assert "\nimport os" not in before, "the edit may be named, the cell is gone"
    book.arrange(0, 4, [cell("c"), cell("b"), cell("n")])
    before, after = await book.asked("b", 0, 4)
    assert before.endswith("print(y)\ny = ")
    assert after.split() == ["z", "=", "1"]


async def test_an_answer_ends_up_at_its_place_in_the_cell(book):
    book.model_server.pieces = ["len(os.sep)\n"]
    (item,) = await book.editor.request(0, 4, uri=uri("b"))
    assert item.insert_text.strip() == "len(os.sep)"
    assert item.range.start == types.Position(0, 4)


async def test_a_closed_notebook_leaves_nothing_and_other_documents_go_on(book):
    gone = [types.TextDocumentIdentifier(uri(name)) for name in "ambc"]
    book.editor.client.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(BOOK), gone)
    )
    book.editor.open("y = \n", "file:///project/plain.py")
    book.model_server.asked.clear()
    await book.editor.request(0, 4, uri="file:///project/plain.py")
    ((_, body, _),) = book.model_server.asked
    assert "import os" not in body["prompt"]


async def test_changes_of_cells_that_are_not_there_are_shown_and_change_nothing(book):
    book.arrange(9, 3)
    assert (await book.asked("b", 0, 4))[0].endswith("import os\ny = ")
    assert any("outside of" in message for message in book.editor.shown)


async def test_the_server_announces_notebooks(start):
    general = types.NotebookDocumentClientCapabilities(types.NotebookDocumentSyncClientCapabilities())
    editor = await start({"provider": {"name": "fixed"}}, notebook_document=general)
    (selector,) = editor.greeted.capabilities.notebook_document_sync.notebook_selector
    assert selector.notebook == "*"
