"""Where the data of a benchmark is."""

from __future__ import annotations

from pathlib import Path

from corpora.corpus import name_in
from corpora.fetching import data_folder
from corpora.mined.corpus_file import is_corpus_file
from corpora.registry import card_of
from tui.errors import ConfigurationError


def named_corpus(name: str, data: Path | None) -> tuple[str, Path]:
    """The name of a corpus and where its data is. A mined corpus, and one of blocks, is named by its file, which is its data.

    Raises:
        CorpusError: there is no benchmark of that name, or the file is no corpus.
        ConfigurationError: no folder is named, and the data was not fetched; or a file and a folder are named.

    """
    if is_corpus_file(name):
        if data is not None:
            raise ConfigurationError(
                f"{name} is a mined corpus, and has no other data: leave --data out, or say where its repository is with --project"
            )
        return name_in(Path(name)), Path(name)
    if data is not None and data.is_file():
        return name_in(data), data
    return name, data_of(name, data)


def data_of(name: str, named: Path | None) -> Path:
    """The folder of a benchmark's data: the named one, or where `corpora get` keeps it.

    Raises:
        CorpusError: there is no benchmark of that name.
        ConfigurationError: no folder is named, and the data was not fetched.

    """
    card = card_of(name)
    if named is not None:
        return named
    if (kept := data_folder(name)).is_dir():
        return kept
    if not card.url:
        raise ConfigurationError(
            f"nothing is bundled with {name}: name with --data {card.needs or 'the folder of its data'}"
        )
    raise ConfigurationError(
        f"the data of {name} is not here: `ghosttape corpora get {name}` fetches it, or name its folder with --data"
    )
