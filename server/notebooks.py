"""The notebooks that an editor has open: their cells in order. Each cell is a document of its own (LSP 3.17, "Notebook Document Synchronization")."""

from __future__ import annotations

from collections.abc import Sequence

from server.errors import DocumentError


class OpenNotebooks:
    """URIs of notebooks, with the URIs of their cells from the first to the last."""

    def __init__(self) -> None:
        self._cells: dict[str, tuple[str, ...]] = {}
        self._notebooks: dict[str, str] = {}

    def open(self, uri: str, cells: Sequence[str]) -> None:
        """Take a notebook in."""
        self._keep(uri, tuple(cells))

    def splice(self, uri: str, start: int, deleted: int, cells: Sequence[str]) -> None:
        """Replace `deleted` cells from index `start` by other ones.

        Raises:
            DocumentError: the notebook is not open, or has no such cells.

        """
        if uri not in self._cells:
            raise DocumentError(f"{uri} is not open: send notebookDocument/didOpen first")
        now = self._cells[uri]
        if not 0 <= start <= start + deleted <= len(now):
            raise DocumentError(f"cells {start} to {start + deleted} are outside of {uri}, which has {len(now)}")
        self._keep(uri, (*now[:start], *cells, *now[start + deleted :]))

    def close(self, uri: str) -> None:
        """Forget a notebook."""
        self._keep(uri, ())
        self._cells.pop(uri, None)

    def around(self, cell: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The cells above and below one; none if it is in no notebook."""
        cells = self._cells.get(self._notebooks.get(cell, ""), ())
        at = cells.index(cell) if cell in cells else 0
        return cells[:at], cells[at + 1 :]

    def _keep(self, uri: str, cells: tuple[str, ...]) -> None:
        for cell in self._cells.get(uri, ()):
            self._notebooks.pop(cell, None)
        self._cells[uri] = cells
        self._notebooks.update(dict.fromkeys(cells, uri))
