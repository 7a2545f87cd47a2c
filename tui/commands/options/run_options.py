"""What `replay` and `evaluate` run with: their flags, over the environment and `ghosttape.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import structs

from corpora.corpus import card_for, usual_context
from corpora.evaluation_options import LENGTH, EvaluateOptions
from corpora.labels.groups import GROUPS, LabelName
from replay.options import ReplayOptions
from replay.tapes.tape import unknown_toolchain
from runners.errors import RequirementRefused
from server.nearest import did_you_mean
from server.settings import ContextSettings, ProviderSettings, Settings
from tui.commands.options.chat_options import in_a_chat
from tui.commands.options.configuration import NO_FILE, File, options_of, replay_options, settings_of
from tui.commands.options.corpus_data import named_corpus
from tui.commands.options.flags import RepositoryFlags, ServerFlags
from tui.declared_flags import Given, members_of, words
from tui.errors import ConfigurationError


def options_of_replay(given: Given, server: ServerFlags, *, over: File = NO_FILE) -> ReplayOptions:
    """The options of a replay; the policies and tests of the file `over` that of the folder count before its own.

    Raises:
        ConfigurationError, ReplayError: a flag is malformed or names something unknown.

    """
    members = members_of(ReplayOptions, given)
    chosen = _SettingsFlags.of(members, server)
    settings = settings_of(server.settings, chosen.flags, repairs=chosen.repairs, others=chosen.others)
    members["instructions"] = instructions_of(given.get("instructions", ""), tests=members["tests"])
    members["tests_over"] = checked_tests(members.pop("project_tests", {}))
    requires_of(members["also_requires"])
    return replay_options(settings, over=over, **members)


class _SettingsFlags(NamedTuple):
    """The flags of the server's settings, as `settings_of` takes them."""

    flags: dict[str, Any]
    repairs: str | None
    others: dict[str, Any]

    @classmethod
    def of(cls, members: dict[str, Any], server: ServerFlags) -> _SettingsFlags:
        """Take them out of the options that flags mean."""
        settings = members.pop("settings", {})
        provider, repairs = settings.pop("provider", {}), settings.pop("repairs", None)
        return cls({**provider, "record": server.record}, repairs, settings)


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


def checked_tests(over: Mapping[str, str]) -> dict[str, str]:
    """The flags that replace how projects are tested.

    Raises:
        ConfigurationError: there is no such toolchain.

    """
    if wrong := unknown_toolchain(over["toolchain"]) if "toolchain" in over else "":
        raise ConfigurationError(f"--toolchain: {wrong}")
    return dict(over)


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
    """The flags that replace how a repository is tested.

    Raises:
        ConfigurationError: there is no such toolchain.

    """
    over = {"toolchain": repository.toolchain, "setup": repository.setup, "command": repository.test_command}
    return checked_tests({name: value for name, value in over.items() if value is not None})


def options_of_evaluation(
    given: Given, server: ServerFlags, *, corpus: str, data: Path | None = None, chat: str = ""
) -> EvaluateOptions:
    """The options of an evaluation.

    Raises:
        ConfigurationError, SettingsError: a flag is malformed or names something unknown.

    """
    members = members_of(EvaluateOptions, given)
    chosen = _SettingsFlags.of(members, server)
    name, found = named_corpus(corpus, data)
    settings = evaluate_settings(
        server.settings,
        chosen.flags,
        chosen.repairs,
        others=chosen.others,
        published=members["published"],
        ablate=members["ablate"],
        scoring=members["scoring"],
        context=usual_context(name, found, members),
        chat=chat,
    )
    members["instructions"] = instructions_of(given.get("instructions", ""), tests=members["tests"])
    members.setdefault("cluster_by", card_for(name, found).cluster_by)
    check_repository(found, members)
    return options_of(EvaluateOptions, settings=settings, corpus=name, data=str(found), **members)


def check_repository(data: Path, members: Mapping[str, Any]) -> None:
    """Refuse options of the repository of a mined corpus where the corpus is a benchmark, whose tests need no set-up.

    Raises:
        ConfigurationError: such an option is chosen.

    """
    if not data.is_file() and any(members[name] for name in ("project", "network_setup", "setup_env")):
        raise ConfigurationError(
            "--project, --allow-network-setup and --setup-env are for the repository of a mined corpus: leave them out"
        )


def evaluate_settings(
    settings: str,
    flags: Mapping[str, Any],
    repairs: str | None,
    *,
    published: str,
    ablate: str = "",
    scoring: str = "answer",
    context: ContextSettings | None = None,
    chat: str = "",
    others: Mapping[str, Any] = MappingProxyType({}),
) -> Settings:
    """The server's settings for an evaluation: answers may have `LENGTH` tokens, and prompts the corpus' own `context`, unless anything names other numbers.

    Published answers are judged as they were published, without repairs, unless repairs are named or compared (`ablate`). A benchmark's own
    post-processor gets them likewise.

    Raises:
        SettingsError, ConfigurationError: a flag is malformed, or names something unknown.

    """
    if scoring != "answer" and ablate:
        raise ConfigurationError(f"--ablate compares our repairs, and --scoring {scoring} has none: leave one out")
    if scoring != "answer" and repairs not in {None, "none"}:
        raise ConfigurationError(f"--scoring {scoring} takes answers as they come: leave --repairs out")
    if published and (flags.get("name", "") not in {"", "recorded"} or flags.get("answers")):
        raise ConfigurationError("--published takes the answers from the corpus: leave --provider and --answers out")
    named = {**flags, "name": "recorded", "required": True} if published else flags
    base = Settings(provider=ProviderSettings(max_tokens=LENGTH), context=context or ContextSettings())
    as_published = structs.replace(base, repairs=()) if published and not ablate else base
    steps = repairs if scoring == "answer" else "none"
    made = settings_of(settings, named, base=as_published, repairs=steps, others=others)
    return in_a_chat(made, chat) if chat else made


def generation_settings(settings: str, flags: Mapping[str, Any]) -> Settings:
    """The server's settings for new tasks: up to 4,000 tokens and a temperature of 0.7, as DevBench's authors had them, unless anything names others.

    Raises:
        SettingsError, ConfigurationError: a flag is malformed, or names something unknown.

    """
    asked = ProviderSettings(max_tokens=4000, temperature=0.7, timeout_s=600.0)
    return settings_of(settings, flags, base=Settings(provider=asked))


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


def instructions_of(named: str, *, tests: bool) -> tuple[str, ...]:
    """The ids of `--instructions`.

    Raises:
        ConfigurationError: nothing is judged in this run.
        InstructionError: a word is not known, or no rule can check any of them.

    """
    if named and not tests:
        raise ConfigurationError("--instructions checks what is judged: leave --no-tests out")
    if not named:
        return ()
    from corpora.codealign.instruction_selection import (
        ids_for_a_run,  # with its rules, a tenth of the start of a run without them
    )

    return ids_for_a_run(named)
