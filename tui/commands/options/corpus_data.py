"""Where the data of a benchmark is."""

from __future__ import annotations

from pathlib import Path

from corpora.codev.samples import is_samples_file, read_samples_head
from corpora.corpus import CODEV, card_of
from corpora.fetching import data_folder
from corpora.mined.corpus_file import is_corpus_file, read_head
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
        return _name_in(Path(name)), Path(name)
    if data is not None and data.is_file():
        return _name_in(data), data
    if name == CODEV and data is None:
        raise ConfigurationError(
            "nothing is bundled with codev: name with --data a corpus of `ghosttape corpora build codev`, or a folder in the published layout (docs/codev.md)"
        )
    if name == CODEV and data is not None:
        return name, data
    return name, data_of(name, data)


def _name_in(file: Path) -> str:
    """The name that a file of a corpus gives itself, be it of blocks or mined."""
    return read_samples_head(file).name if is_samples_file(file) else read_head(file).name


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
