"""A stranger's package, in one module: a benchmark of one task a file, a provider, a repair, a policy, an importer and rules. The example of docs/extending.md."""

from dataclasses import dataclass
from pathlib import Path

from corpora.program_tests import AtCursor, ProgramTests
from corpora.registry import CorpusCard
from corpora.tasks import Task
from replay.importers.building.tape_builder import TapeBuilder
from replay.importers.formats import ImportFormat
from replay.numbers.section import Section
from runners.sandboxes.none import NoSandbox
from server.providers.fixed import Fixed
from server.repair.rules import AnswerRules

CARD = CorpusCard(
    reader="shop_bench:ShopBench",
    about="gaps in a shop",
    tasks=1,
    languages=("python",),
    figures="shop_bench:figures",
    sections="shop_bench:sections",
)


@dataclass(frozen=True)
class ShopBench:
    """Files NAME.py, in which `# GAP` and a line follow; the tests are behind the line `# TESTS`."""

    folder: Path
    name: str = "shop"
    languages: tuple[str, ...] = ("python",)
    categories: tuple[str, ...] = ("gap",)

    @property
    def lacking(self):
        return {}

    def tasks(self, languages, categories, *, packages, programs="editor"):
        return [_task(file) for file in sorted(self.folder.glob("*.py"))]

    def published(self, model, tasks):
        return {}

    def errors(self, model, tasks):
        return {}


def _task(file):
    document, tests = file.read_text().split("# TESTS\n")
    before, rest = document.split("# GAP\n")
    indent = rest[: len(rest) - len(rest.lstrip(" "))]
    truth, _, after = rest.removeprefix(indent).partition("\n")
    return Task(
        corpus="shop",
        name=file.stem,
        category="gap",
        language="python",
        path=file.name,
        before=before + indent,
        after="\n" + after,
        truth=truth,
        tests=ProgramTests("python", AtCursor(tests), (), 10.0),
    )


def figures(tasks, records, outcomes, options):
    """The figures that only this benchmark has."""
    return {"shelves": len(tasks)}


def sections(summary):
    """Their table."""
    if "shelves" in summary:
        yield Section("what the shop has", ["", "number"], [["shelves", f"{summary['shelves']:,}"]])


def make_provider(settings):
    return Fixed(settings.options.get("says", settings.text))


def upper_total(draft):
    """Write `total` in capitals."""
    return draft.text.replace("total", "TOTAL")


class Hall(NoSandbox):
    """A sandbox: here none, with a line in `hall.log` for each job."""

    name = "hall"

    async def run(self, job):
        with (HERE / "hall.log").open("a") as log:
            log.write("a job\n")
        return await super().run(job)


HERE = Path.cwd()
CALM = {"about": "asks after a second without a key", "debounce": 1000, "cancels": True}
"""A policy: a table as in `replay/play/policies/policies.toml`."""
LAST_LINE = AnswerRules(code_in=lambda answer: answer.split("\n")[-1])
"""Of an answer counts its last line."""


def read_notes(file):
    builder = TapeBuilder(str(file), "notes")
    builder.open(0.0, "notes.py", "python", file.read_text().partition("\n")[2])
    yield builder.finish(file.stem, editor="notes", created="")


NOTES = ImportFormat("notes", lambda head: head.content.startswith(b"notes\n"), read_notes)
