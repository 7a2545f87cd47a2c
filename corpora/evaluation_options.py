"""What can be chosen for an evaluation, and which tasks that means."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from math import lcm
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from msgspec import structs

from replay.options import QUICK, ClusterBy, RunOptions
from server.option import Option, identity

if TYPE_CHECKING:
    from corpora.tasks import Task  # with all that tests programs, a tenth of a second of each command's start

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
    data: Annotated[str, Option(flag="", changes_results=False)]
    """The folder of its data."""
    languages: Annotated[tuple[str, ...], Option(is_list=True, panel="Tasks")] = ()
    """Only these, comma-separated: python,java,…"""
    categories: Annotated[tuple[str, ...], Option(is_list=True, panel="Tasks")] = ()
    """Only these, comma-separated: low_context,…"""
    limit: Annotated[int | None, Option(min=1, panel="Tasks")] = None
    """At most so many tasks in all, drawn evenly of all languages and categories."""
    published: Annotated[str, Option(metavar="MODEL", panel="Model", table="providers")] = ""
    """Judge the answers of this model that were published with the benchmark.

    Empty: the provider is asked.
    """
    sandbox: Annotated[str, Option(panel="Tests and sandbox")] = "auto"
    """Where programs run: auto (the first that works), one by name, or none (unsafe)."""
    workers: Annotated[Literal["cold", "warm"], Option(panel="Tests and sandbox")] = "cold"
    """cold: each program in a fresh process; warm: in processes that are kept. Tests of blocks (codev) are always in kept ones, where that is sure to change no verdict."""
    tests: Annotated[bool, Option(flag="--no-tests", is_negated=True, panel="Tests and sandbox")] = True
    """Do not run any programs."""
    packages: Annotated[bool, Option(flag="--no-packages", is_negated=True, panel="Tests and sandbox")] = True
    """Install no packages for the programs: those that need some fail."""
    programs: Annotated[ProgramForm | None, Option(panel="Tests and sandbox")] = None
    """evaluator: put together as the benchmark's own script does (default with --published); editor: the answer exactly at the cursor."""
    scoring: Annotated[Scoring, Option(metavar="answer|cleaned|last|published", panel="Repairs", is_later=True)] = (
        "answer"
    )
    """answer: test each answer as it is offered, once. The others put it, without our repairs, through the post-processor of the benchmark (simcopilot has one): cleaned and last test its first and its last text; published counts the best of its three texts, chosen by the tests."""
    all_tasks: Annotated[
        bool | None, Option(flag="--all-tasks/--testable-tasks", panel="Tests and sandbox", is_later=True)
    ] = None
    """Test answers to tasks that are not testable too, for pass@k over all tasks as a benchmark publishes it (all@k); it never counts in pass@k. Costs a run of the program for each such answer. By default with --published only, and not with --ablate. The oracle has no untestable tasks."""
    scenario: Annotated[Scenario, Option(min=1, max=4, panel="Tasks", is_later=True)] = 1
    """Of a corpus of blocks, what is asked: 1 the whole block, 2 a part inside of it, 3 the block with the rest of the function or the file gone, 4 as 1 with the three most similar functions (docs/codev.md)."""
    embeddings: Annotated[str, Option(metavar="gguf|URL#MODEL", panel="Tasks", is_later=True)] = ""
    """In scenario 4 of blocks: find similar functions by embeddings, of the embedded model (gguf, gguf:FILE) or of a server with OpenAI's /embeddings (default: by TF-IDF, without a model)."""
    extra_rules: Annotated[
        tuple[Literal["indent", "one-line", "empty"], ...],
        Option(metavar="RULE,…", panel="Tests and sandbox", is_list=True, is_later=True),
    ] = ()
    """Of blocks: also the share that passes with extra rules of Codev-Bench's script: indent (no line has less white space than the block's first), one-line, empty."""
    project: Annotated[str, Option(metavar="DIR", is_path=True, panel="Tests and sandbox", changes_results=False)] = ""
    """Of a mined corpus, or one of blocks: its repository, if that is elsewhere now than when it was mined."""
    network_setup: Annotated[bool, Option(flag="--allow-network-setup", panel="Tests and sandbox", is_later=True)] = (
        False
    )
    """Let set-up commands use this machine's network. The tests still have none."""
    setup_env: Annotated[tuple[str, ...], Option(metavar="NAME", panel="Tests and sandbox", is_later=True)] = ()
    """Let set-up commands have this variable (a proxy, a registry); repeatable."""
    cluster_by: Annotated[
        ClusterBy,
        Option(metavar="hole|function|tape|program", panel="Output", is_derived=True, changes_results=False),
    ] = "program"
    """Which tasks are not independent (default: program, all gaps of one; of a mined corpus, and of one of blocks: function). Every interval goes by these clusters (docs/numbers.md)."""

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
        """The options as they stand beside the run; what follows from others stands as what it comes to."""
        all_tasks = self.tests_all_tasks or None  # as in runs of versions without that choice
        return identity(structs.replace(self, programs=self.program_form, all_tasks=all_tasks))


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
