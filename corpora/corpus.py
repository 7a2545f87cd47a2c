"""A corpus of tasks: what a benchmark must tell, and the benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from corpora.errors import CorpusError
from replay.tasks import Task

CORPORA: Mapping[str, str] = MappingProxyType({"devbench": "corpora.devbench:DevBench"})
"""To add a benchmark: a file with a class that is a `Corpus`, made from the folder of its data, and a line here."""


class Corpus(Protocol):
    """The published data of a benchmark, in a folder of the person's."""

    @property
    def name(self) -> str:
        """The name by which it is chosen."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it has tasks in (LSP identifiers)."""
        ...

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories of its tasks."""
        ...

    def tasks(self, languages: Sequence[str], categories: Sequence[str], *, packages: bool) -> Sequence[Task]:
        """Read the tasks of these languages and categories, with or without packages that are not the language's own.

        Raises:
            DataError: the folder is not the benchmark's, or a file of it is malformed.

        """
        ...

    def published(self, model: str, tasks: Sequence[Task]) -> Mapping[str, tuple[str, ...]]:
        """Read the answers that were published with it, by the name of the task.

        Raises:
            DataError: there are none of this model, or a file is malformed.

        """
        ...


def corpus_of(name: str, data: Path) -> Corpus:
    """Return the corpus of that name, over the folder of its data.

    Raises:
        CorpusError: there is none of that name.

    """
    if name not in CORPORA:
        raise CorpusError(f"there is no corpus {name!r}: choose one of {', '.join(CORPORA)}")
    module, _, attribute = CORPORA[name].partition(":")
    return cast("Callable[[Path], Corpus]", getattr(import_module(module), attribute))(data)


def chosen(wanted: Sequence[str], known: Sequence[str], what: str, aliases: Mapping[str, str]) -> tuple[str, ...]:
    """Return the wanted ones of the known, in the order of the known; all when none is named.

    Raises:
        CorpusError: one is not known.

    """
    named = [aliases.get(name, name) for name in wanted]
    if unknown := next((name for name in named if name not in known), ""):
        raise CorpusError(f"no {what} is called {unknown!r}: choose of {', '.join(known)}")
    return tuple(name for name in known if name in named or not named)
