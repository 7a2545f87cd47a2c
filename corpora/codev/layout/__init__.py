"""The layout in which Codev-Bench is published: written, so that its own scripts can judge samples of ghosttape, and read by path."""

from corpora.codev.layout.published_layout import LayoutTask, PublishedLayout, read_layout
from corpora.codev.layout.writing import LayoutPart, write_layout

__all__ = ["LayoutPart", "LayoutTask", "PublishedLayout", "read_layout", "write_layout"]
