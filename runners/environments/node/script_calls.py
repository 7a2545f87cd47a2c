"""Scripts that a command calls through npm, pnpm, yarn, bun, lerna, turbo, nx, run-s or run-p, in which packages, with which arguments.

Which options take a value is as the programs' own `--help` says (npm 11, pnpm 10, yarn 1 and 4, lerna 9, turbo 2, nx 22).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from runners.environments.node.patterns import of_series

_TESTS = frozenset({"test", "t", "tst"})
_RUNS = frozenset({"run", "run-script", "rum", "urn"})
_PNPM_PATTERN = re.compile(r"^/([^/\s]+)/$")
_VALUED: Mapping[str, frozenset[str]] = {
    "npm": frozenset({"-w", "--workspace", "--prefix", "-C", "--loglevel", "--script-shell", "--userconfig", "--cache", "-p", "--package"}),
    "pnpm": frozenset({"-F", "--filter", "--filter-prod", "-C", "--dir", "--loglevel", "--reporter", "--workspace-concurrency", "--resume-from", "--changed-files-ignore-pattern", "--test-pattern", "--package"}),
    "yarn": frozenset({"--cwd", "--use-yarnrc", "--mutex", "--modules-folder", "--cache-folder", "--registry", "-j", "--jobs", "--from", "--include", "--exclude"}),
    "bun": frozenset({"-F", "--filter", "--cwd", "-c", "--config", "-r", "--preload", "--env-file", "--shell"}),
    "npx": frozenset({"-p", "--package", "-w", "--workspace", "--loglevel", "--cache", "--userconfig"}),
    "lerna": frozenset({"--npm-client", "--profile-location", "--scope", "--ignore", "--since", "--loglevel", "--concurrency", "--max-buffer"}),
    "turbo": frozenset({"-F", "--filter", "--cache-workers", "--cache-dir", "--concurrency", "--global-deps", "--env-mode", "--output-logs", "--log-order", "--log-prefix", "--cwd", "--ui", "--api", "--team", "--token", "--scope", "--ignore", "--since"}),
    "nx": frozenset({"-c", "--configuration", "-t", "--target", "--targets", "--projects", "--exclude", "--runner", "--base", "--head", "--outputStyle", "--output-style"}),
}  # fmt: skip
"""Program → its options whose value may stand in the word after them."""
_WHICH = frozenset({"-w", "--workspace", "-F", "--filter", "--filter-prod", "--scope", "--include", "--projects"})
_NAMES = {("nx", "-p"): "--projects"}
"""Short options that mean something else in another program."""
_WHICH_NOT = frozenset({"--ignore", "--exclude"})
_WHERE = frozenset({"-C", "--dir", "--prefix", "--cwd"})
_MOST_WORDS, _DEEPEST = 1_000, 10
"""Commands of more words, or that call themselves more often (`pnpm m m …`), are none that a person writes: they call nothing."""
_AGAIN = frozenset({"recursive", "multi", "m", "workspace", "workspaces"})
_SERIES = frozenset({"run-s", "npm-run-all", "run-p", "npm-run-all2", "npm-run-all-next"})


@dataclass(frozen=True, slots=True)
class Call:
    """What a command calls."""

    scripts: tuple[str, ...]
    """Regular expressions for the names of scripts."""
    arguments: tuple[str, ...] = ()
    """Words that are put behind the script."""
    packages: tuple[str, ...] | None = None
    """Selectors of the packages of the workspace in which it runs, none for all; None: where it is called."""
    at_root: bool = False
    """Whether it runs in the root of the workspace."""
    folder: str = "."
    """Where it runs, relative to where it is called."""
    program: tuple[str, ...] = ()
    """What runs where there is no such script."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a command, told apart."""

    options: tuple[tuple[str, str], ...]
    """Options before and between the others, with their values; an empty one where none is given."""
    plain: tuple[str, ...]
    rest: tuple[str, ...]
    """What stands behind `--`, or behind as many plain words as were asked for."""

    def values(self, names: Collection[str]) -> list[str]:
        """The values of some options, in their order."""
        return [value for name, value in self.options if name in names and value]

    def has(self, *names: str) -> bool:
        """Whether one of some options is given."""
        return any(name in names and value != "false" for name, value in self.options)

    @property
    def folder(self) -> str:
        """Where the command says that it runs."""
        return "/".join(self.values(_WHERE)) or "."

    def selectors(self, *, split: bool = False) -> tuple[str, ...]:
        """The packages that options name, those that are taken away with `!` before them."""
        which, which_not = self.values(_WHICH), self.values(_WHICH_NOT)
        if split:
            which, which_not = (re.findall(r"[^\s,]+", ",".join(each)) for each in (which, which_not))
        return (*which, *(f"!{each}" for each in which_not))


def calls_of(words: Sequence[str]) -> list[Call]:
    """What a command calls, in its order; none where it calls no script and no program of a package."""
    program = words[0] if words else ""
    if len(words) > _MOST_WORDS or sum(word in _AGAIN for word in words) > _DEEPEST:
        return []
    if program in _SERIES:
        return [*_series(words[1:])]
    read = _READERS.get(program)
    found = read(words[1:]) if read else None
    return [found] if found else []


def _told_apart(program: str, words: Sequence[str], most: int | None = None) -> _Words:
    """Options and plain words. After `most` plain words all others belong to what is called."""
    options, plain, left = list[tuple[str, str]](), list[str](), [*words]
    while left and (most is None or len(plain) < most):
        word = left.pop(0)
        if word == "--":
            break
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        name, is_given, value = word.partition("=")
        name = _NAMES.get((program, name), name)
        if not is_given and name in _VALUED[program] and left and not left[0].startswith("-"):
            value = left.pop(0)
        options.append((name, value))
    return _Words(tuple(options), tuple(plain), tuple(left[1:] if left[:1] == ["--"] else left))


def _npm(words: Sequence[str]) -> Call | None:
    said = _told_apart("npm", words)
    name, *others = said.plain or ("",)
    if name in {"exec", "x"}:
        return _within(_npx(words[[*words].index(name) + 1 :]), said)
    script = "test" if name in _TESTS else others.pop(0) if name in _RUNS and others else ""
    if not script:
        return None
    return _within(Call((re.escape(script),), (*others, *said.rest)), said)


def _within(call: Call | None, said: _Words) -> Call | None:
    """A call in the packages that options of npm name."""
    if call is None:
        return None
    every = said.has("--workspaces", "-ws") and not said.selectors()
    packages = said.selectors() or (() if every else None)
    return replace(call, packages=packages, folder=said.folder)


def _npx(words: Sequence[str]) -> Call | None:
    said = _told_apart("npx", words, 1)
    program = (*said.plain, *said.rest)
    return Call((), program=program) if program else None


def _pnpm(words: Sequence[str]) -> Call | None:
    said = _told_apart("pnpm", words, 1)
    name, rest = said.plain[0] if said.plain else "", said.rest
    every = said.has("-r", "--recursive")
    if name in {"recursive", "multi", "m"}:
        return _pnpm(["-r", *_again(said), *rest])
    if name in _RUNS:
        inner = _told_apart("pnpm", rest, 1)
        said = _Words((*said.options, *inner.options), inner.plain, inner.rest)
        every = every or said.has("-r", "--recursive")
        name, rest = inner.plain[0] if inner.plain else "", inner.rest
    if not name:
        return None
    packages = said.selectors() or (() if every else None)
    call = Call((), program=rest) if name in {"exec", "dlx"} else _script_or_program(_pnpm_script(name), name, rest)
    return replace(call, packages=packages, folder=said.folder, at_root=said.has("-w", "--workspace-root"))


def _again(said: _Words) -> list[str]:
    return [f"{name}={value}" if value else name for name, value in said.options]


def _script_or_program(script: str, name: str, rest: Sequence[str]) -> Call:
    program = (name, *rest) if re.fullmatch(r"[\w.@/-]+", name) else ()
    return Call(("test" if name in {"t", "tst"} else script,), tuple(rest), program=program)


def _pnpm_script(name: str) -> str:
    """The scripts that pnpm runs for a name or a pattern (`/^test:.*/`). Patterns that are more than names and dots match none."""
    if not (found := _PNPM_PATTERN.match(name)):
        return re.escape(name)
    plain = found[1].strip("^$").removesuffix(".*").removesuffix(".+")
    return f"{plain}.+" if re.fullmatch(r"[\w:-]+", plain) else "(?!)"


def _yarn(words: Sequence[str]) -> Call | None:
    said = _told_apart("yarn", words, 1)
    name, rest = said.plain[0] if said.plain else "", said.rest
    if name == "workspace" and rest:
        return _in_packages(_yarn(rest[1:]), (rest[0],))
    if name == "workspaces":
        return _yarn_workspaces(rest)
    if name == "run":
        inner = _told_apart("yarn", rest, 1)
        name, rest = inner.plain[0] if inner.plain else "", inner.rest
    if not name:
        return None
    call = Call((), program=rest) if name in {"exec", "dlx"} else _script_or_program(re.escape(name), name, rest)
    return replace(call, folder=said.folder)


def _yarn_workspaces(words: Sequence[str]) -> Call | None:
    """`yarn workspaces run X` of yarn 1, `yarn workspaces foreach -A run X` of later ones."""
    said = _told_apart("yarn", words, 1)
    if said.plain == ("run",):
        return _in_packages(_yarn(["run", *said.rest]), ())
    if said.plain != ("foreach",):
        return None
    inner = _told_apart("yarn", said.rest, 1)
    flags = _Words(tuple((name, value) for name, value in inner.options if name in {"--include", "--exclude"}), (), ())
    return _in_packages(_yarn([*inner.plain, *inner.rest]), flags.selectors(split=True))


def _in_packages(call: Call | None, packages: tuple[str, ...]) -> Call | None:
    return replace(call, packages=packages) if call else None


def _bun(words: Sequence[str]) -> Call | None:
    """`bun test` is a runner of its own, and no call of a script."""
    said = _told_apart("bun", words, 1)
    name, rest = said.plain[0] if said.plain else "", said.rest
    if name in {"x", "exec"}:
        return Call((), program=rest)
    if name == "test":
        return None
    if name == "run":
        inner = _told_apart("bun", rest, 1)
        said = _Words((*said.options, *inner.options), inner.plain, inner.rest)
        name, rest = inner.plain[0] if inner.plain else "", inner.rest
    if not name:
        return None
    return replace(
        _script_or_program(re.escape(name), name, rest), packages=said.selectors() or None, folder=said.folder
    )


def _lerna(words: Sequence[str]) -> Call | None:
    said = _told_apart("lerna", words)
    if said.plain[:1] == ("exec",):
        return Call((), program=(*said.plain[1:], *said.rest), packages=said.selectors())
    scripts = said.plain[1:] if said.plain[:1] == ("run",) else ()
    names = [each for script in scripts for each in script.split(",") if each]
    return Call(tuple(map(re.escape, names)), said.rest, said.selectors()) if names else None


def _turbo(words: Sequence[str]) -> Call | None:
    said = _told_apart("turbo", words)
    names = said.plain[1:] if said.plain[:1] == ("run",) else said.plain
    scripts = [name.rpartition("#")[2] for name in names]
    own = tuple(name.rpartition("#")[0] for name in names if "#" in name)
    return Call(tuple(map(re.escape, scripts)), said.rest, own or said.selectors()) if scripts else None


def _nx(words: Sequence[str]) -> Call | None:
    """`nx run-many -t test`, `nx affected -t test`, `nx run one:test`, `nx test one`."""
    said = _told_apart("nx", words)
    name, *others = said.plain or ("",)
    if name in {"run-many", "affected"}:
        named = said.values({"-t", "--target", "--targets"})
        targets = [each for value in named for each in value.split(",") if each]
        packages = tuple("" if "tag:" in each else each for each in said.selectors(split=True))
        return Call(tuple(map(re.escape, targets)), said.rest, packages) if targets else None
    if name == "run" and others and ":" in others[0]:
        package, target, *_ = others[0].split(":")
        return Call((re.escape(target),), said.rest, (package,))
    if re.fullmatch(r"[\w:-]+", name):
        return Call((re.escape(name),), said.rest, (others[0],) if others else None)
    return None


def _series(words: Sequence[str]) -> Iterator[Call]:
    """`run-s lint "test:* -- --x"`: `*` stands for a part of a name between colons."""
    for word in words:
        name, *arguments = word.split() or [""]
        if name and not name.startswith("-"):
            yield Call((of_series(name),), tuple(each for each in arguments if each != "--"))


_READERS: Mapping[str, Callable[[Sequence[str]], Call | None]] = {
    "npm": _npm,
    "npx": _npx,
    "pnpm": _pnpm,
    "pnpx": _npx,
    "yarn": _yarn,
    "yarnpkg": _yarn,
    "bun": _bun,
    "bunx": _npx,
    "lerna": _lerna,
    "turbo": _turbo,
    "nx": _nx,
}
