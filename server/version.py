"""The version of ghosttape, from the installed package: `pyproject.toml` is the only place that says it."""

from __future__ import annotations

from functools import cache


@cache
def version() -> str:
    """The version, as `0.1.0`."""
    from importlib.metadata import version as installed

    return installed("ghosttape")
