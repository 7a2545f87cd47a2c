"""Import of git history: each commit of a range becomes the session in which a person might have typed it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corpora.errors import HistoryError
from corpora.history.commits import Commit, Repository
from corpora.history.distributions import Distributions, named_distributions
from corpora.history.files import Files, files_of
from corpora.history.hands import Count
from corpora.history.reports import HistoryReport, SkippedCommit, TypedCommit
from corpora.history.session import tasks, typed
from corpora.history.testing import how_tested
from corpora.typist import EDITOR
from replay.documents import verify
from replay.placing import place, workshop, would_change
from replay.tape import Embedded, Header, Tape, write

CHARACTERS = 20_000
"""A commit in which more characters than this would have to be typed is left out."""
_SHORT = 10
_MS_A_MINUTE = 60_000


def import_history(
    repo: str,
    revisions: str,
    seed: int,
    out: Path,
    told: Callable[[str], None],
    *,
    characters: int = CHARACTERS,
    distributions: Distributions | None = None,
    force: bool = False,
) -> HistoryReport:
    """Write a tape `REPO-SHA.tape.jsonl` into `out` for each commit of a range `A..B` (or for the one commit `A`).

    Commits are taken by their first parents, the oldest first. The same commit and seed give the same tape, byte for byte, whatever the
    range. A tape appears whole or not at all, and only after it was played once and every document was found to end in the
    commit's blob. `characters` limits how many are typed for one commit; `told` hears of each. Another content that stands in the
    place of a tape is replaced only with `force`.

    Raises:
        HistoryError: there is no such repository or range, the clone lacks an object, `out` cannot be written, or holds another tape of a
            commit's name.

    """
    order = _Order(seed, out, distributions or named_distributions(), characters, force)
    tapes: list[TypedCommit] = []
    skipped: list[SkippedCommit] = []
    with Repository(repo) as repository:
        commits = repository.commits(revisions)
        for number, commit in enumerate(commits, 1):
            done = _import(repository, commit, order)
            told(f"{number}/{len(commits)} {commit.sha[:_SHORT]}: {_told(done)}")
            (tapes if isinstance(done, TypedCommit) else skipped).append(done)  # type: ignore[arg-type]
        return HistoryReport(repository.name, revisions, seed, tuple(tapes), tuple(skipped))


@dataclass(frozen=True, slots=True)
class _Order:
    """What was asked for."""

    seed: int
    out: Path
    drawn: Distributions
    characters: int
    force: bool


def _import(repository: Repository, commit: Commit, order: _Order) -> TypedCommit | SkippedCommit:
    if len(commit.parents) > 1:
        return SkippedCommit(commit.sha, f"a merge: import what it brought as {_brought(commit)}")
    files = files_of(repository, commit)
    given = tasks(files.documents, files.elsewhere)
    if not given:
        return SkippedCommit(commit.sha, f"nothing to type: {_reasons(files)}")
    wanted = sum(task.characters for task in given)
    if wanted > order.characters:
        return SkippedCommit(
            commit.sha, f"{wanted} characters would have to be typed, and the limit is {order.characters}"
        )
    chance = random.Random(f"{order.seed}:{commit.sha}")  # noqa: S311  # a session, not a secret
    events, count = typed(given, chance, order.drawn)
    name = f"{repository.name}-{commit.sha[:_SHORT]}"
    tape = Tape(_header(name, commit, order.seed, files), tuple(events), name)
    verify(tape)
    target = order.out / f"{name}.tape.jsonl"
    _write(tape, target, force=order.force)
    return _report(tape, commit, files, count, target)


def _write(tape: Tape, target: Path, *, force: bool) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with workshop(target.parent, ".ghosttape-import-") as made:
            write(tape, made / target.name)
            if not force and would_change(made / target.name, target):
                raise HistoryError(
                    f"{target} stands there already, with another content: import elsewhere (-o), or replace it (--force)"
                )
            place({made / target.name: target})
    except OSError as error:
        raise HistoryError(f"{target}: the tape cannot be written: {error.strerror}") from error


def _header(name: str, commit: Commit, seed: int, files: Files) -> Header:
    """The header of a commit's tape; `carried` says which commit it is, and what of it is not typed."""
    final = files.project | {document.path: document.new for document in files.documents}
    left_out = [[each.path, each.reason] for each in files.left_out]
    return Header(
        tape=1,
        id=name,
        editor=EDITOR,
        origin="synthesised",
        workspace=Embedded(files.project),
        tests=how_tested(final),
        created=commit.authored,
        carried={"git": {"commit": commit.sha, "parents": list(commit.parents), "seed": seed, "left_out": left_out}},
    )


def _report(tape: Tape, commit: Commit, files: Files, count: Count, target: Path) -> TypedCommit:
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


def _reasons(files: Files) -> str:
    return "; ".join(sorted({each.reason for each in files.left_out})) or "it changes no file"


def _brought(commit: Commit) -> str:
    """The range of the commits that a merge brought."""
    first, second = (parent[:_SHORT] for parent in commit.parents[:2])
    return f"{first}..{second}"


def _told(done: TypedCommit | SkippedCommit) -> str:
    if isinstance(done, SkippedCommit):
        return f"left out: {done.reason}"
    return f"{done.documents} documents, {done.typed} keys, {done.typos} typos, {done.pastes} pastes"
