"""A corpus of tasks: what a benchmark must tell, and the benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, cast, runtime_checkable

from msgspec import structs

from corpora.errors import CorpusError
from corpora.evaluation_options import EvaluateOptions, ProgramForm
from corpora.registry import CorpusCard, card_of, cards
from corpora.tasks import Task
from replay.numbers.section import Section
from server.nearest import did_you_mean
from server.settings import ContextSettings


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


def corpus_of(name: str, data: Path, /, **choices: Any) -> Corpus:
    """Return the corpus of that name, over its data; where the data is a file, its first bytes say which corpus it is.

    Its reader is given those of the `choices` that its card names. `project` is the folder of its repository (empty: where it was),
    `allowed` what its set-up gets.

    Raises:
        CorpusError: there is none of that name, or it has no use for a choice that is not the usual one.

    """
    card = card_for(name, data)
    having: dict[str, list[str]] = {}
    for one, other in cards().items():
        for choice in (*other.choices, *other.options):
            having.setdefault(choice, []).append(one)
    for choice, known in having.items():
        usual = _USUAL.get(choice)
        chosen = choices.get(choice, usual)
        if choice in _USUAL and choice not in {*card.choices, *card.options} and chosen != usual:
            flag = f"--{choice.replace('_', '-')}"
            words = ",".join(chosen) if isinstance(chosen, tuple) else chosen
            raise CorpusError(f"{flag} is about {', '.join(known)}, and {name} has none: leave {flag} {words} out")
    given = {choice: value for choice, value in choices.items() if choice in card.choices}
    return cast("Corpus", _attribute(card.reader)(data, **given))


_USUAL: Mapping[str, Any] = MappingProxyType({one.name: one.default for one in structs.fields(EvaluateOptions)})
"""What a person has chosen who has chosen nothing."""


def usual_context(name: str, data: Path, choices: Mapping[str, Any]) -> ContextSettings:
    """Return what a prompt has of the project where nobody chooses it, for the `choices` (members of `EvaluateOptions`) of an evaluation.

    Raises:
        CorpusError: two choices do not go together.

    """
    card = card_for(name, data)
    return cast("ContextSettings", _attribute(card.usual_context)(choices)) if card.usual_context else ContextSettings()


def card_for(name: str, data: Path) -> CorpusCard:
    """Return the card of the corpus of that name over its data, as in `corpus_of`.

    Raises:
        CorpusError: there is none of that name.

    """
    if not data.is_file():
        return card_of(name)
    return next((card for card in cards().values() if card.head and is_headed(data, card.head)), None) or card_of(MINED)


def own_figures(
    tasks: Sequence[Task], records: Sequence[Any], outcomes: Sequence[Any], options: EvaluateOptions
) -> dict[str, Any]:
    """What the summary of an evaluation has of this corpus alone; nothing of most."""
    place = card_for(options.corpus, Path(options.data)).figures
    figures: dict[str, Any] = _attribute(place)(tasks, records, outcomes, options) if place else {}
    return figures


def own_sections(summary: Mapping[str, Any]) -> Iterator[Section]:
    """Yield the tables of what a summary has of its corpus alone; of a corpus in a file, whose name is its own, those of all such corpora."""
    known, name = cards(), str(summary.get("corpus"))
    for each, card in ({name: known[name]} if name in known else known).items():
        if card.sections and (each == name or card.head):
            try:
                yield from _attribute(card.sections)(summary)
            except Exception as error:  # noqa: BLE001 - a table that a package cannot make takes no other with it
                yield Section(
                    f"a table of {each} cannot be made", ["", "meaning"], [[type(error).__name__, str(error)]]
                )


MINED = "mined"
"""The name of the corpora of `corpora mine`. Their reader says what is wrong with a file that is of no kind."""


def name_in(file: Path) -> str:
    """The name that the file of a corpus gives itself.

    Raises:
        CorpusError: the file is no corpus.

    """
    card = card_for(MINED, file)
    if card.name_in:
        return cast("str", _attribute(card.name_in)(file))
    return next(name for name, other in cards().items() if other is card)


def is_headed(file: Path, start: bytes) -> bool:
    """Whether a file begins with some bytes; not if it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(len(start)) == start
    except OSError:
        return False


def _attribute(place: str) -> Callable[..., Any]:
    module, _, attribute = place.partition(":")
    return cast("Callable[..., Any]", getattr(import_module(module), attribute))


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
