"""Import of git history: each chosen commit becomes a session in which a person might have typed it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from corpora.errors import HistoryError
from corpora.history.commit_plan import Planner, SessionPlan
from corpora.history.commit_sampling import chosen
from corpora.history.import_report import HistoryReport, SkippedCommit, TypedCommit, report_of
from corpora.history.repository.commit_files import CommitFiles
from corpora.history.repository.commits import Commit, Repository
from corpora.history.request import HistoryRequest, TestsOf
from corpora.history.session.span_typist import KeyCounts
from corpora.history.session.typing_session import typed
from corpora.typing.typist import EDITOR
from replay.importers.building.project_tests import detect_tests
from replay.tapes import blob_files
from replay.tapes.placing import place, workshop, would_change
from replay.tapes.tape import Embedded, Header, Tape, verify, write
from runners.other_files import OtherFiles

_SHORT = 10
_MS_A_MINUTE = 60_000


def import_history(
    request: HistoryRequest, notify: Callable[[str], None], tests_of: TestsOf = detect_tests
) -> HistoryReport:
    """Write a tape `REPO-SHA.tape.jsonl` for each commit of the request that gives one, and report on every commit that was looked at.

    The same commit and seed give the same tape, byte for byte, whatever the selection is. `notify` is called with a message for
    each commit.

    Raises:
        HistoryError: the repository or the commits do not exist, the clone lacks an object, `out` cannot be written, or
            it has another tape of the same name. Tapes that were written before stay.

    """
    with Repository(request.repository, request.name) as repository:
        made: list[TypedCommit | SkippedCommit] = []
        for each in _made(repository, request, tests_of):
            made.append(each)
            notify(f"{len(made)} {each.commit[:_SHORT]}: {_message(each)}")
        return report_of(repository.name, str(request.selection), request.seed, made)


def typed_commits(request: HistoryRequest, tests_of: TestsOf = detect_tests) -> Iterator[TypedCommit | SkippedCommit]:
    """Do what `import_history` does one commit at a time: when the next one is asked for, it is typed, and its tape is on the disk.

    So the first tape can be replayed before the last is typed. `request.order` says which commit comes first; a commit that is
    left out comes too, in its place. Close the iterator to end early: nothing more is typed, and what was written stays.

    `tests_of` says for each commit how its project is tested, by the files of the finished commit (path → text). It is called once
    a tape; with None the tape has no tests.

    Blocking: reading and typing a commit takes some tenths of a second. An asynchronous caller asks for the next one in a thread
    (`asyncio.to_thread(next, commits, None)`), always one at a time.

    Raises:
        HistoryError: as `import_history`, when the commit that needs what is missing is asked for.

    """
    with Repository(request.repository, request.name) as repository:
        yield from _made(repository, request, tests_of)


def _made(repository: Repository, request: HistoryRequest, tests_of: TestsOf) -> Iterator[TypedCommit | SkippedCommit]:
    planner = Planner(repository, request.selection.merges, request.characters)
    commits = chosen(planner, request.selection, request.seed)
    for each in commits if request.order == "newest" else reversed(list(commits)):
        plan = planner.plan(each) if isinstance(each, Commit) else each
        yield _typed(repository.name, plan, request, tests_of) if isinstance(plan, SessionPlan) else plan


def _typed(project: str, plan: SessionPlan, request: HistoryRequest, tests_of: TestsOf) -> TypedCommit:
    commit, files = plan.commit, plan.files
    chance = random.Random(f"{request.seed}:{commit.sha}")  # noqa: S311  # a session, not a secret
    events, count = typed(plan.tasks, chance, request.distributions)
    name = f"{project}-{commit.sha[:_SHORT]}"
    tape = Tape(_header(name, plan, request.seed, tests_of), tuple(events), name)
    verify(tape)
    target = request.out / f"{name}.tape.jsonl"
    _write(tape, files.others, target, force=request.force)
    return _report(tape, commit, files, count, target)


def _write(tape: Tape, others: OtherFiles, target: Path, *, force: bool) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with workshop(target.parent, ".ghosttape-import-") as made:
            write(tape, made / target.name)
            if not force and would_change(made / target.name, target):
                raise HistoryError(
                    f"{target} exists already, with another content: choose another folder (-o), or replace it (--force)"
                )
            blob_files.write(others, target.parent)
            place({made / target.name: target})
    except OSError as error:
        raise HistoryError(f"{target}: the tape cannot be written: {error.strerror}") from error


def _header(name: str, plan: SessionPlan, seed: int, tests_of: TestsOf) -> Header:
    """The header of a commit's tape; `carried` has the commit, and its files that are not typed."""
    commit, files = plan.commit, plan.files
    final = files.project | {document.path: document.new for document in files.documents}
    left_out = [[each.path, each.reason] for each in files.left_out]
    git = {"commit": commit.sha, "subject": commit.subject, "parents": list(commit.parents), "seed": seed}
    return Header(
        tape=1,
        id=name,
        editor=EDITOR,
        origin="synthesised",
        workspace=Embedded(files.project, blob_files.named(files.others)),
        tests=tests_of(final),
        created=commit.authored,
        carried={"git": git | {"left_out": left_out}},
    )


def _report(tape: Tape, commit: Commit, files: CommitFiles, count: KeyCounts, target: Path) -> TypedCommit:
    return TypedCommit(
        commit=commit.sha,
        subject=commit.subject,
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


def _message(done: TypedCommit | SkippedCommit) -> str:
    if isinstance(done, SkippedCommit):
        return f"left out: {done.reason}"
    return f"{done.documents} documents, {done.typed} keys, {done.typos} typos, {done.pastes} pastes"
