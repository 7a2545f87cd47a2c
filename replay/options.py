"""What can be chosen for a run: what every run has, and what a replay of tapes has beyond it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from replay.tapes.tape import Tests
from server.option import Option, identity
from server.settings import SERVERS, Settings

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

    toolchain: Annotated[str | UnsetType, Option(metavar="NAME", panel="Tests and sandbox")] = UNSET
    """What the projects are built and tested with: python (the one that runs ghosttape), python3.9 or another that is installed, node, typescript, java, cpp, csharp, go, rust, or none (what lies in /usr). Of toolchain, set-up, command and packages each counts for itself: flags before [tests] of ghosttape.toml, that before what the tape says."""
    command: Annotated[str | UnsetType, Option(flag="--test-command", metavar="COMMAND", panel="Tests and sandbox")] = (
        UNSET
    )
    """What tests the projects, in place of what ghosttape.toml or the tape says."""
    requires: tuple[str, ...] | UnsetType = UNSET
    setup: Annotated[str | UnsetType, Option(metavar="COMMAND", panel="Tests and sandbox")] = UNSET
    """What sets the projects up, once, in place of what ghosttape.toml or the tape says."""
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
    seed: Annotated[int, Option(panel="Model")] = 0
    """Seed of everything random."""
    samples: Annotated[int, Option(min=1, panel="Model")] = 1
    """Answers asked for at each moment or task: pass@k for k up to this."""
    ablate: Annotated[Literal["", "repairs"], Option(metavar="repairs", panel="Repairs")] = ""
    """repairs: repair each answer with all steps, with none, and with each step left out, run the tests on each, and say what every step gains and what it breaks. The model is asked once."""
    sandbox: Annotated[str, Option(panel="Tests and sandbox")] = "auto"
    """Where tests run: auto (bubblewrap, else unshare), either by name, docker, docker:IMAGE, or none (unsafe)."""
    tests: Annotated[bool, Option(flag="--no-tests", is_negated=True, panel="Tests and sandbox")] = True
    """Do not run any tests."""
    limit: Annotated[int | None, Option(min=1, panel="Tapes")] = None
    """Ask at most this often on each tape, for each sample."""
    moments: Annotated[tuple[str, ...], Option(flag="--moment", metavar="ID", panel="Tapes", is_later=True)] = ()
    """Ask only at this moment, by the id that the inspector copies (key C); repeatable."""
    cluster_by: Annotated[
        ClusterBy, Option(metavar="hole|function|tape|program", panel="Output", changes_results=False)
    ] = "hole"
    """Which moments are not independent: those of one hole, function, tape or program (document, task). Every interval goes by these clusters (docs/numbers.md)."""
    concurrency: Annotated[int, Option(min=1, max=256, panel="Model", changes_results=False)] = 1
    """Questions that a model server gets at once, where moments stand alone (--policy blocks, corpora). The results are the same."""
    instructions: Annotated[
        tuple[str, ...], Option(metavar="IDS|FILE", panel="Output", is_list=True, is_later=True)
    ] = ()
    """Check each suggestion against instructions of developers too, by rules: ids or types parted by commas (avoid-recursion,cosmetic), or a file with one on each line (docs/codealign.md)."""
    keep_going: Annotated[bool, Option(panel="Tests and sandbox", changes_results=False)] = False
    """Ask also where nothing comes of it: on tapes whose finished project fails its own tests (their moments are untestable), and when the provider cannot answer or fails five times in a row (those moments end as failed). Without it, such a tape is left out, and such a run ends or waits."""

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
        """The options as they stand beside the run: a run is continued only under the same."""
        return identity(self)


class ReplayOptions(RunOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One configuration of a replay."""

    policy: Annotated[str, Option(panel="When to ask")] = "blocks"
    """When to ask: blocks (starts and insides of code blocks), vscode, copilot, copilot-nes, tabby, continue, cody, zed, pause:MS, every, recorded (where the tape's assistant was asked), edits (next edits, after each group of edits), or one of ghosttape.toml. Numbers can be changed: vscode:debounce=75, blocks:at=header+operator."""
    policies: dict[str, dict[str, Any]] = {}
    """Policies of one's own, by name (`replay.play.policies.policy.policy_of`)."""
    user: Annotated[str, Option(panel="The person")] = "exact"
    """The person: exact (accepts what was typed next), words (accepts its words as far as they match), always, tests (accepts what passes them), recorded (decides as on the tape), or model (a fitted acceptance model)."""
    latency: Annotated[str, Option(panel="When to ask")] = "measured"
    """measured, fixed:MS, lognormal:MEDIAN,SIGMA, or tape (of the tape's own assistant)."""
    mode: Annotated[Literal["judge", "drive"], Option(panel="The person")] = "judge"
    """judge: each moment on its own, the tape goes on as recorded; drive: what is accepted stays, and the keys that are really needed are counted."""
    ask_missed: Annotated[bool | None, Option(flag="--ask-missed/--no-ask-missed", panel="When to ask")] = None
    """After a session in judge mode, ask again what the editor gave up (superseded, cancelled), so that the share that passes in time is one of all moments. By default only where answers cost nothing: gguf, ngram, oracle, recorded, fixed, and --require-recorded."""
    which_tests: Annotated[Literal["all", "touching"], Option(flag="--tests", panel="Tests and sandbox")] = "all"
    """What each suggestion runs: all tests, or touching: those that reach its function (pytest, node --test, vitest, jest, mocha), and on a sample all."""
    paths: Annotated[tuple[str, ...], Option(flag="--path", panel="Tapes")] = ()
    """Ask only in documents whose path begins with this; repeatable."""
    include_tests: Annotated[bool, Option(panel="Tapes")] = False
    """Ask in files of tests too (default: only in the code that they test).

    Where `paths` names documents, their kind does not matter.
    """
    excluded: Annotated[tuple[str, ...], Option(flag="--exclude", metavar="PATH", panel="Tapes", is_later=True)] = ()
    """Do not ask in documents whose path begins with this or matches it (docs/, *_pb2.py); repeatable, and stronger than --path."""
    projects: Annotated[tuple[str, ...], Option(flag="--project", is_path=True, panel="Tests and sandbox")] = ()
    """Clone of a repository, for tapes whose project is a commit of it; repeatable."""
    project_tests: FolderTests | None = None
    """How projects are tested: each member that is named takes the place of the tape's own."""
    tests_over: dict[Literal["toolchain", "setup", "command"], str] = {}
    """What takes the place of a tape's own words, and of those before: the flags of `FolderTests`."""
    also_requires: Annotated[
        tuple[str, ...], Option(flag="--requires", metavar="NAME", panel="Tests and sandbox", is_later=True)
    ] = ()
    """A package that the tests need (freezegun, pytest>=8; npm's name@range), installed beside what ghosttape.toml, or else the tape, requires; repeatable. None of its code runs while it is installed."""
    network_setup: Annotated[bool, Option(flag="--allow-network-setup", panel="Tests and sandbox")] = False
    """Let set-up commands use this machine's network. The tests still have none."""
    setup_env: Annotated[tuple[str, ...], Option(metavar="NAME", panel="Tests and sandbox")] = ()
    """Let set-up commands have this variable (a proxy, a registry); repeatable."""

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
