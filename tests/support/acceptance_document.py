"""The page of the documents that tells the figures of the acceptance model."""

import re

from replay.play.users.acceptance.model import BUNDLED


def document():
    """docs/users.md, each paragraph on one line."""
    text = (BUNDLED.parents[4] / "docs" / "users.md").read_text(encoding="utf-8")
    return re.sub(r"(?<![\n|])\n +(?=[^|\s])|(?<![\n|])\n(?=\w)", " ", text)


def interval_in(text, value, interval, digits):
    return f"{value:.{digits}f} ({interval[0]:.{digits}f} to {interval[1]:.{digits}f})" in text
