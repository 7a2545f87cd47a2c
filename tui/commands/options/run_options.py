"""What `replay` and `evaluate` run with: their flags, over the environment and `ghosttape.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import structs

from corpora.codev.extra_rules import EXTRA_RULES
from corpora.corpus import is_of_blocks
from corpora.labels.groups import GROUPS, LabelName
from corpora.options import EVIDENCE, LENGTH, EvaluateOptions
from replay.options import ReplayOptions
from replay.tapes.tape import unknown_toolchain
from runners.errors import RequirementRefused
from server.nearest import did_you_mean
from server.settings import ContextSettings, ProviderSettings, Settings
from tui.commands.options.chats import in_a_chat
from tui.commands.options.command_flags import EvaluateFlags, ProviderFlags, ReplayFlags, ServerFlags
from tui.commands.options.configuration import (
    NO_FILE,
    File,
    options_of,
    record_of,
    replay_options,
    settings_of,
)
from tui.commands.options.corpus_data import named_corpus
from tui.errors import ConfigurationError


def options_of_replay(
    provider: ProviderFlags, server: ServerFlags, given: ReplayFlags, *, over: File = NO_FILE
) -> ReplayOptions:
    """The options of a replay; the policies and tests of the file `over` that of the folder count before its own.

    Raises:
        ConfigurationError, ReplayError: a flag is malformed or names something unknown.

    """
    projects = tuple(str(Path(folder).absolute()) for folder in given.project or ())
    where = {"limit": given.limit, "paths": tuple(given.path or ()), "include_tests": given.include_tests}
    where |= {"excluded": tuple(given.exclude or ())}
    return replay_options(
        settings_of(server.settings, _provider(provider, server), repairs=given.repairs),
        **_of_both(given),
        over=over,
        **where,
        **_project_tests(given),
        projects=projects,
        policy=given.policy,
        user=given.user,
        latency=given.latency,
        mode=given.mode,
        which_tests=given.tests,
        ask_missed=given.ask_missed,
    )


def _project_tests(given: ReplayFlags) -> dict[str, Any]:
    """How the projects of the tapes are tested; a flag that is not given says nothing."""
    return {
        "tests_over": tests_over(given.toolchain, given.setup, given.test_command),
        "also_requires": requires_of(given.requires),
        "network_setup": given.allow_network_setup,
        "setup_env": tuple(given.setup_env or ()),
    }


def requires_of(named: Sequence[str] | None) -> tuple[str, ...]:
    """The packages of `--requires`: names with versions, as pip or npm reads them.

    Raises:
        ConfigurationError: one is neither.

    """
    for each in named or ():
        if not _is_package(each):
            raise ConfigurationError(
                f"--requires {each!r}: it is no package name with versions: write it as in --requires 'attrs>=23' or --requires vitest@^2"
            )
    return tuple(named or ())


def _is_package(named: str) -> bool:
    from runners.toolchains import node, python

    for check in (python.checked_requirement, node.checked_requirement):
        with suppress(RequirementRefused):
            check(named)
            return True
    return False


def tests_over(toolchain: str | None, setup: str | None, command: str | None) -> dict[str, str]:
    """What takes the place of a project's own words on its tests; a flag that is not given says nothing.

    Raises:
        ConfigurationError: there is no such toolchain.

    """
    if wrong := unknown_toolchain(toolchain) if toolchain is not None else "":
        raise ConfigurationError(f"--toolchain: {wrong}")
    said = {"toolchain": toolchain, "setup": setup, "command": command}
    return {name: value for name, value in said.items() if value is not None}


def options_of_evaluation(
    provider: ProviderFlags,
    server: ServerFlags,
    given: EvaluateFlags,
    *,
    corpus: str,
    data: Path | None,
    published: str,
) -> EvaluateOptions:
    """The options of an evaluation.

    Raises:
        ConfigurationError, SettingsError: a flag is malformed or names something unknown.

    """
    if given.embeddings and not _shows_functions(given.scenario):
        raise ConfigurationError(
            "--embeddings finds functions for scenario 4 of blocks: add --scenario 4, or leave it out"
        )
    name, found = named_corpus(corpus, data)
    return options_of(
        EvaluateOptions,
        settings=evaluate_settings(
            server.settings,
            _provider(provider, server),
            given.repairs,
            published=published,
            ablate=given.ablate,
            scoring=given.scoring,
            scenario=given.scenario,
            chat=given.chat,
        ),
        **_of_both(given) | {"cluster_by": given.cluster_by or _clusters(name, found)},
        **repository_options(found, given.project, given.allow_network_setup, given.setup_env),
        scenario=given.scenario,
        embeddings=given.embeddings,
        extra_rules=_extra_rules(words(given.extra_rules), of_blocks=is_of_blocks(name, found)),
        corpus=name,
        data=str(found),
        published=published,
        languages=words(given.languages),
        categories=words(given.categories),
        limit=given.limit,
        workers=given.workers,
        packages=not given.no_packages,
        programs=given.programs,
        scoring=given.scoring,
        all_tasks=given.all_tasks,
    )


def _extra_rules(named: Sequence[str], *, of_blocks: bool) -> tuple[str, ...]:
    if unknown := next((rule for rule in named if rule not in EXTRA_RULES), ""):
        raise ConfigurationError(
            f"--extra-rules: {unknown!r} is none{did_you_mean(unknown, EXTRA_RULES)}: choose of {', '.join(EXTRA_RULES)}"
        )
    if named and not of_blocks:
        raise ConfigurationError("--extra-rules are about answers to blocks (codev): leave them out")
    return tuple(named)


def _clusters(name: str, data: Path) -> str:
    """What is not independent unless a flag says so: gaps of one function where the corpus comes from repositories, else gaps of one program."""
    return "function" if data.is_file() or is_of_blocks(name, data) else "program"


def repository_options(
    data: Path, project: Path | None, network: bool, variables: Sequence[str] | None
) -> dict[str, Any]:
    """What is said of the repository of a mined corpus, as options.

    Raises:
        ConfigurationError: it is said of a benchmark, whose tests need no set-up.

    """
    if not data.is_file() and (project is not None or network or variables):
        raise ConfigurationError(
            "--project, --allow-network-setup and --setup-env are for the repository of a mined corpus: leave them out"
        )
    where = str(project.absolute()) if project is not None else ""
    return {"project": where, "network_setup": network, "setup_env": tuple(variables or ())}


def evaluate_settings(
    settings: str,
    flags: Mapping[str, Any],
    repairs: str | None,
    *,
    published: str,
    ablate: str = "",
    scoring: str = "answer",
    scenario: int = 1,
    chat: str = "",
) -> Settings:
    """The server's settings for an evaluation: answers may have `LENGTH` tokens, unless anything names another number, and evidence (scenario 4 of blocks) `EVIDENCE`.

    Published answers are judged as they were published, without repairs, unless repairs are named or compared (`ablate`). A benchmark's own
    post-processor gets them likewise.

    Raises:
        SettingsError, ConfigurationError: a flag is malformed, or names something unknown.

    """
    if scoring != "answer" and ablate:
        raise ConfigurationError(f"--ablate compares our repairs, and --scoring {scoring} has none: leave one out")
    if scoring != "answer" and repairs not in {None, "none"}:
        raise ConfigurationError(f"--scoring {scoring} takes answers as they come: leave --repairs out")
    if published and (flags.get("name") not in {"", "recorded"} or flags.get("answers")):
        raise ConfigurationError("--published takes the answers from the corpus: leave --provider and --answers out")
    named = {**flags, "name": "recorded", "required": True} if published else flags
    context = ContextSettings(snippets=EVIDENCE if _shows_functions(scenario) else None)
    base = Settings(provider=ProviderSettings(max_tokens=LENGTH), context=context)
    as_published = structs.replace(base, repairs=()) if published and not ablate else base
    made = settings_of(settings, named, base=as_published, repairs=repairs if scoring == "answer" else "none")
    return in_a_chat(made, chat) if chat else made


def generation_settings(settings: str, flags: Mapping[str, Any]) -> Settings:
    """The server's settings for new tasks: up to 4,000 tokens and a temperature of 0.7, as DevBench's authors had them, unless anything names others.

    Raises:
        SettingsError, ConfigurationError: a flag is malformed, or names something unknown.

    """
    asked = ProviderSettings(max_tokens=4000, temperature=0.7, timeout_s=600.0)
    return settings_of(settings, flags, base=Settings(provider=asked))


def words(text: str) -> tuple[str, ...]:
    """The words of a flag that takes several, separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def labels_of_table(text: str) -> tuple[LabelName, ...]:
    """The labels that a table is to show, in their own order; none for an empty text.

    Raises:
        ConfigurationError: one is not known.

    """
    named = words(text)
    if unknown := next((name for name in named if name not in GROUPS), ""):
        raise ConfigurationError(
            f"--by knows no label {unknown!r}{did_you_mean(unknown, GROUPS)}: choose of {', '.join(GROUPS)}"
        )
    return tuple(name for name in GROUPS if name in named)


def _provider(provider: ProviderFlags, server: ServerFlags) -> dict[str, Any]:
    """Where completions come from and where they are recorded, as `settings_of` takes it."""
    record = record_of(server.record_answers, server.replay_answers, server.require_recorded)
    return {**provider.members(), "record": record}


def instructions_of(words: str, *, tests: bool) -> tuple[str, ...]:
    """The ids of `--instructions`.

    Raises:
        ConfigurationError: nothing is judged in this run.
        InstructionError: a word is not known, or no rule can check any of them.

    """
    if words and not tests:
        raise ConfigurationError("--instructions checks what is judged: leave --no-tests out")
    if not words:
        return ()
    from corpora.codealign.choosing import ids_for_a_run  # with its rules, a tenth of the start of a run without them

    return ids_for_a_run(words)


def _shows_functions(scenario: int) -> bool:
    """Whether a scenario of blocks comes with functions of the repository."""
    from corpora.codev.scenes import WITH_RETRIEVAL  # with all that knows blocks, which a replay does not need

    return scenario == WITH_RETRIEVAL


def _of_both(given: ReplayFlags | EvaluateFlags) -> dict[str, Any]:
    """The options that a replay and an evaluation share."""
    return {
        "moments": tuple(given.moment or ()),
        "samples": given.samples,
        "instructions": instructions_of(given.instructions, tests=not given.no_tests),
        "seed": given.seed,
        "ablate": given.ablate,
        "sandbox": given.sandbox,
        "tests": not given.no_tests,
        "cluster_by": given.cluster_by,
        "keep_going": given.keep_going,
        "concurrency": given.concurrency,
    }
