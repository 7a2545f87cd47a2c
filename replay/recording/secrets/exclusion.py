"""The rule which documents may be recorded: files of the workspace that no list excludes.

There are three lists: what ghosttape never records (`NEVER`), the `.gitignore` files, and the `.ghosttapeignore` files. A file is
excluded if one list excludes it. Ignore files are read as git reads them: they may be in any folder, the nearer file and the
later line win, and nothing below an excluded folder is included again. In a git work tree git is asked too, if it is
installed: it also knows the person's own lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pathspec import GitIgnoreSpec

from replay.recording import git
from replay.recording.secrets.credentials import spans

NEVER = (
    ".env*",
    "*.env",
    "env.local*",
    "env.dev*",
    "env.test*",
    "env.stag*",
    "env.prod*",
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
    ".npmrc*",
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
    "*.tfvars*",
    "*.tfstate*",
    "kubeconfig*",
    "*.kubeconfig",
    "*kubeconfig.y*ml",
    "vault.y*ml",
    "*service[-_]account*.json",
    "*serviceaccount*.json",
    "token.json",
    "tokens.json",
    "*[-_]token.json",
    ".vault-token",
    ".*_history",
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
"""Patterns as in `.gitignore`, matched in any case; no other list can include these files."""

_OWN = ".ghosttapeignore"
_IGNORES = (".gitignore", _OWN)
_never = GitIgnoreSpec.from_lines(NEVER)
_COPY = re.compile(r"(?:\.(?:old|bak|backup|orig|save|swp|swo|tmp|copy|\d+)|~)+$")
_CLASS = re.compile(r"\[:(\w+):\]")
_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "xdigit": "0-9a-fA-F",
    "blank": " \\t",
    "space": " \\t",
    "punct": "!-/:-@^-`{-~",
}


class Exclusion:
    """Gives the path of a document on the tape from its URI, or None if it must not be recorded.

    `folders` are those of the workspace. `names` has the prefix of the paths in a folder (a name with a `/`); other paths are
    relative to `base`. The lists are read again for each call.
    """

    def __init__(self, base: Path, folders: Sequence[Path], names: Mapping[Path, str] | None = None) -> None:
        self.base = base.resolve()
        self.use(folders, names or {})

    def use(self, folders: Sequence[Path], names: Mapping[Path, str]) -> None:
        """Go by other folders of the workspace from now on."""
        self.folders = [folder.resolve() for folder in folders]
        self._names = {folder.resolve(): name for folder, name in names.items()}

    def __call__(self, uri: str) -> str | None:
        """The path of a document on the tape, with forward slashes; None if it is not recorded."""
        named = path_of(uri)
        return None if named is None else self.allowed([named]).get(named)

    def allowed(self, paths: Iterable[Path]) -> dict[Path, str]:
        """Those of the absolute paths that may be recorded, each with its path on the tape."""
        lists = _Lists()
        found = {path: names for path in paths if (names := self._judged(path, lists))}
        ignored = git.ignored({name for names in found.values() for name in names})
        return {path: self._path_on_tape(names[0]) for path, names in found.items() if ignored.isdisjoint(names)}

    def left_out(self, paths: Sequence[Path]) -> set[Path]:
        """Those of the absolute paths that a list excludes. They are all files of the workspace, with its ignore files."""
        lists, names = _Lists(), self._lists_in_use(paths)
        found = {path for path in paths if self._is_listed(path, lists, names)}
        return found | git.ignored(path for path in paths if path not in found)

    def unwanted(self, paths: Iterable[Path]) -> set[Path]:
        """Those of the absolute paths that must not be on a tape whatever git says: files with keys, and those of a `.ghosttapeignore`."""
        lists = _Lists()
        return {path for path in paths if self._is_listed(path, lists, (_OWN,))}

    def _lists_in_use(self, paths: Sequence[Path]) -> list[str]:
        """The names of ignore files that decide something: where git answers for all folders, not those of git."""
        has_git = all(git.ask(folder, "rev-parse", "--show-toplevel") for folder in self.folders)
        present = {path.name for path in paths}
        above = [parent for folder in self.folders for parent in folder.parents]
        return [
            name
            for name in _IGNORES
            if not (has_git and name == ".gitignore") and (name in present or any((up / name).exists() for up in above))
        ]

    def _is_listed(self, path: Path, lists: _Lists, names: Sequence[str] = _IGNORES) -> bool:
        root, _ = self._root(path)
        return is_never(Path(self._path_on_tape(path))) or any(lists.leave_out(path, root, name) for name in names)

    def _judged(self, path: Path, lists: _Lists) -> tuple[Path, ...]:
        """A path without links above it, and what it leads to, if both are allowed: a link must be by either name."""
        try:
            named = path.parent.resolve() / path.name
            names = (named, named.resolve())
            return names if all(self._allows(name, lists) for name in names) else ()
        except (OSError, RuntimeError, ValueError):  # too long, links in a circle, no text of this machine
            return ()

    def _path_on_tape(self, path: Path) -> str:
        root, name = self._root(path)
        return name + path.relative_to(root).as_posix()

    def _root(self, path: Path) -> tuple[Path, str]:
        """The folder that a path on the tape is relative to, and the prefix of the path."""
        return next(((root, name) for root, name in self._names.items() if path.is_relative_to(root)), (self.base, ""))

    def _allows(self, path: Path, lists: _Lists) -> bool:
        if not any(path.is_relative_to(folder) and path != folder for folder in self.folders):
            return False
        relative = Path(self._path_on_tape(path))
        if any("\\" in part for part in relative.parts):
            return False  # paths on a tape have none
        if spans(relative.as_posix(), "path.txt"):
            return False  # the name itself has a credential
        return not self._is_listed(path, lists)


def path_of(uri: str) -> Path | None:
    """The absolute path of a `file:` URI of this machine; None for any other text, and for a cell of a notebook."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    is_here = parts.scheme.lower() == "file" and parts.netloc in {"", "localhost"}
    is_cell = bool(parts.fragment)
    if not is_here or is_cell:
        return None
    text = unquote(parts.path)
    if len(text) > 2 and text[0] == "/" and text[2] == ":":
        text = text[1:]  # file:///c:/…
    path = Path(text)
    return path if path.is_absolute() and "\0" not in text and ".." not in path.parts else None


def is_never(relative: Path) -> bool:
    """Whether a file is never recorded, because `NEVER` matches it, or the file that it is a copy of (`.bak`, `~`)."""
    name = relative.as_posix().lower()
    return bool(_never.match_file(name) or _never.match_file(_COPY.sub("", name)))


def holds_keys(uri: str) -> bool:
    """Whether a URI names a file that `NEVER` matches: then each of its values may be a key."""
    path = path_of(uri)
    return path is not None and is_never(path.relative_to(path.anchor))


class _Lists:
    """The ignore files. Each is read once."""

    def __init__(self) -> None:
        self._read: dict[tuple[Path, str], GitIgnoreSpec | None] = {}
        self._said: dict[tuple[Path, str, Path], bool] = {}

    def leave_out(self, path: Path, root: Path, name: str) -> bool:
        """Whether the ignore files of one name exclude a file, or a folder above it.

        They are read from the top of the repository of `root`, or from `root` if there is none, down to the file.
        """
        top = next((folder for folder in (root, *root.parents) if git.is_top(folder)), root)
        chain = [folder for folder in reversed(path.parents) if folder.is_relative_to(top)]
        lists = {folder: spec for folder in chain if (spec := self._list(folder, name))}
        return any(self._folder(folder, name, top, lists) for folder in chain if folder != top) or _matches(
            path, "", lists
        )

    def _folder(self, folder: Path, name: str, top: Path, lists: dict[Path, GitIgnoreSpec]) -> bool:
        key = (folder, name, top)
        if key not in self._said:
            self._said[key] = _matches(folder, "/", lists)
        return self._said[key]

    def _list(self, folder: Path, name: str) -> GitIgnoreSpec | None:
        if (folder, name) not in self._read:
            self._read[folder, name] = _read(folder, name)
        return self._read[folder, name]


def _read(folder: Path, name: str) -> GitIgnoreSpec | None:
    lines: list[str] = []
    for file in _files(folder, name):
        try:
            lines += file.read_bytes().decode("utf-8-sig", "replace").split("\n")
        except OSError:
            continue
    kept = [line for line in map(_plain, lines) if _is_pattern(line)]
    return GitIgnoreSpec.from_lines(kept) if kept else None


def _plain(line: str) -> str:
    """A line with classes such as `[:alpha:]` replaced, which the library does not know."""
    return _CLASS.sub(lambda found: _CLASSES.get(found[1], found[0]), line.removesuffix("\r"))


def _is_pattern(line: str) -> bool:
    """Whether the library can read a line of an ignore file. Git also skips an unreadable line and uses the others."""
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, Warning):
        return False
    return True


def _files(folder: Path, name: str) -> Iterator[Path]:
    if name == ".gitignore" and git.is_top(folder):
        with suppress(OSError, ValueError):
            yield git.exclude_file(folder)
    yield folder / name


def _matches(path: Path, suffix: str, lists: Mapping[Path, GitIgnoreSpec]) -> bool:
    """Whether the nearest list with a matching pattern excludes a path."""
    for folder in path.parents:
        if folder in lists:
            said = lists[folder].check_file(path.relative_to(folder).as_posix() + suffix).include
            if said is not None:
                return said
    return False
