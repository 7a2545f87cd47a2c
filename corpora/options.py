"""What can be chosen for an evaluation, and which tasks that means."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from math import lcm
from typing import Any, Literal, TypeAlias

from corpora.tasks import Task
from replay.options import QUICK, ClusterBy, RunOptions

EVIDENCE = 512
"""Tokens of a prompt that functions of elsewhere may have in scenario 4 of blocks, unless the settings say otherwise: some providers have none for other places."""
WHOLE = 200_000
"""Tokens of a prompt that each side of the cursor may have where a model is shown whole files."""
LENGTH = 256
"""Tokens that an answer may have unless the settings say otherwise: an editor's 64 end in the middle of most tasks."""


Scoring = Literal["answer", "cleaned", "last", "published"]
"""What of an answer is tested: the answer, or the texts that the benchmark's own post-processor makes of it (`corpora.simcopilot.scoring`)."""
Scenario: TypeAlias = Literal[1, 2, 3, 4]
"""The scenarios of Codev-Bench, as its paper numbers them (`corpora.codev.scenes`)."""
ProgramForm = Literal["evaluator", "editor"]
"""How a task becomes a program: as the benchmark's own evaluator puts it together, or with the answer exactly at the cursor of the document."""


class EvaluateOptions(RunOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One configuration of an evaluation."""

    corpus: str
    data: str
    """The folder of its data."""
    languages: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    workers: Literal["cold", "warm"] = "cold"
    """Each program in a fresh process, or in processes that are kept."""
    packages: bool = True
    """Whether programs get the packages that the corpus knows of."""
    published: str = ""
    """The model whose published answers are judged; empty: the provider is asked."""
    programs: ProgramForm | None = None
    """How programs are put together; None: as the evaluator does where published answers are judged, else as an editor does."""
    scoring: Scoring = "answer"
    """What of an answer is tested."""
    all_tasks: bool | None = None
    """Whether answers to tasks that are not testable are tested too, for the shares over all tasks; None: where published answers are judged."""
    cluster_by: ClusterBy = "program"
    """A task is one program; all answers to it are one cluster."""
    scenario: Scenario = 1
    """What is asked of each block, of a corpus of blocks (`corpora.codev.scenes`)."""
    embeddings: str = ""
    """What functions are compared by in scenario 4 of blocks (`corpora.codev.retrieval.embedders`); empty: TF-IDF."""
    extra_rules: tuple[Literal["indent", "one-line", "empty"], ...] = ()
    """What answers to blocks must keep besides, to count as passed by the published script (`corpora.codev.extra_rules`)."""
    project: str = ""
    """Where the repository of a mined corpus is now; empty: where it was mined."""
    network_setup: bool = False
    """Whether the set-up command of a mined corpus has the network; tests never have."""
    setup_env: tuple[str, ...] = ()
    """Names of variables of the environment that it gets."""

    @property
    def answers_are_known(self) -> bool:
        """Whether every answer is the ground truth, or published."""
        return self.is_oracle or bool(self.published)

    @property
    def program_form(self) -> ProgramForm:
        """How programs are put together."""
        return self.programs or ("evaluator" if self.published else "editor")

    @property
    def tests_all_tasks(self) -> bool:
        """Whether there are shares over all tasks. The oracle has no others; an ablation is about repairs."""
        wanted = bool(self.published) and not self.ablate if self.all_tasks is None else self.all_tasks
        return wanted and self.tests and not self.is_oracle

    @property
    def provider(self) -> str:
        """The provider, or the model whose answers were published."""
        return self.published or self.settings.provider.name

    @property
    def name(self) -> str:
        """The corpus and the provider."""
        return f"{self.corpus}-{self.provider}"

    @property
    def times_the_model(self) -> bool:
        """Whether a model works here beside the tests."""
        return not self.published and self.settings.provider.name not in QUICK

    def kept(self) -> dict[str, Any]:
        """The options as they stand beside the run; where the data lies changes no result."""
        kept = super().kept() | {"programs": self.program_form, "all_tasks": self.tests_all_tasks}
        left_out = {"data", "project"} | {name for name in ("network_setup", "setup_env") if not kept[name]}
        left_out |= set() if self.tests_all_tasks else {"all_tasks"}  # as in runs of versions without that choice
        left_out |= {"scoring"} if self.scoring == "answer" else set()  # likewise
        left_out |= {"scenario"} if self.scenario == 1 else set()
        left_out |= {name for name in ("embeddings", "extra_rules") if not kept[name]}
        return {name: value for name, value in kept.items() if name not in left_out}


def drawn(tasks: Sequence[Task], limit: int | None, seed: int) -> list[Task]:
    """At most `limit` tasks, evenly of all languages and categories, those of each drawn by the seed; in their own order.

    A larger limit keeps what a smaller one took. Tasks that cannot be tested with this data are drawn last of their language and category.
    """
    if limit is None or limit >= len(tasks):
        return list(tasks)
    cells: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in sorted(tasks, key=lambda task: (bool(task.lacks), _lot(task, seed))):
        cells[task.language, task.category].append(task)
    rounds = zip_longest(*(cells[cell] for cell in _spread(tasks) if cell in cells))
    taken = {task.name for task in islice((task for task in chain.from_iterable(rounds) if task), limit)}
    return [task for task in tasks if task.name in taken]


def _spread(tasks: Sequence[Task]) -> Iterator[tuple[str, str]]:
    """Every pair of a language and a category, in an order in which both change with each step: any beginning of it is spread over both.

    Of 2 languages and 4 categories: a1 b2 a3 b4, then a2 b3 a4 b1.
    """
    languages, categories = (
        list(dict.fromkeys(getattr(task, name) for task in tasks)) for name in ("language", "category")
    )
    cycle = lcm(len(languages), len(categories))
    for step in range(len(languages) * len(categories)):
        yield languages[step % len(languages)], categories[(step + step // cycle) % len(categories)]


def _lot(task: Task, seed: int) -> str:
    return hashlib.sha256(f"{seed}\0{task.name}".encode()).hexdigest()
