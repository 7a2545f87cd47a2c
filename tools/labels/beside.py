"""Labels of SimCopilot's 1,163 tasks beside the paper's Table 1 and beside the analyser of its repository.

`python -m tools.labels.beside COPY [PYTHON] [NUMBER]` prints three tables, and then up to NUMBER (0) differences of each construct. COPY is a copy of the repository (`ghosttape corpora get simcopilot`
fetches one); PYTHON is an interpreter that has `pandas` and `javalang` (this one). `tools/labels/analyser.py` says what runs there.

The analyser looks at lines: a task has a construct if a line of its gap has a record of it. Its records of ifs and loops are of their headers alone; the paper's counts of
conditions and bodies were made by hand from them, in files that were not published.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from corpora.corpus import corpus_of
from corpora.labels.labels import CONSTRUCTS, Construct
from corpora.run.scores import labels_of_task
from corpora.tasks import Task
from replay.numbers.agreement import cohens_kappa

TABLE_1: Mapping[tuple[str, str], tuple[int, ...]] = {
    ("python", "infilling"): (371, 0, 37, 15, 202, 19, 61, 72),
    ("python", "completion"): (206, 0, 9, 19, 123, 14, 73, 49),
    ("java", "infilling"): (232, 157, 110, 54, 6, 56, 79, 102),
    ("java", "completion"): (218, 184, 88, 32, 10, 33, 120, 102),
}
"""The paper's numbers of tasks, in the order of `CONSTRUCTS`; 0 where it has a dash."""
SCOPES: Mapping[str, Construct] = {
    **dict.fromkeys(("local", "locals", "loop", "list_comp", "generator_exp", "lambda"), "local variable"),
    **dict.fromkeys(("global", "globals"), "global variable"),
    **dict.fromkeys(("function", "methods"), "function"),
    **dict.fromkeys(("class", "classes"), "class"),
    **dict.fromkeys(("library", "libraries"), "library"),
}
"""The analyser's words for what a name is."""
REASONS: Mapping[str, tuple[Construct, ...]] = {
    "If-else Reasoning": ("if condition", "if body"),
    "Define Stop Criteria": ("loop body",),
}
"""Its words for constructs; one word stands for conditions and bodies."""


def lines_of(task: Task) -> tuple[int, int]:
    """The first and the last line of a gap, from 1, as the name of the task has them."""
    first, _, last = task.name.rpartition("/")[2].partition("-")
    return int(first), int(last)


def analysed(copy: Path, python: str) -> dict[str, Any]:
    """The records of the analyser for each program."""
    script = Path(__file__).with_name("analyser.py").absolute()
    done = subprocess.run([python, script, copy.absolute()], check=True, stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def theirs(task: Task, records: Mapping[str, Any]) -> dict[Construct, list[str]]:
    """Construct → the analyser's records on the lines of a gap: a name with the lines where it is used and defined, or the line of a header."""
    found: dict[Construct, list[str]] = {}
    first, last = lines_of(task)
    own = records["/".join((task.language, task.name.split("/")[2]))]
    for record in own["horizon"]:
        construct = SCOPES.get(record["scope_type"])
        if construct and first <= int(record["usage_line"]) <= last:
            name = record.get("name") or record["var_name"]
            found.setdefault(construct, []).append(f"{name} {record['usage_line']} → {record['def_line']}")
    for record in own["reason"]:
        if first <= int(record["usage_line"]) <= last:
            for construct in REASONS.get(record["reason_category"], ()):
                found.setdefault(construct, []).append(f"line {record['usage_line']}")
    return found


def ours(tasks: Sequence[Task]) -> dict[str, frozenset[Construct]]:
    """Name of a task → its constructs by its labels."""
    found = ((task.name, labels_of_task(task)) for task in tasks)
    return {name: labels.constructs for name, labels in found if labels is not None}


@dataclass(frozen=True, slots=True)
class BothSides:
    """The constructs of tasks by our labels, and by the analyser's records."""

    tasks: Sequence[Task]
    ours: Mapping[str, frozenset[Construct]]
    theirs: Mapping[str, Mapping[Construct, list[str]]]

    @classmethod
    def of(cls, tasks: Sequence[Task], records: Mapping[str, Any]) -> BothSides:
        """The labels and the records of some tasks."""
        return cls(tasks, ours(tasks), {task.name: theirs(task, records) for task in tasks})

    def counts(self) -> Iterator[str]:
        """A line for each construct: by language and category the paper's number of tasks, the analyser's and ours."""
        yield "| | " + " | ".join(f"{language}, {category}" for language, category in TABLE_1) + " |"
        yield "| --- |" + " ---: |" * len(TABLE_1)
        for at, construct in enumerate(CONSTRUCTS):
            cells = (self._count(cell, construct, paper[at]) for cell, paper in TABLE_1.items())
            yield f"| {construct} | {' | '.join(cells)} |"

    def _count(self, cell: tuple[str, str], construct: Construct, paper: int) -> str:
        names = [task.name for task in self.tasks if (task.language, task.category) == cell]
        analyser, own = (sum(construct in side[name] for name in names) for side in (self.theirs, self.ours))
        return f"{paper} / {analyser} / {own}"

    def agreement(self, language: str) -> Iterator[str]:
        """A line for each construct: how many tasks have it by both, by ours or the analyser's alone, by none, and Cohen's kappa."""
        yield f"| {language} | both | ours | theirs | none | kappa |"
        yield "| --- | ---: | ---: | ---: | ---: | ---: |"
        names = [task.name for task in self.tasks if task.language == language]
        for construct in CONSTRUCTS:
            pairs = [(str(construct in self.ours[name]), str(construct in self.theirs[name])) for name in names]
            kappa, found = cohens_kappa(pairs)["value"], Counter(pairs)
            cells = " | ".join(str(found[one, other]) for one in ("True", "False") for other in ("True", "False"))
            yield f"| {construct} | {cells} | {'' if kappa is None else f'{kappa:.2f}'} |"

    def differences(self, language: str, construct: Construct) -> Iterator[str]:
        """The tasks that have a construct by one side alone, with the analyser's records and the removed code."""
        for task in self.tasks:
            said = self.theirs[task.name].get(construct, [])
            if task.language == language and (construct in self.ours[task.name]) != bool(said):
                side = "theirs" if said else "ours"
                yield f"{construct}, {side} alone: {task.name} {', '.join(said)}\n{task.truth}\n"


def main() -> None:
    """Print the tables, and as many differences as are asked for."""
    copy, *more = sys.argv[1:]
    python, number = (*more, *(sys.executable, "0")[len(more) :])
    corpus = corpus_of("simcopilot", Path(copy))
    tasks = corpus.tasks(corpus.languages, corpus.categories, packages=False)
    sides = BothSides.of(tasks, analysed(Path(copy), python))
    _print("tasks: the paper's Table 1 / the analyser / ours", "", *sides.counts())
    for language in corpus.languages:
        _print("", *sides.agreement(language))
    for language in corpus.languages:
        for construct in CONSTRUCTS:
            _print(*islice(sides.differences(language, construct), int(number)))


def _print(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


if __name__ == "__main__":
    main()
