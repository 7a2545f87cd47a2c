"""Where the data of a benchmark is."""

from __future__ import annotations

from pathlib import Path

from corpora.corpus import card_of
from corpora.fetching import data_folder
from tui.errors import ConfigurationError


def data_of(name: str, named: Path | None) -> Path:
    """The folder of a benchmark's data: the named one, or where `corpora get` keeps it.

    Raises:
        CorpusError: there is no benchmark of that name.
        ConfigurationError: no folder is named, and the data was not fetched.

    """
    card_of(name)
    if named is not None:
        return named
    if (kept := data_folder(name)).is_dir():
        return kept
    raise ConfigurationError(
        f"the data of {name} is not here: `ghosttape corpora get {name}` fetches it, or name its folder with --data"
    )
