"""Notebooks: their cells are opened, changed and closed by messages of their own, and are documents like all others."""

from __future__ import annotations

from typing import Any

import cattrs
from lsprotocol import types
from pygls.protocol import lsp_method

from server.lsp.protocol import GhosttapeProtocol, Handling, content_change
from server.notebooks import OpenNotebooks

SYNC = types.NotebookDocumentSyncOptions([types.NotebookDocumentFilterWithNotebook("*")])
"""All notebooks, with the cells of every language."""


class NotebookProtocol(GhosttapeProtocol):
    """The protocol of this server, with notebooks."""

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:
        self.notebooks = OpenNotebooks()
        super().__init__(server, converter)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> Handling:
        """Open a notebook and its cells."""
        notebook = params.notebook_document
        self.notebooks.open(notebook.uri, [cell.document for cell in notebook.cells])
        for document in params.cell_text_documents:
            self.open_document(document)
        yield from self._run_feature(types.NOTEBOOK_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> Handling:
        """Insert, remove and move cells, and change their texts."""
        cells = params.change.cells
        if cells is not None and cells.structure is not None:
            self._rearranged(params.notebook_document.uri, cells.structure)
        for content in (cells and cells.text_content) or ():
            edits = [content_change(change) for change in content.changes]
            self._changed(content.document.uri, content.document.version, edits)
        yield from self._run_feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE, params)

    def _rearranged(self, uri: str, change: types.NotebookDocumentCellChangeStructure) -> None:
        array = change.array
        self.notebooks.splice(uri, array.start, array.delete_count, [cell.document for cell in array.cells or ()])
        for closed in change.did_close or ():
            self.close_document(closed.uri)
        for document in change.did_open or ():
            self.open_document(document)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: types.DidCloseNotebookDocumentParams) -> Handling:
        """Close a notebook and its cells."""
        self.notebooks.close(params.notebook_document.uri)
        for closed in params.cell_text_documents:
            self.close_document(closed.uri)
        yield from self._run_feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE, params)
