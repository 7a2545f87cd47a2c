"""The benchmarks by name. To add one: a folder with a class that is a `Corpus`, made from the folder of its data, and a card here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class CorpusCard:
    """What a benchmark is, and where its data comes from."""

    reader: str
    """Module and class of the `Corpus`."""
    about: str
    paper: str
    licence: str
    """Of the data; nothing is bundled."""
    tasks: int
    languages: tuple[str, ...]
    """LSP identifiers."""
    url: str
    """The git repository of the data."""
    commit: str
    paths: tuple[str, ...]
    """What is taken of the repository: files and folders."""
    digests: Mapping[str, str]
    """Pattern of files → the digest of all of them (`corpora.fetching.digest`): they must be those of the benchmark."""


CORPORA: Mapping[str, CorpusCard] = MappingProxyType(
    {
        "devbench": CorpusCard(
            reader="corpora.devbench:DevBench",
            about="gaps in programs that test themselves, in 6 categories",
            paper="Golnari et al. 2026, arXiv 2601.11895",
            licence="MIT",
            tasks=1800,
            languages=("python", "javascript", "typescript", "java", "cpp", "csharp"),
            url="https://github.com/microsoft/devbench",
            commit="b22ecf89401ea0fc9d74c71ed605cd9105248449",
            paths=("LICENSE", "benchmark", "completions"),
            digests={
                "benchmark/**/*.jsonl": "7d97edde95ce0340acedb57a7a8160e1d9c4989dfe3b5416ca980153ff008b80",
            },
        ),
    }
)
"""Name → card."""
