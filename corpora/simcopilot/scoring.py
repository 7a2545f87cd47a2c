"""Scoring as SimCopilot's script does it: an answer goes through the script's own post-processor, and the texts that it makes are tested."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import msgspec

from corpora.errors import DataError
from corpora.evaluation_options import Scoring
from corpora.fetching import digest
from corpora.simcopilot.output_tests import OutputTests
from replay.judge.states import ProjectState
from runners.errors import SandboxFailed
from runners.programs import Command, Programs, ReachedChecks
from runners.protocol import Completed, Mount
from runners.verdicts import Result, ending, infrastructure

STAGES = ("cleaned_code", "trimmed_code", "indented_code")
"""The texts that the script makes of an answer, each of the one before (`update_post_process_and_eval.py`)."""
TESTED: Mapping[Scoring, tuple[str, ...]] = MappingProxyType(
    {"cleaned": STAGES[:1], "last": STAGES[-1:], "published": STAGES}
)
"""Which of them count: the paper's *without* is the first, its *with* the best of all, chosen by the tests."""
_FILES = "helper_functions/*.py"
_RUNNER = Path(__file__).with_name("post_process_one.py")
_PATIENCE_S = 60.0


class _Texts(msgspec.Struct, frozen=True):
    cleaned_code: str
    trimmed_code: str
    indented_code: str

    @property
    def by_stage(self) -> dict[str, str]:
        return {stage: getattr(self, stage) for stage in STAGES}


class PostProcessingError(Exception):
    """The script made no text of an answer; the message says why."""


@lru_cache(maxsize=4)
def _version(folder: Path) -> str:
    return digest(folder, _FILES)


@dataclass(frozen=True, slots=True)
class ScriptInput:
    """What the script's function takes: an answer, the lines above and below its gap, and the language as it spells it."""

    text: str
    before: Sequence[str]
    after: Sequence[str]
    language: str

    @classmethod
    def of(cls, language: str, before: str, text: str, below: str) -> ScriptInput:
        """The input for a language (LSP identifier) and the text before the gap, in it, and below it up to the program's end."""
        below = below.removeprefix("\n")
        return cls(text, before.split("\n")[:-1], below.split("\n") if below else [], language.capitalize())


@dataclass(frozen=True, slots=True)
class PostProcessor:
    """The published post-processor (`post_process_gen_code`), run in the sandbox. `folder` is that of SimCopilot's repository."""

    folder: Path

    def __post_init__(self) -> None:
        """Look for the script.

        Raises:
            DataError: it is not there.

        """
        if not (self.folder / "helper_functions" / "LLMs_gen.py").is_file():
            why = "there is no `helper_functions/LLMs_gen.py` in it, which such a scoring runs: remove the folder, and `ghosttape corpora get simcopilot` fetches all"
            raise DataError(self.folder, 0, why)

    @property
    def version(self) -> str:
        """A hash of the script."""
        return _version(self.folder)

    async def texts(self, given: ScriptInput, programs: Programs) -> dict[str, str]:
        """Stage → the text that the script makes of an answer.

        Raises:
            PostProcessingError: it fails, or takes longer than a minute.
            SandboxFailed, OSError: the machine fails.

        """
        files = {"run.py": _RUNNER.read_text("utf-8"), "order.json": json.dumps(asdict(given))}
        mounts = (Mount(self.folder / "helper_functions", "/script/helper_functions"),)
        command = Command("python", "exec python run.py", files, (), mounts, {"SCRIPT": "/script"})
        return _made(await programs.execute(command, timeout_s=_PATIENCE_S))


def _made(done: Completed) -> dict[str, str]:
    if done.exit != 0 or done.limit:
        raise PostProcessingError(f"the script failed: {(done.stderr.strip().splitlines() or [ending(done)])[-1]}")
    try:
        return msgspec.json.decode(done.stdout.rstrip("\n").rpartition("\n")[2], type=_Texts).by_stage
    except msgspec.DecodeError as error:
        raise PostProcessingError(f"the script failed: what it gave is no text for each stage ({error})") from error


@dataclass(frozen=True, slots=True)
class ScoredTests:
    """Tests that an answer passes if one of the texts passes that the script makes of it. A text that no model had a part in is tested as it is."""

    tests: OutputTests
    before: str
    after: str
    """What the document has around the gap."""
    script: PostProcessor
    scoring: Scoring

    @property
    def timeout_s(self) -> float:
        """How long the script and the tests of all its texts may take."""
        return _PATIENCE_S + self.tests.timeout_s * len(TESTED[self.scoring])

    @property
    def requires(self) -> tuple[str, ...]:
        """The packages of the program."""
        return self.tests.requires

    def program(self, state: ProjectState) -> str:
        """The program with the answer as it came."""
        return self.tests.program(state)

    def code(self, state: ProjectState) -> str:
        """The same."""
        return self.tests.code(state)

    def key(self, state: ProjectState) -> str:
        """Of an answer also the scoring and the script."""
        plain = self.tests.key(state)
        return repr((plain, self.scoring, self.script.version, state.written)) if state.written[1] else plain

    async def prepare(self, state: ProjectState, programs: Programs) -> None:
        """Make ready what the program needs."""
        await self.tests.prepare(state, programs)

    def reached(self, finished: ProjectState, hole: tuple[int, int]) -> None:
        """Nothing, as without the script."""

    async def run(
        self,
        state: ProjectState,
        programs: Programs,
        reached: ReachedChecks | None = None,
        *,
        within_s: float | None = None,
    ) -> Result:
        """Test the texts one after the other, until one passes; of a text as it is, that text alone."""
        if not state.written[1]:
            return await self.tests.run(state, programs, reached, within_s=within_s)
        try:
            made = await self.script.texts(self._input(state), programs)
        except PostProcessingError as error:
            return replace(infrastructure(str(error)), verdict_class="failed", maybe_infrastructure=False)
        except (SandboxFailed, OSError) as error:
            return infrastructure(f"{type(error).__name__}: {error}")
        return await self._best(state, made, programs)

    def _input(self, state: ProjectState) -> ScriptInput:
        answer = state.text[len(self.before) : len(state.text) - len(self.after)]
        return ScriptInput.of(self.tests.language, self.before, answer, self.after + self.tests.below)

    async def _best(self, state: ProjectState, made: Mapping[str, str], programs: Programs) -> Result:
        """The result of the first text that passes, else of the last one that the machine could not test, else of the last one."""
        results: dict[str, Result] = {}
        for stage in TESTED[self.scoring]:
            text = made[stage]
            if text not in results:
                results[text] = await self.tests.run(self._with(state, text), programs)
            if results[text].verdict_class == "passed":
                return results[text]
        failed = [result for result in results.values() if result.verdict_class == "infrastructure"]
        return failed[-1] if failed else results[made[TESTED[self.scoring][-1]]]

    def _with(self, state: ProjectState, text: str) -> ProjectState:
        return replace(state, text=self.before + text + self.after)
