"""The command `corpora export`: a corpus of blocks in, the layout in which Codev-Bench is published out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from corpora.codev.checkouts import checkout_of
from corpora.codev.layout import LayoutPart, write_layout
from corpora.codev.retrieval.evidence import FunctionIndex
from corpora.codev.samples import CodevHead, CodevRepository, read_samples
from corpora.mined.checkout import Checkout
from tui.errors import ConfigurationError


async def export(name: str, file: Path, out: Path, project: Path | None, python: str) -> dict[str, Any]:
    """Write the layout; return what was written.

    Raises:
        ConfigurationError: no such kind of corpus, or `project` names the place of one of several repositories.
        DataError: the corpus or a repository is not as it was, or is not tested by pytest.

    """
    if name != "codev":
        raise ConfigurationError(f"only corpora of the kind codev are exported, not {name!r}")
    head, samples = read_samples(file)
    parts = [
        LayoutPart(
            entry,
            checkout,
            [one for one in samples if one.repository == entry.name],
            FunctionIndex.by_words(checkout.files),
        )
        for entry, checkout in _checkouts(file, head, project)
    ]
    counted = await write_layout(out, parts, python=python)
    return {"folder": str(out), "repositories": [part.repository.name for part in parts], "rows": counted}


def _checkouts(file: Path, head: CodevHead, project: Path | None) -> Iterator[tuple[CodevRepository, Checkout]]:
    if project is not None and len(head.repositories) > 1:
        raise ConfigurationError("--project names the place of one repository, and the corpus has several")
    for entry in head.repositories:
        yield entry, checkout_of(file, entry, project)


def show_exported(found: dict[str, Any]) -> None:
    """Print what was written."""
    for mode, count in found["rows"].items():
        typer.echo(f"{count:6,}  {mode}")
    typer.echo(f"in {found['folder']}, of {', '.join(found['repositories'])}")
    typer.echo(f"Ask a model: ghosttape evaluate codev --data {shlex.quote(found['folder'])} --provider NAME")
