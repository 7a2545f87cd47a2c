"""The project that a tape belongs to, as files."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import structs

from replay.errors import ProjectError
from replay.options import ReplayOptions
from replay.tapes import blob_files
from replay.tapes.blob_files import BLOB_LIMIT, BLOBS_LIMIT
from replay.tapes.git_environment import quiet_environment
from replay.tapes.tape import BesideTexts, Embedded, Folder, Git, Tape, Tests
from runners.other_files import NOTHING, OtherFiles
from runners.toolchains import language_of

FLAG, FOLDERS = "flag", "ghosttape.toml"
"""Where what counts of the tests can come from, beside the tape."""
_UNSAID = dict(zip(reversed(Tests.__struct_fields__), reversed(Tests.__struct_defaults__), strict=False))
"""Member of a tape's tests → the value with which it says nothing, where there is one."""
LINK = "120000"
"""The mode of a symbolic link in a tree of git."""
LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".pytest_cache", ".mypy_cache"})


class ProjectMissingError(ProjectError):
    """The project is a commit of a repository, and no clone of it was found. `project` says which."""

    def __init__(self, source: str, workspace: Git) -> None:
        self.project = f"{workspace.url} at {workspace.commit[:10]}"
        super().__init__(
            f"{source}: the project is {self.project}: name a clone that has this commit with --project DIR, or play without its tests "
            "(--no-tests)"
        )


class AllowedTests(Tests, frozen=True):
    """How a project is tested, and what the user (never a tape) allows its set-up: the network, variables by name."""

    network: bool = False
    variables: tuple[str, ...] = ()


def clones_of(options: ReplayOptions) -> list[Path]:
    """The clones of repositories that the options name."""
    return [Path(folder) for folder in options.projects]


def with_tests(tape: Tape, options: ReplayOptions) -> Tape:
    """The tape with the tests that count: its own, with what `ghosttape.toml` says over them, and what flags say over both.

    Raises:
        ProjectError: flags name no toolchain, or a set-up without a command; or a folder's commands would run without walls.

    """
    tests = settled_tests(tape.header.tests, options, tape.source)
    return tape if tests is None else structs.replace(tape, header=structs.replace(tape.header, tests=tests))


def settled_tests(own: Tests | None, options: ReplayOptions, source: str) -> Tests | None:
    """The tests that count for a project: its `own`, with what `ghosttape.toml` says over them, and what flags say over both; None if nothing names any.

    Each member counts for itself. What flags require is added to what is required otherwise.

    Raises:
        ProjectError: flags say something of the tests, but nothing names a command; flags name no toolchain; or a folder's commands would run without walls. `source`
            names the project.

    """
    named = _named(own, options)
    flags = options.tests_over or options.also_requires
    if not named or ("command" not in named and not flags):  # a folder's file alone makes no tests without a command
        return None
    given = {"toolchain": "none"} | {name: value for name, (value, _) in named.items()}
    if "command" not in given:
        raise ProjectError(f"{source}: nothing says how its project is tested: name a command with --test-command")
    if options.sandbox == "none" and options.tests:
        _require_sandbox(named, options)
    try:
        return AllowedTests(**given, network=options.network_setup, variables=options.setup_env)
    except ValueError as error:
        raise ProjectError(str(error)) from error


def origins_of_tests(own: Tests | None, options: ReplayOptions, owner: str = "tape") -> dict[str, str]:
    """Where each member of the tests that count comes from: `flag`, `ghosttape.toml` or the `owner` of its `own` tests; members that nobody names are left out.

    Example: `{"command": "tape", "requires": "ghosttape.toml and flag"}`, where packages are added by a flag.
    """
    return {name: origin for name, (_, origin) in _named(own, options, owner).items()}


def _named(own: Tests | None, options: ReplayOptions, owner: str = "tape") -> dict[str, tuple[Any, str]]:
    """Each member that is named anywhere, with the value that counts and where it comes from.

    Packages are names in the registry of a toolchain: they do not outlive their toolchain.
    """
    said = (
        {}
        if own is None
        else {name: value for name, value in structs.asdict(own).items() if value != _UNSAID.get(name)}
    )
    folders = options.project_tests.named if options.project_tests is not None else {}
    found: dict[str, tuple[Any, str]] = {}
    for layer, origin in ((said, owner), (folders, FOLDERS), (options.tests_over, FLAG)):
        if (
            "toolchain" in layer
            and "toolchain" in found
            and not _share_registry(layer["toolchain"], found["toolchain"][0])
        ):
            found.pop("requires", None)
        found |= {str(name): (value, origin) for name, value in layer.items()}
    if options.also_requires:
        packages, origin = found.get("requires", ((), ""))
        packages = tuple(dict.fromkeys((*packages, *options.also_requires)))
        found["requires"] = packages, f"{origin} and {FLAG}" if origin else FLAG
    return {name: found[name] for name in Tests.__struct_fields__ if name in found}


def _share_registry(one: str, other: str) -> bool:
    languages = {language_of(one), language_of(other)}
    return len(languages) == 1 or languages == {"node", "typescript"}


def _require_sandbox(named: Mapping[str, tuple[Any, str]], options: ReplayOptions) -> None:
    """Refuse to run, as the user, what a folder's file names, which may be anyone's: commands, and packages, whose code the tests import."""
    commands = any(
        value and origin == FOLDERS for name in ("command", "setup") for value, origin in [named.get(name, ("", ""))]
    )
    packages, origin = named.get("requires", ((), ""))
    if commands or (origin.startswith(FOLDERS) and not set(packages) <= set(options.also_requires)):
        raise ProjectError(
            "ghosttape.toml: [tests] names commands or packages, which --sandbox none would run as you: if that is meant, say "
            "them yourself with --setup, --test-command and --requires"
        )


def setup_variables(tests: Tests, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that the user lets a set-up have, with their values.

    Raises:
        ProjectError: one is not set.

    """
    names = tests.variables if isinstance(tests, AllowedTests) else ()
    if missing := [name for name in names if name not in environ]:
        raise ProjectError(
            f"--setup-env {missing[0]}: there is no such variable in the environment (its name alone is wanted)"
        )
    return {name: environ[name] for name in names}


@dataclass(frozen=True, slots=True)
class CommitContent:
    """What a commit has: path → text, and all that is no text."""

    texts: Mapping[str, str]
    others: OtherFiles
    too_large: tuple[str, ...] = ()
    """Files that are no text and larger than they may be."""


def other_files(tape: Tape, clones: Sequence[Path] = ()) -> OtherFiles:
    """What the project has beside texts before the tape begins.

    Raises:
        ProjectMissingError, ProjectError: as `starting_files`.

    """
    match tape.header.workspace:
        case Embedded(beside=BesideTexts() as beside):
            return blob_files.read(tape, beside)
        case Git() as workspace:
            return _content(tape, workspace, clones).others
        case _:
            return NOTHING


def starting_files(tape: Tape, clones: Sequence[Path] = ()) -> dict[str, str]:
    """Path → text of the project before the tape begins, as far as no event of the tape opens it.

    A commit is looked for in `clones` of repositories; what it has beside texts is in `other_files`.

    Raises:
        ProjectMissingError: no clone has the commit.
        ProjectError: the folder is not there, or holds what cannot be laid out.

    """
    match tape.header.workspace:
        case Embedded(files):
            return dict(files)
        case Folder(path):
            return _folder(tape, path)
        case Git() as workspace:
            return dict(_content(tape, workspace, clones).texts)


def _content(tape: Tape, workspace: Git, clones: Sequence[Path]) -> CommitContent:
    clone = next((clone for clone in clones if has_commit(clone, workspace.commit)), None)
    if clone is None:
        raise ProjectMissingError(tape.source, workspace)
    return commit_content(clone, workspace.commit)


def _git(clone: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Ask git without running anything of the repository's own, and without a network."""
    command = ["git", "-C", str(clone), "-c", "core.fsmonitor=false", *words]
    try:
        return subprocess.run(command, input=given, capture_output=True, check=False, env=quiet_environment(os.environ))
    except OSError as error:
        raise ProjectError(f"git cannot be run ({error.strerror}): install it to lay out the project") from error


def has_commit(clone: Path, commit: str) -> bool:
    """Whether a clone has a commit."""
    return _git(clone, "cat-file", "-e", "--end-of-options", f"{commit}^{{commit}}").returncode == 0


def commit_content(clone: Path, commit: str) -> CommitContent:
    """All files of a commit; submodules are left out, and files that are no text beyond `BLOB_LIMIT` and `BLOBS_LIMIT`.

    Raises:
        ProjectError: the clone lacks an object of the commit.

    """
    listed = _complete(clone, "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", commit)
    entries = [entry.partition("\t") for entry in listed.decode("utf-8", "replace").split("\0")]
    modes = {path: about.split()[0] for about, _, path in entries if about.startswith(("100", LINK))}
    blobs = {path: about.split()[2] for about, _, path in entries if path in modes}
    contents = dict(_contents(clone, blobs))
    links = {path: contents.pop(path).decode("utf-8", "replace") for path, mode in modes.items() if mode == LINK}
    return sorted_content(contents, links, frozenset(path for path, mode in modes.items() if mode == "100755"))


def sorted_content(
    contents: Mapping[str, bytes], links: Mapping[str, str], executable: frozenset[str]
) -> CommitContent:
    """Files (path → content) as texts, and others, the small ones first as far as there is room."""
    texts, others, too_large, room = dict[str, str](), dict[str, bytes](), list[str](), BLOBS_LIMIT
    for path, content in sorted(contents.items(), key=lambda item: (len(item[1]), item[0])):
        try:
            texts[path] = content.decode()
        except UnicodeDecodeError:
            room -= len(content)
            if len(content) > BLOB_LIMIT or room < 0:
                too_large.append(path)
            else:
                others[path] = content
    kept = OtherFiles(dict(sorted(others.items())), links, executable)
    return CommitContent({path: texts[path] for path in contents if path in texts}, kept, tuple(sorted(too_large)))


def _contents(clone: Path, blobs: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Path → content, for files by the names of their blobs."""
    answers = _complete(clone, "cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs.values()).encode())
    at = 0
    for path, blob in blobs.items():
        head = answers[at : at + 200].partition(b"\n")[0]
        if len(head.split()) != 3:  # `NAME blob SIZE`; a blob that is not there gives `NAME missing`
            raise _incomplete(clone, f"object {blob[:10]} of {path}")
        start = at + len(head) + 1
        end = start + int(head.split()[2])
        at = end + 1
        yield path, answers[start:end]


def _complete(clone: Path, *words: str, given: bytes = b"") -> bytes:
    """What git prints; git fails where the clone lacks an object."""
    done = _git(clone, *words, given=given)
    if done.returncode:
        raise _incomplete(clone, done.stderr.decode("utf-8", "replace").strip().partition("\n")[0])
    return done.stdout


def _incomplete(clone: Path, lacking: str) -> ProjectError:
    return ProjectError(
        f"{clone}: the clone is partial or damaged ({lacking}): complete it with `git fetch --refetch --no-filter`"
    )


def _folder(tape: Tape, path: str) -> dict[str, str]:
    base = Path(tape.source).resolve().parent
    folder = (base / path).resolve()
    if not folder.is_relative_to(base):
        raise ProjectError(f"{tape.source}: the project's folder {path!r} leads out of the tape's own folder")
    if not folder.is_dir():
        raise ProjectError(f"{tape.source}: its project is missing: there is no folder {folder}")
    inside = {file.relative_to(folder): file for file in sorted(folder.rglob("*")) if file.is_file()}
    return {
        name.as_posix(): _text(file, base) for name, file in inside.items() if not LEFT_OUT.intersection(name.parts)
    }


def _text(file: Path, base: Path) -> str:
    if not file.resolve().is_relative_to(base):
        raise ProjectError(f"{file}: is a link that leads out of the tape's own folder")
    try:
        return file.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ProjectError(f"{file}: is not UTF-8 text; the projects of tapes are text") from error
