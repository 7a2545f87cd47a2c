"""All flags of `replay` and of `evaluate`, in the order of their help, with their defaults; `flags` says what each means."""

from __future__ import annotations

from dataclasses import dataclass

from tui.commands.options import flags


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFlags:
    """What `ghosttape replay` is called with, beside its tapes."""

    provider: flags.ProviderFlag = ""
    model: flags.ModelFlag = ""
    base_url: flags.BaseUrl = ""
    command: flags.LanguageServerFlag = ""
    answers: flags.Answers = ""
    text: flags.Text = ""
    record_answers: flags.RecordAnswers = None
    replay_answers: flags.ReplayAnswers = None
    require_recorded: flags.RequireRecorded = None
    settings: flags.SettingsJson = "{}"
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
    samples: flags.Samples = 1
    path: flags.Paths = None
    include_tests: flags.IncludeTests = False
    drop_torn: flags.DropTorn = False
    project: flags.Projects = None
    toolchain: flags.ToolchainFlag = None
    setup: flags.SetUp = None
    test_command: flags.TestCommand = None
    allow_network_setup: flags.AllowNetworkSetup = False
    setup_env: flags.SetUpEnv = None
    cluster_by: flags.ClusterByFlag = "hole"
    seed: flags.Seed = 0
    out: flags.RunToGoOn = None
    json: flags.JsonFlag = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateFlags:
    """What `ghosttape evaluate` is called with, beside its corpus."""

    data: flags.Data = None
    provider: flags.ProviderFlag = ""
    model: flags.ModelFlag = ""
    base_url: flags.BaseUrl = ""
    command: flags.LanguageServerFlag = ""
    answers: flags.Answers = ""
    text: flags.Text = ""
    published: flags.Published = ""
    record_answers: flags.RecordAnswers = None
    replay_answers: flags.ReplayAnswers = None
    require_recorded: flags.RequireRecorded = None
    settings: flags.SettingsJson = "{}"
    languages: flags.Languages = ""
    categories: flags.Categories = ""
    limit: flags.TaskLimit = None
    moment: flags.Moments = None
    samples: flags.Samples = 1
    repairs: flags.Repairs = None
    ablate: flags.Ablate = ""
    sandbox: flags.ProgramSandbox = "auto"
    workers: flags.Workers = "cold"
    no_tests: flags.NoPrograms = False
    no_packages: flags.NoPackages = False
    programs: flags.ProgramFormFlag = None
    cluster_by: flags.ClusterByFlag = "program"
    seed: flags.Seed = 0
    live: flags.Live = False
    out: flags.RunToGoOn = None
    json: flags.JsonFlag = False
