"""Which documents may be on a recording: files of the workspace that no list leaves out.

Three lists, each of which only leaves out: what ghosttape never records (`NEVER`), the `.gitignore` files, and the
`.ghosttapeignore` files, both as git reads them: nested, the nearer file and the later line winning, nothing let in again
below a folder that is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pathspec import GitIgnoreSpec

from replay.recording.credentials import spans

NEVER = (
    ".env*",
    "*.env",
    ".envrc",
    "*.pem",
    "*.key",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdb",
    "*.kdbx",
    "*.ppk",
    "*.asc",
    "*.gpg",
    "*.age",
    "*.ovpn",
    "*.mobileprovision",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "authorized_keys",
    ".npmrc",
    ".yarnrc*",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".dockercfg",
    ".git-credentials",
    "credentials",
    "credentials.*",
    "credentials-*",
    "*credentials.json",
    "client_secret*",
    "secret.*",
    "secrets.*",
    "*.secret",
    "*.secrets",
    "*.tfvars",
    "*.tfstate*",
    "kubeconfig",
    "*.kubeconfig",
    "vault.y*ml",
    "service-account*.json",
    "secrets/",
    ".secrets/",
    ".ssh/",
    ".gnupg/",
    ".aws/",
    ".azure/",
    ".kube/",
    ".docker/",
    ".git/",
    ".ghosttape/",
    "*.tape.jsonl*",
)
"""Patterns of git's kind, matched without regard to case; nothing lets these in."""

_IGNORES = (".gitignore", ".ghosttapeignore")
_never = GitIgnoreSpec.from_lines(NEVER)


class Exclusion:
    """Says of a document's URI where it stands on a tape, or that it must leave no trace.

    `folders` are the workspace's; `base` is the folder that paths on the tape start from, at or above all of them.
    The lists are read anew for each document.
    """

    def __init__(self, base: Path, folders: Sequence[Path]) -> None:
        self.base = base.resolve()
        self.folders = [folder.resolve() for folder in folders]

    def __call__(self, uri: str) -> str | None:
        """The path of a document relative to the base, with forward slashes; None: it is not recorded."""
        named = path_of(uri)
        if named is None:
            return None
        named = named.parent.resolve() / named.name
        names = {named, named.resolve()}  # a link must be allowed by its own name and by what it leads to
        return named.relative_to(self.base).as_posix() if all(map(self._allows, names)) else None

    def _allows(self, path: Path) -> bool:
        if not any(path.is_relative_to(folder) and path != folder for folder in self.folders):
            return False
        relative = path.relative_to(self.base)
        if any("\\" in part for part in relative.parts):
            return False  # a tape's paths have none
        if spans(relative.as_posix(), "path.txt"):
            return False  # its name would give a credential away
        return not (is_never(relative) or any(self._is_ignored(path, name) for name in _IGNORES))

    def _is_ignored(self, path: Path, name: str) -> bool:
        """Whether the ignore files of one kind leave a file out, itself or by a folder above it."""
        top = next((folder for folder in path.parents if (folder / ".git").exists()), self.base)
        top = top if self.base.is_relative_to(top) else self.base
        chain = [folder for folder in reversed(path.parents) if folder.is_relative_to(top)]
        lists = {folder: spec for folder in chain if (spec := _read(folder, name))}
        below = [(folder, "/") for folder in chain if folder != top]
        return any(_matches(each, suffix, lists) for each, suffix in [*below, (path, "")])


def path_of(uri: str) -> Path | None:
    """The absolute path that a `file:` URI of this machine names; None for any other."""
    parts = urlsplit(uri)
    if parts.scheme.lower() != "file" or parts.netloc not in {"", "localhost"}:
        return None
    text = unquote(parts.path)
    if len(text) > 2 and text[0] == "/" and text[2] == ":":
        text = text[1:]  # file:///c:/…
    path = Path(text)
    return path if path.is_absolute() and "\0" not in text and ".." not in path.parts else None


def is_never(relative: Path) -> bool:
    """Whether a path from the base is one of those that are never recorded."""
    return bool(_never.match_file(relative.as_posix().lower()))


def _read(folder: Path, name: str) -> GitIgnoreSpec | None:
    lines: list[str] = []
    for file in _files(folder, name):
        try:
            lines += file.read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
    return GitIgnoreSpec.from_lines(lines) if lines else None


def _files(folder: Path, name: str) -> Iterator[Path]:
    if name == ".gitignore":
        yield folder / ".git" / "info" / "exclude"
    yield folder / name


def _matches(path: Path, suffix: str, lists: dict[Path, GitIgnoreSpec]) -> bool:
    """What the nearest list that has something to say of a path says."""
    for folder in path.parents:
        if folder in lists:
            said = lists[folder].check_file(path.relative_to(folder).as_posix() + suffix).include
            if said is not None:
                return said
    return False
