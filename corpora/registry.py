"""The benchmarks by name: entry points of the group `ghosttape.corpora`, each a `CorpusCard`. Ours are registered as those of other packages are (docs/extending.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

from corpora.errors import CorpusError
from replay.options import ClusterBy
from server.nearest import did_you_mean
from syntax.entry_points import extensions


@dataclass(frozen=True, slots=True)
class CorpusCard:
    """What a benchmark is, and where its data comes from."""

    reader: str
    """Module and class of the `Corpus`."""
    about: str
    paper: str = ""
    licence: str = ""
    """Of the data; nothing is bundled."""
    tasks: int = 0
    languages: tuple[str, ...] = ()
    """LSP identifiers."""
    url: str = ""
    """The git repository of the data; empty: it cannot be fetched, and `--data` names its folder."""
    commit: str = ""
    paths: tuple[str, ...] = ()
    """What is taken of the repository: files and folders."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Pattern of files → the digest of all of them (`corpora.fetching.digest`): they must be those of the benchmark."""
    answers_at: str = ""
    """The pattern of the files with the published answers of a `{model}`; empty: none were published."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """Model → the digest of its files. A local copy may lack models, but may not have others, nor other answers."""
    needs: str = ""
    """What `--data` names, where the data cannot be fetched."""
    head: bytes = b""
    """What a file of the corpus begins with; empty: its data is a folder."""
    name_in: str = ""
    """Module and function from a file to the name that it gives itself; empty: it is called as its entry point is."""
    choices: tuple[str, ...] = ()
    """What its reader takes beside its data, by keyword: `project`, `allowed`, and members of `corpora.evaluation_options.EvaluateOptions`."""
    figures: str = ""
    """Module and function of what the summary of an evaluation has beside the figures of every corpus: from tasks, records,
    outcomes and options to members of the summary (`corpora.run.scores`)."""
    sections: str = ""
    """Module and function from the summary of an evaluation to the `replay.numbers.section.Section`s that its table has of
    those figures; none of a summary without them."""
    error_classes: Mapping[str, str] = field(default_factory=dict)
    """Those classes of `corpora.run.error_classes` that the benchmark's paper has → their meanings; empty: they are not shown."""
    options: tuple[str, ...] = ()
    """Further members of `EvaluateOptions` that only some benchmarks have, and this one does."""
    usual_context: str = ""
    """Module and function from the chosen members of `EvaluateOptions` to the `ContextSettings` that hold where nobody
    chooses others. It raises `CorpusError` for choices that do not go together."""
    cluster_by: ClusterBy = "program"
    """What is not independent: gaps of one program, or of one function."""


@cache
def known_corpora() -> tuple[str, ...]:
    """The names of all benchmarks. No card is loaded."""
    return tuple(extensions("corpora"))


@cache
def card_of(name: str) -> CorpusCard:
    """Return the card of the corpus of that name.

    Raises:
        CorpusError: there is none of that name, or what the package registers cannot be imported or is no card.

    """
    known = extensions("corpora")
    if not known:
        raise CorpusError("no benchmark is registered, not even one of ours: install ghosttape anew (make setup)")
    if name not in known:
        raise CorpusError(f"there is no corpus {name!r}{did_you_mean(name, known)}: choose one of {', '.join(known)}")
    card = known[name].load_or(CorpusError)
    if not isinstance(card, CorpusCard):
        raise CorpusError(
            f"corpus {name!r} of {known[name].origin}: its entry point is no CorpusCard, but {card!r:.80}"
        )
    return card


def error_classes(names: Iterable[str]) -> Mapping[str, str]:
    """Return the classes of failures in the papers of some corpora, with their meanings; a corpus that is not registered has none."""
    found: dict[str, str] = {}
    for name in names:
        with suppress(CorpusError):
            found = {**card_of(name).error_classes, **found}
    return found


def cards() -> Mapping[str, CorpusCard]:
    """All benchmarks by name. Of other packages only those that can be loaded: `ghosttape doctor` names the broken ones."""
    found = {}
    for name in known_corpora():
        with suppress(CorpusError):
            found[name] = card_of(name)
    return found
