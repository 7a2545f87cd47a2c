"""The layout in which Codev-Bench is published: written, so that its own scripts can judge samples of ghosttape, and read by path."""

from corpora.codev.layout.layout_writer import LayoutPart, write_layout
from corpora.codev.layout.published_layout import LayoutTask, PublishedLayout, read_layout

__all__ = ["LayoutPart", "LayoutTask", "PublishedLayout", "read_layout", "write_layout"]
