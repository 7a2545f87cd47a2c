"""Import of git history: each commit of a range becomes a session in which a person might have typed it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corpora.errors import HistoryError
from corpora.history.reports import HistoryReport, SkippedCommit, TypedCommit
from corpora.history.repository.commit_tests import commit_tests_of
from corpora.history.repository.commits import Commit, Repository
from corpora.history.repository.files import CommitFiles, files_of
from corpora.history.session.distributions import Distributions, named_distributions
from corpora.history.session.session import tasks, typed
from corpora.history.session.span_typist import KeyCounts
from corpora.typing.typist import EDITOR
from replay.tapes.documents import verify
from replay.tapes.placing import place, workshop, would_change
from replay.tapes.tape import Embedded, Header, Tape, write

CHARACTERS = 20_000
"""A commit with more characters to type than this is left out."""
_SHORT = 10
_MS_A_MINUTE = 60_000


def import_history(
    repo: str,
    revisions: str,
    seed: int,
    out: Path,
    notify: Callable[[str], None],
    *,
    characters: int = CHARACTERS,
    distributions: Distributions | None = None,
    force: bool = False,
) -> HistoryReport:
    """Write a tape `REPO-SHA.tape.jsonl` into `out` for each commit of a range `A..B` (or for the one commit `A`).

    Commits follow the first parents, the oldest first. The same commit and seed give the same tape, byte for byte, whatever the
    range is. A tape is written whole, after a replay showed that every document ends with the text of the commit.
    `characters` limits the text that is typed for one commit. `notify` is called with a message for each commit. A file with
    another content is replaced only with `force`.

    Raises:
        HistoryError: the repository or the range does not exist, the clone lacks an object, `out` cannot be written, or
            it has another tape of the same name.

    """
    settings = _Settings(seed, out, distributions or named_distributions(), characters, force)
    tapes: list[TypedCommit] = []
    skipped: list[SkippedCommit] = []
    with Repository(repo) as repository:
        commits = repository.commits(revisions)
        for number, commit in enumerate(commits, 1):
            done = _import(repository, commit, settings)
            notify(f"{number}/{len(commits)} {commit.sha[:_SHORT]}: {_message(done)}")
            (tapes if isinstance(done, TypedCommit) else skipped).append(done)  # type: ignore[arg-type]
        return HistoryReport(repository.name, revisions, seed, tuple(tapes), tuple(skipped))


@dataclass(frozen=True, slots=True)
class _Settings:
    """The arguments of `import_history` that hold for each commit."""

    seed: int
    out: Path
    distributions: Distributions
    characters: int
    force: bool


def _import(repository: Repository, commit: Commit, settings: _Settings) -> TypedCommit | SkippedCommit:
    if len(commit.parents) > 1:
        return SkippedCommit(commit.sha, f"a merge: import its commits as {_brought(commit)}")
    files = files_of(repository, commit)
    given = tasks(files.documents, files.elsewhere)
    if not given:
        return SkippedCommit(commit.sha, f"nothing to type: {_reasons(files)}")
    wanted = sum(task.characters for task in given)
    if wanted > settings.characters:
        return SkippedCommit(
            commit.sha, f"{wanted} characters would have to be typed, and the limit is {settings.characters}"
        )
    chance = random.Random(f"{settings.seed}:{commit.sha}")  # noqa: S311  # a session, not a secret
    events, count = typed(given, chance, settings.distributions)
    name = f"{repository.name}-{commit.sha[:_SHORT]}"
    tape = Tape(_header(name, commit, settings.seed, files), tuple(events), name)
    verify(tape)
    target = settings.out / f"{name}.tape.jsonl"
    _write(tape, target, force=settings.force)
    return _report(tape, commit, files, count, target)


def _write(tape: Tape, target: Path, *, force: bool) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with workshop(target.parent, ".ghosttape-import-") as made:
            write(tape, made / target.name)
            if not force and would_change(made / target.name, target):
                raise HistoryError(
                    f"{target} exists already, with another content: choose another folder (-o), or replace it (--force)"
                )
            place({made / target.name: target})
    except OSError as error:
        raise HistoryError(f"{target}: the tape cannot be written: {error.strerror}") from error


def _header(name: str, commit: Commit, seed: int, files: CommitFiles) -> Header:
    """The header of a commit's tape; `carried` has the commit, and its files that are not typed."""
    final = files.project | {document.path: document.new for document in files.documents}
    left_out = [[each.path, each.reason] for each in files.left_out]
    return Header(
        tape=1,
        id=name,
        editor=EDITOR,
        origin="synthesised",
        workspace=Embedded(files.project),
        tests=commit_tests_of(final),
        created=commit.authored,
        carried={"git": {"commit": commit.sha, "parents": list(commit.parents), "seed": seed, "left_out": left_out}},
    )


def _report(tape: Tape, commit: Commit, files: CommitFiles, count: KeyCounts, target: Path) -> TypedCommit:
    return TypedCommit(
        commit=commit.sha,
        tape=str(target),
        events=len(tape.events),
        documents=len(files.documents),
        typed=count.typed,
        deleted=count.deleted,
        typos=count.typos,
        pastes=count.pastes,
        minutes=round(tape.events[-1].t / _MS_A_MINUTE, 1),
        left_out=tuple(files.left_out),
        lacking=dict(files.lacking),
        tests=tape.header.tests is not None,
    )


def _reasons(files: CommitFiles) -> str:
    return "; ".join(sorted({each.reason for each in files.left_out})) or "it changes no file"


def _brought(commit: Commit) -> str:
    """The range of the commits that a merge added."""
    first, second = (parent[:_SHORT] for parent in commit.parents[:2])
    return f"{first}..{second}"


def _message(done: TypedCommit | SkippedCommit) -> str:
    if isinstance(done, SkippedCommit):
        return f"left out: {done.reason}"
    return f"{done.documents} documents, {done.typed} keys, {done.typos} typos, {done.pastes} pastes"
