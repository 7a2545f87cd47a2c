"""Programs of DevBench: with their golden completions, and with the published answers of two models."""

import json
import random

from runners.programs import Program

LANGUAGES = ("python", "javascript", "typescript", "java", "cpp")
MODELS = ("gpt-4o", "Ministral-3B")
FLICKERING = {("javascript", "2")}
"""Programs whose golden completion fails once in 30 to 50 runs, outside of any sandbox too: it deletes a file in two places at once."""

_JOINED_BY_LINES = ("python", "javascript", "typescript")


def golden(shared, language, number):
    """The first programs of a category whose own answers pass every time, with nothing from outside."""
    rows = [
        row for row in _rows(shared, language, "code_purpose_understanding") if (language, row["id"]) not in FLICKERING
    ]
    return [_program(language, row, row["golden_completion"]) for row in rows[:number]]


def published(shared, language, number, seed=5):
    """So many answers drawn from those of both models to all categories, as programs, by name."""
    found = {
        f"{language}/{category}/{row['id']} {model} {sample}": _program(
            language, row, row[f"{model}_completion_{sample}"]
        )
        for category in sorted(path.name for path in (shared / "devbench" / "completions" / language).iterdir())
        for model in MODELS
        for row in _rows(shared, language, category, model)
        for sample in range(5)
        if row.get(f"{model}_completion_{sample}")
    }
    return {name: found[name] for name in sorted(random.Random(seed).sample(sorted(found), number))}


def _rows(shared, language, category, model=None):
    kind = "completions" if model else "benchmark"
    folder = shared / "devbench" / kind / language / category
    (file,) = folder.glob(f"*-{model}.jsonl") if model else folder.glob("*.jsonl")
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _program(language, row, completion):
    between = "\n" if language in _JOINED_BY_LINES else ""
    parts = [row["prefix"], completion, row["suffix"], *([row["assertions"]] if between else [])]
    return Program(language, between.join(parts))
