"""What can be chosen for a run: what every run has, and what a replay of tapes has beyond it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from replay.tapes.tape import Tests
from server.providers.probing import SERVERS
from server.settings import Settings

ORACLE = "oracle"
"""The provider that answers with what was really written."""
QUICK = frozenset({ORACLE, "recorded", "fixed", "ngram"})
"""Providers that need no core of their own, and give the same answer each time."""
ClusterBy: TypeAlias = Literal["hole", "function", "tape", "program"]
"""What the moments of a cluster have in common (`replay.numbers.clusters`)."""

FREE = QUICK | {"gguf"}
"""Providers that cost nothing but time."""


class FolderTests(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What `[tests]` of a `ghosttape.toml` names of how projects are tested, in the words of a tape (`Tests`); it may name some members only."""

    toolchain: str | UnsetType = UNSET
    command: str | UnsetType = UNSET
    requires: tuple[str, ...] | UnsetType = UNSET
    setup: str | UnsetType = UNSET
    cwd: str | UnsetType = UNSET
    timeout_s: float | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Refuse what a tape may not say either."""
        Tests(**{"toolchain": "none", "command": "true", **self.named})

    @property
    def named(self) -> dict[str, Any]:
        """The members that are named, by name."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not UNSET}


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
    concurrency: int = 1
    """How many questions a model server gets at once, where moments stand alone. It changes no answer."""
    instructions: tuple[str, ...] = ()
    """Ids of the instructions of developers that each suggestion is checked against."""
    keep_going: bool = False
    """Ask also where nothing can come of it: the finished project fails its own tests, or the provider fails again and again."""

    @property
    def is_oracle(self) -> bool:
        """Whether the answers are what was really written, taken from the tape or the corpus itself."""
        return self.settings.provider.name == ORACLE and not self.settings.provider.answers

    @property
    def answers_are_known(self) -> bool:
        """Whether every answer is known before it is asked for, so that no provider has to work."""
        return self.is_oracle

    @property
    def is_free(self) -> bool:
        """Whether no answer costs anything but time: it is known, or comes from this machine."""
        return self.answers_are_known or self.settings.provider.name in FREE

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

    def places(self, *, is_timed: bool) -> int:
        """How many questions are under way at most: several only where moments stand alone, and a model server answers."""
        return self.concurrency if self.provider in SERVERS and not is_timed else 1

    def kept(self) -> dict[str, Any]:
        """The options as they stand beside the run: a run is continued only under the same. Clusters and patience change no moment."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        del values["cluster_by"], values["keep_going"], values["concurrency"]
        for name in ("requests_per_minute", "tokens_per_minute"):
            del values["settings"]["provider"][name]
        record = values["settings"]["provider"]["record"]
        for name in (
            "shares",
            "places",
            "most_questions",
            "most_cost",
            "price",
        ):  # of an experiment: they change no answer
            del record[name]
        if not self.settings.provider.pass_keys:  # as in runs of versions that had no such setting
            del values["settings"]["provider"]["pass_keys"]
        if not self.moments:  # as in runs of versions that had no such choice
            del values["moments"]
        if not self.instructions:  # likewise
            del values["instructions"]
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
    excluded: tuple[str, ...] = ()
    """Ask in no document whose path begins with one of these, or matches it as a pattern (`replay.tapes.chosen_paths`)."""
    projects: tuple[str, ...] = ()
    """Clones of repositories, for tapes whose project is a commit."""
    project_tests: FolderTests | None = None
    """How projects are tested: each member that is named takes the place of the tape's own."""
    tests_over: dict[Literal["toolchain", "setup", "command"], str] = {}
    """What takes the place of a tape's own words, and of those before."""
    also_requires: tuple[str, ...] = ()
    """Packages beside those that the tests of a project require."""
    network_setup: bool = False
    """Whether set-up commands have the network; tests never have."""
    setup_env: tuple[str, ...] = ()
    """Names of variables of the environment that set-up commands get."""

    def kept(self) -> dict[str, Any]:
        """The options as they stand beside the run; those of later versions only where they are used, so that earlier runs go on."""
        kept = super().kept()
        return {name: value for name, value in kept.items() if value or name not in {"also_requires", "excluded"}}

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
