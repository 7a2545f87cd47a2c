"""The lists of `word_lists.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_name("word_lists.toml").read_text("utf-8"))
ORDINARY = frozenset(_LISTS["ordinary"])
"""Values, in lower case, that many projects have in their settings."""
FOLDERS_OF_TOOLS = frozenset(_LISTS["folders_of_tools"])
"""Names of folders that tools fill with other people's code."""
FILES_OF_TOOLS: dict[str, list[str]] = _LISTS["files_of_tools"]
"""For the name of such a folder, the files in it that the keys of a person get into: patterns of paths in the folder."""
_COMMAND_LINES: dict[str, list[str]] = _LISTS["command_lines"]
HARMLESS_VARIABLES = frozenset(_COMMAND_LINES["variables"])
"""Variables in front of a command whose value is no secret."""
EXPRESSIONS = frozenset(_COMMAND_LINES["expressions"])
"""Options of test runners whose value chooses tests."""
HARMLESS_OPTIONS = EXPRESSIONS | frozenset(_COMMAND_LINES["options"])
"""Options that have no value, or one that is no secret."""
