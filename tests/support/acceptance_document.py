"""The pages that tell the figures of the acceptance model."""

import re

from replay.play.users.acceptance.acceptance_model import BUNDLED


def document():
    """docs/users.md and the reference of the acceptance model, each paragraph on one line."""
    pages = (BUNDLED.parents[4] / "docs" / name for name in ("users.md", "reference/acceptance.md"))
    text = "\n\n".join(page.read_text(encoding="utf-8") for page in pages)
    return re.sub(r"(?<![\n|])\n +(?=[^|\s])|(?<![\n|])\n(?=\w)", " ", text)


def interval_in(text, value, interval, digits):
    return f"{value:.{digits}f} ({interval[0]:.{digits}f} to {interval[1]:.{digits}f})" in text
