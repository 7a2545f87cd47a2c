"""Runs SimCopilot's analyser over its programs: `python tools/labels/analyser.py COPY` prints one JSON document.

COPY is a copy of its repository. The interpreter needs `pandas` and `javalang`, which the analyser imports, and `java` for the names of wildcard imports; nothing of ghosttape.
The analyser is code of that repository and runs here as it is, outside of any sandbox: read it first (`dependency_analyzer/analyzer.py`, `Java_analyzer.py`).
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

EXTENSIONS = {"Python": ".py", "Java": ".java"}


def programs() -> Iterator[tuple[str, str, Path]]:
    """Each program: its language, its name and its path below the working folder."""
    known = json.loads(Path("example_code/tasks_path.json").read_text(encoding="utf-8"))
    for language, extension in EXTENSIONS.items():
        for name, path in known[language].items():
            if (program := Path(path + extension)).is_file():
                yield language.lower(), name, program


def analysed(language: str, program: Path) -> dict[str, Any]:
    """What the analyser says of every line of a program: the names that it uses (`horizon`) and its constructs (`reason`)."""
    source = program.read_text(encoding="utf-8")
    lines = source.count("\n") + 1
    if language == "python":
        analyser = import_module("dependency_analyzer.analyzer").DependencyAnalyzer(source, 1, lines, 10, 30)
    else:
        kind = import_module("dependency_analyzer.Java_analyzer").JavaDependencyAnalyzer
        exists = functools.cache(kind.call_java_class_existence_checker)  # each question starts a JVM
        kind.call_java_class_existence_checker = staticmethod(exists)
        analyser = kind(source, 1, lines, 30, 100, update_def_line=True)
    with contextlib.redirect_stdout(io.StringIO()):
        reason, horizon, *_ = analyser.analyze_dependencies(str(program), False, False)
    return {"horizon": horizon, "reason": reason}


def main() -> None:
    """Analyse all programs of the copy that is named."""
    os.chdir(sys.argv[1])
    sys.path.insert(0, str(Path.cwd()))
    found = {f"{language}/{name}": analysed(language, program) for language, name, program in programs()}
    json.dump(found, sys.stdout, default=str)


if __name__ == "__main__":
    main()
