"""What `corpora mine` runs with: its flags, over `ghosttape.toml`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from corpora.corpus import LANGUAGE_NAMES
from corpora.mined.corpus_file import GapKind, MinedCategory
from corpora.mining.choosing import GapChoice
from replay.options import ReplayOptions
from server.nearest import did_you_mean
from server.settings import Settings
from syntax.languages import LANGUAGES
from tui.commands.options.configuration import replay_options
from tui.commands.options.flags import RepositoryFlags
from tui.commands.options.parameters import Given, members_of, words
from tui.commands.options.run_options import checked_tests, requires_of
from tui.errors import ConfigurationError


def choice_of(
    languages: str,
    kinds: str,
    categories: str,
    lines: int,
    *,
    paths: Sequence[str] | None = None,
    excluded: Sequence[str] | None = None,
) -> GapChoice:
    """Which gaps are wanted.

    Raises:
        ConfigurationError: a language, a kind or a category is not known.

    """
    return GapChoice(
        _known([LANGUAGE_NAMES.get(word, word) for word in words(languages)], tuple(LANGUAGES), "language"),
        _known(words(kinds), get_args(GapKind), "kind of gap"),
        _known(words(categories), get_args(MinedCategory), "category"),
        lines,
        tuple(paths or ()),
        tuple(excluded or ()),
    )


def _known(named: Sequence[str], known: Sequence[str], what: str) -> tuple[Any, ...]:
    if unknown := next((name for name in named if name not in known), ""):
        raise ConfigurationError(
            f"no {what} is called {unknown!r}{did_you_mean(unknown, known)}: choose one of {', '.join(known)}"
        )
    return tuple(name for name in known if name in named)


def testing_of(repository: RepositoryFlags, rights: Given, sandbox: str) -> ReplayOptions:
    """How the repository is tested, as a replay of its tapes would: what flags say over `[tests]` of `ghosttape.toml`.

    Raises:
        ConfigurationError: the file or a flag is malformed.

    """
    members = members_of(ReplayOptions, rights)
    return replay_options(
        Settings(),
        sandbox=sandbox,
        network_setup=members["network_setup"],
        setup_env=members["setup_env"],
        tests_over=tests_over(repository),
        also_requires=requires_of(repository.requires),
    )


def tests_over(repository: RepositoryFlags) -> dict[str, str]:
    """What flags say of how a repository is tested.

    Raises:
        ConfigurationError: there is no such toolchain.

    """
    said = {"toolchain": repository.toolchain, "setup": repository.setup, "command": repository.test_command}
    return checked_tests({name: value for name, value in said.items() if value is not None})
