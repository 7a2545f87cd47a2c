"""A report's page, read by the HTML parser of the standard library: independent of what wrote it."""

import base64
import gzip
import json
from html.parser import HTMLParser


class ReadPage(HTMLParser):
    """The tags, scripts, tables and text of a page, and the values that are packed in it."""

    def __init__(self, path):
        super().__init__()
        self.path, self.source = path, path.read_text(encoding="utf-8")
        self.tags, self.text, self.scripts, self.tables = [], "", {}, []
        self._script = self._cell = None
        self.feed(self.source)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in {"script", "style"}:
            self._script = dict(attrs).get("id", tag)
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self._cell = ""

    def handle_endtag(self, tag):
        if tag in {"script", "style"}:
            self._script = None
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append(self._cell)
            self._cell = None

    def handle_data(self, data):
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data
            return
        self.text += data
        if self._cell is not None:
            self._cell += data

    def unpacked(self, name):
        return json.loads(gzip.decompress(base64.b64decode(self.scripts[name])))

    @property
    def index(self):
        return self.unpacked("index")

    @property
    def moments(self):
        """Moment's id → its details."""
        found = [one for at in range(len(self.index["chunks"])) for one in self.unpacked(f"chunk-{at}")]
        return dict(zip((row[0] for row in self.index["rows"]), found, strict=True))

    def rows(self):
        """Each row of each table by its first cell."""
        return {row[0]: row[1:] for table in self.tables for row in table if row}


def texts(value):
    """All texts in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
