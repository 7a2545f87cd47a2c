"""The flags of `ghosttape try`: which commits are typed, and what of a replay can be chosen there."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import typer

from tui.commands.options import corpus_flags, flags
from tui.commands.options.command_flags import ReplayFlags

LAST, LAST_CHOSEN, LIMIT = 5, 20, 10
"""Without other words the newest five commits that give a session are typed, of those that flags choose the newest twenty, and each is asked about ten times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TryFlags:
    """What is of `ghosttape try` alone, and what it has of `replay`."""

    last: Annotated[int | None, typer.Option(min=1, metavar="N", help=f"The newest N commits that give a session (default: {LAST}, or {LAST_CHOSEN} of those that --since, --author or --range choose).")] = None  # fmt: skip
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Only commits since this date, as git reads dates.")
    ] = None
    author: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only commits of this author, as git finds them.")
    ] = None
    sample: Annotated[int | None, typer.Option(min=1, metavar="N", help="N commits, drawn by the seed.")] = None
    revisions: Annotated[
        str | None, typer.Option("--range", metavar="A..B", help="The commits after A up to B, or one commit.")
    ] = None
    merges: Annotated[str | None, typer.Option(metavar="all|first-parent", help="all: what merges brought in, commit by commit; first-parent: each merge as one session.")] = None  # fmt: skip
    limit: Annotated[
        int, typer.Option(min=0, metavar="N", help="Ask at most this often in each session; 0 for all its moments.")
    ] = LIMIT
    save: Annotated[
        bool,
        typer.Option(
            "--save",
            help="Write what was found out of the tests to ghosttape.toml in the current folder, to be corrected; it counts for this repository alone.",
        ),
    ] = False
    ask_model: Annotated[
        bool,
        typer.Option(
            "--ask-model",
            help="Where no rule finds out how the project is tested, ask the model of --provider (openai, ollama, anthropic). It is sent the names of the files, "
            "the texts of those that describe the project (pyproject.toml, package.json, Makefile, workflows, README, …, also setup.py, noxfile.py, build files and the configuration of test runners, which are code; "
            "at most 30,000 characters, no .env and the like, credentials covered), and what was tried with the ends of the logs. What it proposes is shown, and runs in the sandbox only after you say yes; "
            "the network is only for the set-up of a proposal that asks for it, with --allow-network-setup.",
        ),
    ] = False
    run_proposals: Annotated[
        bool,
        typer.Option(
            "--run-proposals",
            help="With --ask-model: run what is proposed without a question, in the sandbox all the same.",
        ),
    ] = False
    policy: flags.PolicyFlag = "blocks"
    user: flags.UserFlag = "exact"
    latency: flags.LatencyFlag = "measured"
    repairs: flags.Repairs = None
    sandbox: flags.TestSandbox = "auto"
    tests: flags.WhichTests = "all"
    path: flags.Paths = None
    exclude: flags.Excluded = None
    toolchain: flags.ToolchainFlag = None
    setup: flags.SetUp = None
    test_command: flags.TestCommand = None
    test_timeout: Annotated[
        float | None,
        typer.Option(
            min=1.0,
            metavar="SECONDS",
            help="How long a run of the tests may take, when it is found out how they run and later (default: 60 s for Python and JavaScript while it is found out, which takes 100 s at most; then six times what they took). Finding out has 50 s more.",
        ),
    ] = None
    try_again: Annotated[
        bool,
        typer.Option(
            "--try-again",
            help="Try again the ways to test the repository that failed before, for the same commit and flags.",
        ),
    ] = False
    requires: flags.Requires = None
    allow_network_setup: flags.AllowNetworkSetup = False
    setup_env: flags.SetUpEnv = None
    keep_going: corpus_flags.KeepGoing = False
    cluster_by: flags.ClusterByFlag = "hole"
    seed: flags.Seed = 0
    out: corpus_flags.RunToGoOn = None
    json: flags.JsonFlag = False

    @property
    def replay(self) -> ReplayFlags:
        """The same as flags of a replay."""
        shared = {field.name for field in fields(ReplayFlags)} & {field.name for field in fields(self)} - {"limit"}
        return ReplayFlags(limit=self.limit or None, **{name: getattr(self, name) for name in shared})
