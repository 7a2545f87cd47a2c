"""What there is to type in a commit, or why the commit is left out; nothing is typed yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

import tree_sitter

from corpora.history.import_report import SKIP_WORDS, SkipKind, SkippedCommit
from corpora.history.repository.commit_files import DELETED, GENERATED, RENAMED, CommitFiles, files_of
from corpora.history.repository.commit_selection import Merges
from corpora.history.repository.commits import SUBMODULE, SYMLINK, ChangedFile, Commit, Repository
from corpora.history.session.typing_session import TypingTask, tasks
from replay.tapes.file_kinds import is_generated, is_test_file
from syntax.languages import Language, language_of
from syntax.parse import Tree, is_opaque, parse

_AT_ONCE = 500
"""Commits whose changed files are asked for at once; it bounds what is held."""


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """A commit that gives a tape: its files, and the changes to type."""

    commit: Commit
    files: CommitFiles
    tasks: list[TypingTask]


class Planner:
    """Plans the commits of one repository. The last plan is kept, so a commit that was just chosen is not read again."""

    def __init__(self, repository: Repository, merges: Merges, characters: int) -> None:
        self.repository, self._merges, self._limit = repository, merges, characters
        self.plan = lru_cache(maxsize=1)(self._plan)

    def sift(self, commits: Sequence[Commit]) -> dict[str, SkippedCommit]:
        """The commits that are left out, as far as that shows without their texts. Raises HistoryError if the clone lacks a tree."""
        merges = {commit.sha for commit in commits if len(commit.parents) > 1 and self._merges == "all"}
        found = {
            each.sha: skipped(each, "merge", "a merge: its commits are looked at instead")
            for each in commits
            if each.sha in merges
        }
        rest = [commit for commit in commits if commit.sha not in merges]
        for at in range(0, len(rest), _AT_ONCE):
            some = rest[at : at + _AT_ONCE]
            changes = self.repository.changes(some, alike=100)
            kinds = ((commit, kind_by_paths(changes[commit.sha])) for commit in some)
            found |= {commit.sha: skipped(commit, kind, SKIP_WORDS[kind]) for commit, kind in kinds if kind}
        return found

    def _plan(self, commit: Commit) -> SessionPlan | SkippedCommit:
        """The plan of a commit, or why it is left out. Raises HistoryError if the clone lacks an object."""
        files = files_of(self.repository, commit)
        if kind := kind_by_texts(files):
            why = f": {_reasons(files)}" if kind == "nothing" else ""
            return skipped(commit, kind, SKIP_WORDS[kind] + why)
        given = tasks(files.documents, files.elsewhere)
        wanted = sum(task.characters for task in given)
        if wanted > self._limit:
            said = f"{wanted} characters would have to be typed, and the limit is {self._limit}"
            return skipped(commit, "long", said)
        return SessionPlan(commit, files, given)


def skipped(commit: Commit, kind: SkipKind, reason: str) -> SkippedCommit:
    """Leave a commit out."""
    return SkippedCommit(commit.sha, commit.subject, kind, reason)


def _reasons(files: CommitFiles) -> str:
    return "; ".join(sorted({each.reason for each in files.left_out}))


# Which commits are work on code that tests can notice: at least one file of code is changed, and not only
# its looks.

_KINDS: tuple[SkipKind, ...] = ("formatting", "tests", "text", "generated", "renames", "deletions", "nothing")
"""Where a commit changes several kinds of files and no code, the first of these is the reason."""
_LEFT_OUT: dict[str, SkipKind] = {GENERATED: "generated", RENAMED: "renames", DELETED: "deletions"}
_STATUS: dict[str, SkipKind] = {"R": "renames", "D": "deletions"}
_SETTINGS = re.compile(
    r"""(setup|noxfile|conftest)\.py$ | ([^/]*/)*[^/]+\.config\.[cm]?[jt]s$ | ([^/]*/)*\.[^/]*rc\.[cm]?js$ | (gulp|grunt)file\.[cm]?[jt]s$
    | (docs?|\.[^/]+)/
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Code that builds, checks or documents a project: `setup.py`, `vite.config.ts`, `docs/conf.py`, `.github/check.py`."""


def kind_by_paths(changes: Sequence[ChangedFile]) -> SkipKind | None:
    """Why a commit with these changes is left out, as far as that shows without their texts; None if it does not show."""
    return _first(_kind_of_change(change) for change in changes)


def kind_by_texts(files: CommitFiles) -> SkipKind | None:
    """Why a commit is left out; None if one of its documents is code, no test, and has other tokens than before."""
    return _first(_kinds_of(files))


def _first(kinds: Iterable[SkipKind | None]) -> SkipKind | None:
    found = set(kinds)
    return None if None in found else next((kind for kind in _KINDS if kind in found), "nothing")


def _kind_of_change(change: ChangedFile) -> SkipKind | None:
    if change.mode in {SYMLINK, SUBMODULE}:
        return "nothing"
    return _STATUS.get(change.status) or _kind_of_path(change.after)


def _kinds_of(files: CommitFiles) -> Iterator[SkipKind | None]:
    for document in files.documents:
        kind, language = _kind_of_path(document.path), language_of(document.path)
        alike = kind is None and language is not None and same_code(language, document.old, document.new)
        yield "formatting" if alike else kind
    yield from (_LEFT_OUT.get(each.reason, "nothing") for each in files.left_out)


def _kind_of_path(path: str) -> SkipKind | None:
    """The kind of a file by its path; None for code of the project."""
    if is_generated(path, ""):
        return "generated"
    if is_test_file(path):
        return "tests"
    return "text" if language_of(path) is None or _SETTINGS.match(path) else None


# Whether two texts are the same code: they differ in white space and comments only, and not where white
# space means something.


def same_code(language: Language, old: str, new: str) -> bool:
    """Whether the trees of two texts have the same nodes and tokens, comments left out. A text with a syntax error is like no other.

    In Python a string that is a statement by itself counts as a comment: a docstring. Examples: `f( x )  # note` is `f(x)`; in Python a
    line that is indented less than before is other code, and in JavaScript `return` and `x` on two lines are.
    """
    before, after = parse(language, old), parse(language, new)
    if before.root.has_error or after.root.has_error:
        return False
    return all(one == other for one, other in zip_longest(_nodes(before), _nodes(after))) and _dense(before) == _dense(
        after
    )


def _nodes(tree: Tree) -> Iterator[tuple[int, str, str]]:
    """Depth, type and text of each node, parents first; only tokens and strings have a text."""
    stack = [(tree.root, 0)]
    while stack:
        node, depth = stack.pop()
        if _ignored(node, tree.language):
            continue
        whole = not node.child_count or is_opaque(node)
        yield depth, node.type, _text(tree, node).strip() if whole else ""
        stack += [] if whole else [(child, depth + 1) for child in reversed(node.children)]


def _dense(tree: Tree) -> str:
    """The text without comments and white space: what stands in it and in no token."""
    kept, at = [], 0
    for start, end in _comments(tree):
        kept.append(tree.text[at:start])
        at = end
    return "".join("".join([*kept, tree.text[at:]]).split())


def _comments(tree: Tree) -> Iterator[tuple[int, int]]:
    stack = [tree.root]
    while stack:
        node = stack.pop()
        if _ignored(node, tree.language):
            yield tree.span(node)
        else:
            stack += reversed(node.children)


def _ignored(node: tree_sitter.Node, language: Language) -> bool:
    kind = node.type
    return kind.endswith("comment") or kind == "line_continuation" or (language.layout and _is_docstring(node))


def _is_docstring(node: tree_sitter.Node) -> bool:
    return node.type == "expression_statement" and node.child_count == 1 and node.children[0].type in _STRINGS


def _text(tree: Tree, node: tree_sitter.Node) -> str:
    start, end = tree.span(node)
    return tree.text[start:end]


_STRINGS = frozenset({"string", "concatenated_string"})
