"""The environment in which git reads repositories that others made."""

from __future__ import annotations

from collections.abc import Mapping

_QUIET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
}


def quiet_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would lead git elsewhere; it asks nothing, and fetches nothing that lacks.

    Older versions of git know no `GIT_NO_LAZY_FETCH`; for them no protocol is allowed.
    """
    return {name: value for name, value in environment.items() if not name.startswith("GIT_")} | _QUIET
