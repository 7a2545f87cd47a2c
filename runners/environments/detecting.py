"""How a project may be tested, according to its own files. They are read, and nothing of them runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from runners.environments.candidate import Candidate
from runners.environments.compiled import compiled_candidates
from runners.environments.manifests import Files, readable, until_refused
from runners.environments.node import candidates as node
from runners.environments.python import candidates as python
from runners.environments.python.candidates import AS_GHOSTTAPE_RUNS
from runners.environments.python.imports import is_test
from runners.toolchains import language_of

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")


def candidates(files: Files, toolchain: str = "") -> Iterator[Candidate]:
    """The ways in which a project with these files (path → text) may be tested, the likeliest first; none where nothing shows one.

    Of several languages the one with the most files of tests comes first. `toolchain`: the one that is asked for; a version in it
    (`python3.9`) counts before what the files say.
    """
    files = readable(files)
    made: dict[str, tuple[Callable[[Files], Iterator[Candidate]], int]] = {
        "python": (lambda files: python.python_candidates(files, toolchain), sum(map(is_test, files))),
        "node": (node.node_candidates, sum(map(node.is_test, files))),
    }
    for find, _ in sorted(made.values(), key=lambda each: -each[1]):
        yield from filter(_can_run, until_refused(find(files)))
    yield from filter(_can_run, until_refused(compiled_candidates(files)))


def _can_run(candidate: Candidate) -> bool:
    """Whether the words of a candidate can be given to a program: NUL and halves of surrogate pairs cannot."""
    plan = candidate.plan
    return not any(_UNWRITABLE.search(text) for text in (plan.command, plan.setup, plan.cwd, *plan.requires))


def likeliest(files: Files) -> Candidate | None:
    """The likeliest of the `candidates`, none of which has been tried; None where nothing in the files shows how they are tested.

    A version of Python only where it binds: another machine may have others of those with which a project is worked on.
    """
    first = next(found := candidates(files), None)
    if first is None or first.plan.toolchain in {"", "python"} or language_of(first.plan.toolchain) != "python":
        return first
    return next((each for each in found if each.name == first.name + AS_GHOSTTAPE_RUNS), first)
