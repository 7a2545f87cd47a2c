"""What can be chosen for a replay."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from replay.tape import Tests


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One configuration of a replay. `settings` are the language server's initialization options."""

    settings: dict[str, Any] = {}
    policy: str = "blocks"
    policies: dict[str, dict[str, Any]] = {}
    """Policies of one's own, by name (`replay.policies.policy_of`)."""
    user: str = "exact"
    latency: str = "measured"
    mode: Literal["judge", "drive"] = "judge"
    ablate: Literal["", "repairs"] = ""
    """Judge each answer with all repairs, with none, and with each one left out (`replay.ablation`)."""
    seed: int = 0
    sandbox: str = "auto"
    tests: bool = True
    which_tests: Literal["all", "touching"] = "all"
    """What each graft runs: all tests, or those that touch the function it stands in (`replay.selection`)."""
    limit: int | None = None
    paths: tuple[str, ...] = ()
    """Ask only in documents whose path begins with one of these; everywhere when empty."""
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
