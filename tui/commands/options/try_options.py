"""The flags of `ghosttape try`: which commits are typed, and how it is found out how the repository is tested."""

from __future__ import annotations

from typing import Annotated

from server.option import Option
from tui.declared_flags import Flags

LAST, LAST_CHOSEN, LIMIT = 5, 20, 10
"""Without other words the newest five commits that give a session are typed, of those that flags choose the newest twenty, and each is asked about ten times."""


class TryFlags(Flags, frozen=True, kw_only=True):
    """What is of `ghosttape try` alone."""

    last: Annotated[int | None, Option(min=1, metavar="N", panel="Tapes")] = None
    """The newest N commits that give a session (default: 5, or 20 of those that --since, --author or --range choose)."""
    since: Annotated[str | None, Option(metavar="DATE", panel="Tapes")] = None
    """Only commits since this date, as git reads dates."""
    author: Annotated[str | None, Option(metavar="TEXT", panel="Tapes")] = None
    """Only commits of this author, as git finds them."""
    sample: Annotated[int | None, Option(min=1, metavar="N", panel="Tapes")] = None
    """N commits, drawn by the seed."""
    revisions: Annotated[str | None, Option(flag="--range", metavar="A..B", panel="Tapes")] = None
    """The commits after A up to B, or one commit."""
    merges: Annotated[str | None, Option(metavar="all|first-parent", panel="Tapes")] = None
    """all: what merges brought in, commit by commit; first-parent: each merge as one session."""
    limit: Annotated[int, Option(min=0, metavar="N", panel="Tapes")] = LIMIT
    """Ask at most this often in each session; 0 for all its moments."""
    save: Annotated[bool, Option(panel="Tests and sandbox")] = False
    """Write what was found out of the tests to ghosttape.toml in the current folder, to be corrected; it counts for this repository alone."""
    ask_model: Annotated[bool, Option(panel="Tests and sandbox")] = False
    """Where no rule finds out how the project is tested, ask the model of --provider (openai, ollama, anthropic). It is sent the names of the files, the texts of those that describe the project (pyproject.toml, package.json, Makefile, workflows, README, …, also setup.py, noxfile.py, build files and the configuration of test runners, which are code; at most 30,000 characters, no .env and the like, credentials covered), and what was tried with the ends of the logs. What it proposes is shown, and runs in the sandbox only after you say yes; the network is only for the set-up of a proposal that asks for it, with --allow-network-setup."""
    run_proposals: Annotated[bool, Option(panel="Tests and sandbox")] = False
    """With --ask-model: run what is proposed without a question, in the sandbox all the same."""
    test_timeout: Annotated[float | None, Option(min=1.0, metavar="SECONDS", panel="Tests and sandbox")] = None
    """How long a run of the tests may take, when it is found out how they run and later (default: 60 s for Python and JavaScript while it is found out, which takes 100 s at most; then six times what they took). Finding out has 50 s more."""
    try_again: Annotated[bool, Option(panel="Tests and sandbox")] = False
    """Try again the ways to test the repository that failed before, for the same commit and flags."""
