"""The published script of Codev-Bench beside our verdicts, on the same answers to the same blocks; and how many verdicts a minute each gives.

`python -m tools.codev_beside CHECKOUT SAMPLES [--blocks N] [--workers N] [--rules RULE …]` takes blocks of a corpus of `ghosttape corpora build codev` (of one repository, tested by pytest), gives each a right answer,
none, half of the right one, and that of another block, exports them in the published layout, and lets `src/evaluate.py` of CHECKOUT (the repository LingmaTongyi/Codev-Bench) judge them in the sandbox. It
prints one JSON line an answer on which the two differ, and a table.

Of the script only this is changed, in a copy: its main folder, and the left-over `if` by which it evaluates one repository alone. What it imports to ask models
(`request_model`), and what it compares texts with (`fuzzywuzzy`), are modules without content here: neither is called when it judges.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from corpora.codev.checkouts import checkout_of
from corpora.codev.extra_rules import EXTRA_RULES, ExtraRule
from corpora.codev.layout import LayoutPart, write_layout
from corpora.codev.layout.published_rows import PARTS, PROMPTS, PromptRow
from corpora.codev.retrieval.evidence import FunctionIndex
from corpora.codev.samples import CodevRepository, CodevSample, read_samples
from corpora.codev.scenes import BlockScene, scenes
from corpora.mined.checkout import Checkout
from replay.judge.baselines import finished_project
from replay.run.engine import cache_folder
from runners.protocol import PROJECT, Job, Limits, Sandbox
from runners.sandboxes import pick
from runners.temporary import temporary_folder
from runners.toolchains import toolchain
from runners.verdicts import RetryPolicy
from runners.warm.warm_projects import WarmTests

MODE = next(mode for mode, part in PARTS.items() if part == (1, "full"))
MODEL = "codegemma_7b"
"""A name that the script knows; no model of that name is asked."""
_MAIN = "/mnt/coai_nas/qianhu/github/Codev-Bench/"
_LEFT_OVER = "if repo_name != 'searcharray':"
NEEDS = ("pandas", "tqdm", "pytest-timeout")
_STUBS = {
    "src/request_model.py": "".join(
        f"{model}_init = request_{model} = None\n"
        for model in ("deepseek_coder_v2_lite", "codegeex_4_9b", "starcoder_2_7b", "codegemma_7b")
    ),
    "src/fuzzywuzzy/__init__.py": "fuzz = None\n",
}
_FLAGS: Mapping[ExtraRule, str] = {
    "indent": "--check-indent",
    "one-line": "--check-cross-line",
    "empty": "--check-empty",
}
_LONGEST_S = 3600.0


@dataclass(frozen=True, slots=True)
class BlockAnswer:
    """An answer to a block, and what kind of answer it is."""

    scene: BlockScene
    kind: str
    text: str

    @property
    def changed(self) -> dict[str, str]:
        """The file with the answer in it."""
        return {self.scene.path: self.scene.prefix + self.text + self.scene.hidden + self.scene.suffix}


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """Whether each answer passed, in their order, and how long that took (s)."""

    passed: tuple[bool, ...]
    wall_s: float

    @property
    def per_minute(self) -> float:
        """Verdicts a minute."""
        return 60 * len(self.passed) / self.wall_s


def answers(found: Sequence[BlockScene]) -> Iterator[BlockAnswer]:
    """Four answers to each block: the right one, none, the first half of it, and that of the next block."""
    for number, scene in enumerate(found):
        middle, other = scene.middle, found[(number + 1) % len(found)].middle
        for kind, text in (("right", middle), ("none", ""), ("half", middle[: len(middle) // 2]), ("other", other)):
            yield BlockAnswer(scene, kind, text)


def patched(script: str) -> str:
    """The published script with another main folder, and for every repository.

    Raises:
        ValueError: it is another version.

    """
    if _MAIN not in script:
        raise ValueError(f"the script's main folder is not {_MAIN}: is it another version?")
    return script.replace(_MAIN, f"{PROJECT}/").replace(_LEFT_OVER, "if False:")


async def published(
    checkout: Path,
    part: LayoutPart,
    found: Sequence[BlockAnswer],
    sandbox: Sandbox,
    needs: Sequence[str] = NEEDS,
    *,
    rules: Sequence[ExtraRule] = (),
) -> JudgedAnswers:
    """What the published script says of answers; `needs`: the packages that the script needs, beside those of the repository.

    Raises:
        RuntimeError: it did not come to its end; says what it wrote.

    """
    with closing(temporary_folder()) as workspace:
        main = workspace.folder / "main"
        await write_layout(main, [part], root=f"{PROJECT}/", python="python")
        _lay_out(checkout, main, found)
        packages = (*part.repository.tests.requires, *needs)
        layer = await toolchain(part.repository.tests.toolchain).layer(packages, cache_folder(), _tell)
        checks = " ".join(("--check-unittest", *(_FLAGS[rule] for rule in rules)))
        command = f"python src/evaluate.py --method evaluate_prediction --model {MODEL} --mode {MODE} {checks}"
        limits = Limits(wall_s=_LONGEST_S, output_bytes=64 << 20)
        done = await sandbox.run(Job(main, command, env=layer.env, mounts=layer.mounts, limits=limits))
        results = main / "predicts" / MODE / "results"
        rows = [json.loads(line) for file in sorted(results.glob("*.jsonl.*")) for line in file.open()]
        passed = {row["number"]: bool(row["is_all_passed"]) for row in rows}
        if len(passed) != len(found):
            raise RuntimeError(
                f"the published script judged {len(passed)} of {len(found)} answers: {done.stderr[-2000:]}"
            )
        return JudgedAnswers(tuple(passed[number] for number in range(len(found))), done.wall_ms / 1000)


def _lay_out(checkout: Path, main: Path, found: Sequence[BlockAnswer]) -> None:
    """Put the scripts, what they import, and the answers as predictions into the main folder."""
    for path, text in _STUBS.items():
        (main / path).parent.mkdir(parents=True, exist_ok=True)
        (main / path).write_text(text)
    for name in ("evaluate.py", "prepare.py"):
        (main / "src" / name).write_text(patched((checkout / "src" / name).read_text()))
    rows = [msgspec.json.decode(line, type=PromptRow) for line in (main / PROMPTS / f"{MODE}.jsonl").open("rb")]
    by_name = {row.name: msgspec.to_builtins(row) for row in rows}
    file = main / "predicts" / MODE / "predictions" / f"{MODEL}.jsonl"
    file.parent.mkdir(parents=True)
    lines = ({**by_name[each.scene.name], "response": each.text, "number": n} for n, each in enumerate(found))
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


async def ours(
    part: LayoutPart,
    found: Sequence[BlockAnswer],
    sandbox: Sandbox,
    workers: int,
    rules: Sequence[ExtraRule] = (),
) -> JudgedAnswers:
    """What we say of them: all tests of the block pass. The time is that of all verdicts, from starting the workers; not that of laying the repository out and of its own tests."""
    files, tests = part.checkout.files, part.repository.tests
    finished = await finished_project(
        files, tests, sandbox, cache_folder(), _tell, retries=RetryPolicy(), others=part.checkout.others
    )
    if finished.fault is not None:
        raise RuntimeError(f"the repository's own tests fail: {finished.fault.message}")
    began = time.perf_counter()
    warm = await WarmTests.of(finished.project, files, _tell, workers)
    try:
        wanted = [frozenset(each.scene.tests) for each in found]
        runs = (warm.run(each.changed, only) for each, only in zip(found, wanted, strict=True))
        results = await asyncio.gather(*runs)
        wall_s = time.perf_counter() - began
        passed = (only <= (result.tests or frozenset()) for only, result in zip(wanted, results, strict=True))
        kept = (all(EXTRA_RULES[rule](each.text, each.scene.head) for rule in rules) for each in found)
        return JudgedAnswers(tuple(map(all, zip(passed, kept, strict=True))), wall_s)
    finally:
        await warm.close()
        finished.project.close()


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def part_of(file: Path, entry: CodevRepository, found: Checkout, samples: Sequence[CodevSample]) -> LayoutPart:
    """A repository with some of its samples, in the words of the exporter."""
    return LayoutPart(entry, found, samples, FunctionIndex.by_words(found.files))


def table(found: Sequence[BlockAnswer], theirs: JudgedAnswers, own: JudgedAnswers) -> str:
    """How many answers of each kind pass by which, and verdicts a minute, as Markdown."""
    rows = ["| answer | number | both pass | both fail | differ |", "| --- | ---: | ---: | ---: | ---: |"]
    pairs = list(zip(found, theirs.passed, own.passed, strict=True))
    for kind in dict.fromkeys(each.kind for each in found):
        some = [(one, other) for each, one, other in pairs if each.kind == kind]
        counts = [some.count(pair) for pair in ((True, True), (False, False))]
        rows.append(f"| {kind} | {len(some)} | {counts[0]} | {counts[1]} | {len(some) - sum(counts)} |")
    ratio = own.per_minute / theirs.per_minute
    speed = f"verdicts a minute: the published script {theirs.per_minute:.0f}, ours {own.per_minute:.0f} ({ratio:.1f} times)"
    return "\n".join([*rows, "", speed])


async def compare(checkout: Path, file: Path, blocks: int, workers: int, rules: Sequence[ExtraRule] = ()) -> str:
    """Judge answers in both ways; print those that differ, and return the table."""
    head, samples = read_samples(file)
    (entry,) = head.repositories
    kept = samples[:blocks]
    part, sandbox = part_of(file, entry, checkout_of(file, entry), kept), pick("auto")
    texts: Mapping[str, str] = part.checkout.files
    found = list(answers([scene for sample in kept for scene in scenes(sample, texts[sample.path], 1)]))
    theirs = await published(checkout, part, found, sandbox, rules=rules)
    own = await ours(part, found, sandbox, workers, rules)
    for each, one, other in zip(found, theirs.passed, own.passed, strict=True):
        if one != other:
            said = {"scene": each.scene.name, "answer": each.kind, "published": one, "ours": other}
            sys.stdout.write(json.dumps(said) + "\n")
    return table(found, theirs, own)


def main() -> None:
    """Parse the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rules", nargs="*", choices=tuple(EXTRA_RULES), default=())
    given = parser.parse_args()
    told = compare(given.checkout, given.samples, given.blocks, given.workers, given.rules)
    sys.stdout.write(asyncio.run(told) + "\n")


if __name__ == "__main__":
    main()
