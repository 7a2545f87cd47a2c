"""The flags of `replay`, `evaluate` and `serve` in groups, in the order of the help, with their defaults; `flags` says what each means."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tui.commands.options import corpus_flags, flags


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderFlags:
    """Where completions come from."""

    provider: flags.ProviderFlag = ""
    model: flags.ModelFlag = ""
    base_url: flags.BaseUrl = ""
    command: flags.LanguageServerFlag = ""
    answers: flags.Answers = ""
    text: flags.Text = ""

    def members(self) -> dict[str, str]:
        """Return them as members of the setting `provider`; an empty one says nothing."""
        members = asdict(self)
        return {"name": members.pop("provider"), **members}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFlags:
    """How the language server is set, and what becomes of the answers of the model."""

    record_answers: flags.RecordAnswers = None
    replay_answers: flags.ReplayAnswers = None
    require_recorded: flags.RequireRecorded = None
    settings: flags.SettingsJson = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFlags:
    """What is of `ghosttape replay` alone, and how it differs from an evaluation."""

    policy: flags.PolicyFlag = "blocks"
    user: flags.UserFlag = "exact"
    latency: flags.LatencyFlag = "measured"
    mode: flags.Mode = "judge"
    ask_missed: flags.AskMissed = None
    speed: flags.Speed = None
    live: flags.Live = False
    repairs: flags.Repairs = None
    ablate: flags.Ablate = ""
    sandbox: flags.TestSandbox = "auto"
    tests: flags.WhichTests = "all"
    no_tests: flags.NoTests = False
    limit: flags.MomentLimit = None
    moment: flags.Moments = None
    samples: corpus_flags.Samples = 1
    path: flags.Paths = None
    exclude: flags.Excluded = None
    include_tests: flags.IncludeTests = False
    drop_torn: flags.DropTorn = False
    project: flags.Projects = None
    toolchain: flags.ToolchainFlag = None
    setup: flags.SetUp = None
    test_command: flags.TestCommand = None
    requires: flags.Requires = None
    allow_network_setup: flags.AllowNetworkSetup = False
    setup_env: flags.SetUpEnv = None
    instructions: flags.RunInstructions = ""
    cluster_by: flags.ClusterByFlag = "hole"
    seed: flags.Seed = 0
    concurrency: corpus_flags.Concurrency = 1
    keep_going: corpus_flags.KeepGoing = False
    out: corpus_flags.RunToGoOn = None
    json: flags.JsonFlag = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateFlags:
    """What is of `ghosttape evaluate` alone, and how it differs from a replay."""

    languages: corpus_flags.Languages = ""
    categories: corpus_flags.Categories = ""
    limit: corpus_flags.TaskLimit = None
    moment: flags.Moments = None
    samples: corpus_flags.Samples = 1
    repairs: flags.Repairs = None
    ablate: flags.Ablate = ""
    sandbox: corpus_flags.ProgramSandbox = "auto"
    workers: corpus_flags.Workers = "cold"
    no_tests: corpus_flags.NoPrograms = False
    no_packages: corpus_flags.NoPackages = False
    programs: corpus_flags.ProgramFormFlag = None
    scoring: corpus_flags.ScoringFlag = "answer"
    all_tasks: corpus_flags.AllTasks = None
    scenario: corpus_flags.ScenarioFlag = 1
    embeddings: corpus_flags.Embeddings = ""
    chat: corpus_flags.ChatWordsFlag = ""
    extra_rules: corpus_flags.ExtraRules = ""
    project: corpus_flags.RepositoryNow = None
    allow_network_setup: flags.AllowNetworkSetup = False
    setup_env: flags.SetUpEnv = None
    instructions: flags.RunInstructions = ""
    cluster_by: corpus_flags.CorpusClusterBy = None
    by: corpus_flags.ByLabels = ""
    seed: flags.Seed = 0
    concurrency: corpus_flags.Concurrency = 1
    live: flags.Live = False
    keep_going: corpus_flags.KeepGoing = False
    out: corpus_flags.RunToGoOn = None
    json: flags.JsonFlag = False
