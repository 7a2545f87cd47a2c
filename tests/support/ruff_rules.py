"""Rules on Python beside ruff's, over DevBench's programs: which programs each names."""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from corpora.codealign.catalogue import instruction

SAME = {
    "remove-unused-imports": "F401",
    "remove-trailing-whitespace": "W291,W293",
    "compare-with-is-none": "E711",
    "avoid-mutable-defaults": "B006",
    "avoid-wildcard-imports": "F403",
    "one-statement-per-line": "E701,E702",
    "limit-parameters": "PLR0913",
    "return-conditions-directly": "SIM103",
    "avoid-shadowing-builtins": "A001,A002",
    "use-f-strings": "UP031,UP032",
    "add-type-hints": "ANN001,ANN002,ANN003,ANN201,ANN202,ANN204,ANN205,ANN206",
    "add-docstrings": "D102,D103,D105,D107",
    "use-double-quotes": "Q000",
    "specify-encoding": "PLW1514",
    "use-sets-for-membership": "PLR6201",
    "use-generator-expressions": "C419",
    "indent-with-spaces": "W191",
    "capitalize-class-names": "N801",
}
"""Instruction → the rules of ruff that mean the same."""


def write_programs(shared, folder):
    """Write DevBench's Python programs, with their golden completions, into a folder."""
    files = sorted(shared.glob("devbench/benchmark/python/*/*.jsonl"))
    for number, row in enumerate(json.loads(line) for file in files for line in file.open()):
        text = "\n".join((row["prefix"], row["golden_completion"], row["suffix"], row["assertions"]))
        (folder / f"p{number:04}.py").write_text(text)
    return folder


def found_by_ruff(programs):
    """Code → the programs in a folder in which ruff finds it."""
    ruff = Path(sys.executable).with_name("ruff")
    select = ",".join(SAME.values())
    words = [ruff, "check", "--isolated", "--preview", "--no-cache", "--config", "lint.pylint.max-args=4"]
    words += ["--output-format", "json", "--select", select, programs]
    found = defaultdict(set)
    for entry in json.loads(subprocess.run(words, capture_output=True, check=False).stdout):
        found[entry["code"]].add(Path(entry["filename"]).name)
    return found


def compared_with_ruff(programs):
    """How many programs parse, and how often ruff finds something in one; an assertion fails where a rule names others than ruff."""
    by_ruff = found_by_ruff(programs)
    broken = by_ruff["invalid-syntax"] | by_ruff[None]
    texts = {path.name: path.read_text() for path in programs.iterdir() if path.name not in broken}
    ours = {  # program by program, as the last trees are kept
        name: {id_ for id_ in SAME if instruction(id_).is_applicable(text, "python")} for name, text in texts.items()
    }
    for id_, codes in SAME.items():
        theirs = set().union(*(by_ruff[code] for code in codes.split(","))) & texts.keys()
        assert {name for name, found in ours.items() if id_ in found} == theirs, id_
    return len(texts), sum(len(by_ruff[code]) for codes in SAME.values() for code in codes.split(","))
