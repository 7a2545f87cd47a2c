"""What can be chosen for a run: what every run has, and what a replay of tapes has beyond it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from replay.tapes.tape import Tests
from server.settings import Settings

ORACLE = "oracle"
"""The provider that answers with what was really written."""
QUICK = frozenset({ORACLE, "recorded", "fixed", "ngram"})
"""Providers that need no core of their own, and give the same answer each time."""
ClusterBy: TypeAlias = Literal["hole", "function", "tape", "program"]
"""What the moments of a cluster have in common (`replay.numbers.clusters`)."""

FREE = QUICK | {"gguf"}
"""Providers that cost nothing but time."""


class RunOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One configuration of a run, wherever its moments come from."""

    settings: Settings = Settings()
    """The language server's settings."""
    samples: int = 1
    """Answers asked for at each moment."""
    ablate: Literal["", "repairs"] = ""
    """Judge each answer with all repairs, with none, and with each one left out (`replay.run.ablation`)."""
    seed: int = 0
    sandbox: str = "auto"
    tests: bool = True
    limit: int | None = None
    """The most moments that are asked about: of each tape, or of all tasks."""
    moments: tuple[str, ...] = ()
    """Ask only at the moments of these ids; everywhere when empty."""
    cluster_by: ClusterBy = "hole"
    """Which moments are not independent of each other: the intervals of all figures go by it."""

    @property
    def is_oracle(self) -> bool:
        """Whether the answers are what was really written, taken from the tape or the corpus itself."""
        return self.settings.provider.name == ORACLE and not self.settings.provider.answers

    @property
    def answers_are_known(self) -> bool:
        """Whether every answer is known before it is asked for, so that no provider has to work."""
        return self.is_oracle

    @property
    def provider(self) -> str:
        """Where the answers come from, in a word."""
        return self.settings.provider.name

    @property
    def name(self) -> str:
        """What kind of run this is, for the name of its folder."""
        return self.provider

    @property
    def times_the_model(self) -> bool:
        """Whether the model's time is measured, so that one core stays free for it."""
        return True

    @property
    def asks_missed(self) -> bool:
        """Whether requests that were given up are asked again after the session, to say what would have been shown."""
        return False

    def kept(self) -> dict[str, Any]:
        """The options as they stand beside the run: a run is continued only under the same. Clusters change no moment."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        del values["cluster_by"]
        if not self.moments:  # as in runs of versions that had no such choice
            del values["moments"]
        return values


class ReplayOptions(RunOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One configuration of a replay."""

    policy: str = "blocks"
    policies: dict[str, dict[str, Any]] = {}
    """Policies of one's own, by name (`replay.play.policies.policy.policy_of`)."""
    user: str = "exact"
    latency: str = "measured"
    mode: Literal["judge", "drive"] = "judge"
    ask_missed: bool | None = None
    """Ask again, after a session in judge mode, what the editor gave up (`replay.run.missed`). None: if it costs nothing (`FREE`)."""
    which_tests: Literal["all", "touching"] = "all"
    """What each graft runs: all tests, or those that touch the function it stands in (`replay.judge.selection`)."""
    paths: tuple[str, ...] = ()
    """Ask only in documents whose path begins with one of these; everywhere when empty."""
    include_tests: bool = False
    """Ask in files of tests too. Where `paths` names documents, their kind does not matter."""
    projects: tuple[str, ...] = ()
    """Clones of repositories, for tapes whose project is a commit."""
    project_tests: Tests | None = None
    """How the project of a tape that carries no tests is tested."""
    tests_over: dict[Literal["toolchain", "setup", "command"], str] = {}
    """What takes the place of a tape's own words, and of those before."""
    network_setup: bool = False
    """Whether set-up commands have the network; tests never have."""
    setup_env: tuple[str, ...] = ()
    """Names of variables of the environment that set-up commands get."""

    @property
    def name(self) -> str:
        """The provider and the policy."""
        return f"{self.provider}-{self.policy}"

    @property
    def times_the_model(self) -> bool:
        """Whether the latency is measured."""
        return self.latency == "measured"

    @property
    def asks_missed(self) -> bool:
        """As they say; else where answers cost nothing: from this machine's own providers, or from a record that must have all."""
        settings = self.settings.provider
        is_free = settings.name in FREE or bool(settings.record.path and settings.record.mode == "require")
        return self.mode == "judge" and (is_free if self.ask_missed is None else self.ask_missed)
