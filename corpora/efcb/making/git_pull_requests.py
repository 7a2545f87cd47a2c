"""The pull requests of a repository, from its merge commits and from commits that a merge squashed: no network, no token."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from corpora.efcb.patches import parses
from corpora.efcb.questions import MaskedFile
from corpora.errors import HistoryError
from corpora.history.repository.git_commands import GitCommands

LEAST_LINES, MOST_CHARACTERS = 15, 7_500
"""The size of a patch that is kept (Liang 2025, section 2.1)."""
_MERGE = re.compile(r"Merge pull request #\d+ from \S+\n+")
_SQUASHED = re.compile(r"\s*\(#\d+\)$")
_END, _FIELD = "\x1e", "\x1f"
_FILE = re.compile(r"^diff --git .*\n", re.MULTILINE)
_PATH = re.compile(r"^\+\+\+ (?:b/)?(.*)$", re.MULTILINE)
_OLD_PATH = re.compile(r"^--- (?:a/)?(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A change as it was merged: what it says of itself, and its patch as EFCB shows one (each file's path, hunks, and a rule)."""

    commit: str
    title: str
    body: str
    patch: str
    parent: str = ""
    """The commit that the patch is of."""

    @property
    def fits(self) -> bool:
        """Whether the patch has the size that EFCB keeps."""
        return self.patch.count("\n") + 1 >= LEAST_LINES and len(self.patch) <= MOST_CHARACTERS


def pull_requests(repository: str) -> Iterator[PullRequest]:
    """The pull requests of the branch that is checked out, the newest first: each merge of one, and each commit whose subject ends in `(#NUMBER)`.

    Those without a description have an empty `body`; none is left out for its size.

    Raises:
        HistoryError: it is no repository, or git fails.

    """
    git = GitCommands(repository)
    form = f"--format=%H{_FIELD}%P{_FIELD}%B{_END}"
    for entry in git.text("log", "--first-parent", form).split(_END):
        commit, _, rest = entry.strip().partition(_FIELD)
        parents, _, said = rest.partition(_FIELD)
        words = _words(said.strip(), is_merge=len(parents.split()) > 1)
        if words is not None and parents:
            parent = parents.split()[0]
            yield PullRequest(commit, *words, _patch(git, parent, commit), parent)


def _words(message: str, *, is_merge: bool) -> tuple[str, str] | None:
    """Title and body; None where a commit is no pull request."""
    if is_merge:
        found = _MERGE.match(message)
        message = message[found.end() :] if found else ""
    title, _, body = message.partition("\n")
    if not title.strip() or not (is_merge or _SQUASHED.search(title)):
        return None
    return _SQUASHED.sub("", title).strip(), body.strip()


def _patch(git: GitCommands, parent: str, commit: str) -> str:
    return patch_of(
        git.text(
            "diff-tree", "-p", "-r", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", parent, commit
        )
    )


def patch_of(diff: str) -> str:
    """A diff of git's as EFCB shows one; files without hunks (binary, renamed) are not in it."""
    return "\n---\n".join(filter(None, map(_file, _FILE.split(diff)[1:])))


def _file(text: str) -> str:
    """A file's path and hunks; empty where it has none, as a binary file."""
    start = text.find("\n@@ ")
    if start < 0:
        return ""
    head = text[: start + 1]
    new, old = _PATH.search(head), _OLD_PATH.search(head)
    path = new[1] if new and new[1] != "/dev/null" else old[1] if old else ""
    return f"{path}\n{text[start + 1 :].rstrip(chr(10))}"


def whole_files(repository: str) -> Callable[[PullRequest, str], MaskedFile | None]:
    """What reads a file of a pull request as it was before; None where it does not parse before and after, or is no text in UTF-8.

    A file that is not there is an empty one. The function that is returned raises HistoryError if git fails to start.
    """
    git = GitCommands(repository)

    def whole(request: PullRequest, path: str) -> MaskedFile | None:
        texts = [git.text("show", f"{commit}:{path}", fails=True) for commit in (request.parent, request.commit)]
        sound = all("\ufffd" not in text and parses(path, text) for text in texts)
        return MaskedFile(path, texts[0]) if sound and request.parent else None

    return whole


def kept(repository: str, limit: int | None = None) -> list[PullRequest]:
    """The pull requests of a repository that have the size of EFCB's and a description, the newest first, at most `limit`; of equal patches the newest.

    Raises:
        HistoryError: there are fewer than four, which a question with four choices needs.

    """
    found: dict[str, PullRequest] = {}
    for each in pull_requests(repository):
        if each.fits and each.body:
            found.setdefault(each.patch, each)
        if len(found) == limit:
            break
    return enough(list(found.values()), repository)


def enough(found: list[PullRequest], repository: str) -> list[PullRequest]:
    """The same; four are needed.

    Raises:
        HistoryError: there are fewer.

    """
    if len(found) < 4:
        raise HistoryError(
            f"{repository}: {len(found)} of its pull requests have a description and a patch of {LEAST_LINES} lines to {MOST_CHARACTERS:,} characters, and "
            "a question needs four: name a clone with its whole history whose merges or squashed commits name their pull request, or OWNER/NAME of GitHub"
        )
    return found
