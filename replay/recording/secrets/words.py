"""The lists of `words.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
ORDINARY = frozenset(_LISTS["ordinary"])
"""Values, in lower case, that many projects have in their settings."""
FOLDERS_OF_TOOLS = frozenset(_LISTS["folders_of_tools"])
"""Names of folders that tools fill with other people's code."""
