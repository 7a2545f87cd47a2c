"""A corpus of tasks: what a benchmark must tell, and the benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, cast, runtime_checkable

from corpora.errors import CorpusError
from corpora.options import ProgramForm, Scenario, Scoring
from corpora.registry import CORPORA, CorpusCard
from corpora.tasks import Task
from server.nearest import did_you_mean

NOTHING_ALLOWED: Mapping[str, Any] = MappingProxyType({})


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

    @property
    def lacking(self) -> Mapping[str, str]:
        """The programs that cannot be tested with this data on any machine, by name, and why.

        Raises:
            DataError: the folder is not the benchmark's, or a file of it is malformed.

        """
        ...

    def tasks(
        self, languages: Sequence[str], categories: Sequence[str], *, packages: bool, programs: ProgramForm = "editor"
    ) -> Sequence[Task]:
        """Read the tasks of these languages and categories, with or without packages that are not the language's own.

        `programs` says how their programs are put together.

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

    def errors(self, model: str, tasks: Sequence[Task]) -> Mapping[str, str]:
        """Read what was published in place of answers where the model's server failed, by the name of the task.

        Such a text is no answer, but the scores that were published with the benchmark may count it as one.

        Raises:
            DataError: a file is malformed.

        """
        ...


@runtime_checkable
class ShowsEvidence(Protocol):
    """A corpus whose tasks come with pieces of other places."""

    async def with_evidence(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks with what a model is shown of other places.

        Raises:
            ProviderError: embeddings, by which pieces are found, cannot be made.

        """
        ...


def card_of(name: str) -> CorpusCard:
    """Return the card of the corpus of that name.

    Raises:
        CorpusError: there is none of that name.

    """
    if name not in CORPORA:
        raise CorpusError(
            f"there is no corpus {name!r}{did_you_mean(name, CORPORA)}: choose one of {', '.join(CORPORA)}"
        )
    return CORPORA[name]


MINED = "corpora.mined.corpus:MinedCorpus"
"""Module and class of the corpora that are files."""
BLOCKS = "corpora.codev.corpus:CodevCorpus"
"""Module and class of the corpora of blocks."""
CODEV = "codev"
"""The name of the corpora of blocks in the published layout."""
BLOCKS_HEAD = b'{"codev":'
"""What a file of blocks begins with."""


def corpus_of(
    name: str,
    data: Path,
    *,
    project: str = "",
    allowed: Mapping[str, Any] = NOTHING_ALLOWED,
    scoring: Scoring = "answer",
    scenario: Scenario = 1,
    embeddings: str = "",
) -> Corpus:
    """Return the corpus of that name, over the folder of its data; where the data is a file, that is a mined corpus or one of blocks, and names itself.

    Its repository is in the folder `project` (empty: where it was mined), and its set-up gets what is `allowed`. Blocks are asked about as in a `scenario`; `embeddings` say what their functions are compared by.

    Raises:
        CorpusError: there is none of that name, or it has no such scoring.

    """
    if scoring != "answer":
        return _scored(name, data, scoring)
    folder = Path(project) if project else None
    if is_of_blocks(name, data):
        return cast("Corpus", _reader(BLOCKS)(data, scenario, folder, allowed, embeddings))
    if scenario != 1:
        raise CorpusError(f"only a corpus of blocks ({CODEV}) has scenarios: leave --scenario {scenario} out")
    if data.is_file():
        return cast("Corpus", _reader(MINED)(data, folder, allowed))
    return cast("Corpus", _reader(card_of(name).reader)(data))


def is_of_blocks(name: str, data: Path) -> bool:
    """Whether a corpus is one of blocks: a file of `corpora build codev`, or a folder in the published layout that is called so."""
    return is_headed(data, BLOCKS_HEAD) if data.is_file() else name == CODEV


def is_headed(file: Path, start: bytes) -> bool:
    """Whether a file begins with some bytes; not if it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(start)) == start
    except OSError:
        return False


def _scored(name: str, data: Path, scoring: Scoring) -> Corpus:
    if data.is_file() or not card_of(name).has_scorings:
        known = ", ".join(name for name, card in CORPORA.items() if card.has_scorings)
        raise CorpusError(f"only {known} has a post-processor of its own: leave --scoring {scoring} out")
    return cast("Corpus", _reader(card_of(name).reader)(data, scoring=scoring))


def _reader(place: str) -> Callable[..., object]:
    module, _, attribute = place.partition(":")
    return cast("Callable[..., object]", getattr(import_module(module), attribute))


LANGUAGE_NAMES: Mapping[str, str] = MappingProxyType(
    {"c_sharp": "csharp", "c#": "csharp", "c++": "cpp", "js": "javascript", "ts": "typescript", "py": "python"}
)
"""Other names of languages that a person may know them by."""


def chosen(
    corpus: Corpus, languages: Sequence[str], categories: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The named languages and categories in the corpus' own words and order; all of them where none is named.

    Raises:
        CorpusError: one is not known.

    """
    named = [LANGUAGE_NAMES.get(language, language) for language in languages]
    return _known(named, corpus.languages, "language"), _known(categories, corpus.categories, "category")


def _known(named: Sequence[str], known: Sequence[str], what: str) -> tuple[str, ...]:
    if unknown := next((name for name in named if name not in known), ""):
        raise CorpusError(
            f"no {what} is called {unknown!r}{did_you_mean(unknown, known)}: choose one of {', '.join(known)}"
        )
    return tuple(name for name in known if name in named or not named)
