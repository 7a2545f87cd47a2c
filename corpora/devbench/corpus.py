"""DevBench as a corpus of tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import msgspec

from corpora.devbench import devbench_files
from corpora.devbench.devbench_files import Instance
from corpora.devbench.evaluator import AsEvaluated
from corpora.errors import DataError
from corpora.evaluation_options import ProgramForm
from corpora.program_tests import Assembly, AtCursor, Head, ProgramTests, no_options
from corpora.tasks import Task

Read = TypeVar("Read")
FOLDERS: Mapping[str, str] = MappingProxyType(
    {
        "python": "python",
        "javascript": "javascript",
        "typescript": "typescript",
        "java": "java",
        "cpp": "cpp",
        "csharp": "c_sharp",
    }
)
"""LSP identifier → its folder, which is also its name in the records."""
CATEGORIES = (
    "api_usage",
    "code2NL_NL2code",
    "code_purpose_understanding",
    "low_context",
    "pattern_matching",
    "syntax_completion",
)
_EXTENSIONS = {"python": "py", "javascript": "js", "typescript": "ts", "java": "java", "cpp": "cpp", "csharp": "cs"}
HEADS: Mapping[str, tuple[Head, ...]] = MappingProxyType(
    {
        "python": tuple(Head(f"import {name}", f"import {name}") for name in ("asyncio", "os")),
        "cpp": (
            *(Head(name, f"#include <{name}>") for name in ("iostream", "cassert", "string", "vector", "algorithm")),
            Head("<functional>", "#include <functional>", "std::function"),
            Head("<mutex>", "#include <mutex>", "mutex"),
            Head("<condition_variable>", "#include <condition_variable>", "condition_variable"),
        ),
    }
)
"""What programs use without importing it. DevBench's own script adds some lines before a program that does not mention them (its `import matplotlib` changes
no verdict). The headers of its compilers (g++ 11, clang 14) include others that newer compilers do not include.
"""
_BUILT = frozenset({"typescript", "java", "cpp", "csharp"})
RUN_S, BUILD_S = 30.0, 60.0
"""Time limits (s) of the published runs: for an interpreted program, and for a program that is built first."""


@cache
def packages() -> Mapping[str, tuple[str, ...]]:
    """The packages that programs of a language may use, from `packages.toml`. All programs of one run share one layer."""
    text = Path(__file__).with_name("packages.toml").read_bytes()
    return {name: tuple(names) for name, names in msgspec.toml.decode(text, type=dict[str, list[str]]).items()}


@dataclass(frozen=True, slots=True)
class DevBench:
    """The published data of DevBench in a folder (its `benchmark` and `completions`, or one that holds them as `devbench`)."""

    folder: Path
    name: str = "devbench"

    @property
    def languages(self) -> tuple[str, ...]:
        """Its six languages."""
        return tuple(FOLDERS)

    @property
    def categories(self) -> tuple[str, ...]:
        """Its six categories."""
        return CATEGORIES

    @property
    def lacking(self) -> Mapping[str, str]:
        """None: its programs read no files of its own."""
        return {}

    def tasks(
        self, languages: Sequence[str], categories: Sequence[str], *, packages: bool, programs: ProgramForm = "editor"
    ) -> Sequence[Task]:
        """Read the tasks of these languages and categories."""
        data = self._data()
        return [
            task_of(instance, language, category, packages=packages, programs=programs)
            for language in languages
            for category in categories
            for _, instance in devbench_files.instances(data, FOLDERS[language], category)
        ]

    def published(self, model: str, tasks: Sequence[Task]) -> Mapping[str, tuple[str, ...]]:
        """Read the five answers of the model to each instance; an instance has no answers if the model's server failed."""
        data = self._data()
        known = devbench_files.models(data)
        if model not in known:
            there = f"there are those of {', '.join(known)}" if known else "there is no folder `completions`"
            raise DataError(data, 0, f"no answers of a model {model!r} were published here: {there}")
        return self._by_cell(devbench_files.answers, model, tasks)

    def errors(self, model: str, tasks: Sequence[Task]) -> Mapping[str, str]:
        """Read what the model's server answered to the instances that it failed on."""
        return self._by_cell(devbench_files.errors, model, tasks)

    def _by_cell(
        self, read: Callable[[Path, str, str, str], Mapping[str, Read]], model: str, tasks: Sequence[Task]
    ) -> dict[str, Read]:
        found: dict[str, Read] = {}
        for language, category in sorted({(task.language, task.category) for task in tasks}):
            rows = read(self._data(), FOLDERS[language], category, model)
            found |= {name_of(language, category, id_): value for id_, value in rows.items()}
        return found

    def _data(self) -> Path:
        within = self.folder / "devbench"
        data = within if within.is_dir() and not (self.folder / "benchmark").is_dir() else self.folder
        if not (data / "benchmark").is_dir():
            raise DataError(data, 0, "there is no folder `benchmark` in it: name the folder of DevBench with --data")
        return data


def name_of(language: str, category: str, instance: str) -> str:
    """The name of a task."""
    return f"{language}/{category}/{instance}"


def task_of(
    instance: Instance, language: str, category: str, *, packages: bool, programs: ProgramForm = "editor"
) -> Task:
    """The task of an instance: prefix, gap and suffix, joined by line feeds; the model does not see the assertions.

    Its program in the form `editor` is this document with the assertions behind it; in the form `evaluator` it is what DevBench's script makes of the parts
    (`evaluator.py`).
    """
    name = name_of(language, category, instance.id)
    return Task(
        corpus="devbench",
        name=name,
        category=category,
        language=language,
        path=f"{name}.{_EXTENSIONS[language]}",
        before=f"{instance.prefix}\n",
        after=f"\n{instance.suffix}",
        truth=instance.golden_completion,
        tests=ProgramTests(
            language,
            _assembly(instance, language, programs),
            _requires(language) if packages else (),
            BUILD_S if language in _BUILT else RUN_S,
            _options(language, programs),
        ),
    )


def _assembly(instance: Instance, language: str, programs: ProgramForm) -> Assembly:
    if programs == "evaluator":
        return AsEvaluated(language, instance.prefix, instance.suffix, instance.assertions)
    return AtCursor(instance.assertions, HEADS.get(language, ()))


def tsc_options(text: str) -> tuple[str, ...]:
    """Return what DevBench's script tells tsc that we do not: an older language, with the libraries that come with it by default."""
    del text
    return (
        "--target",
        "es2020",
        "--lib",
        "es2020,dom,dom.iterable,dom.asynciterable,webworker.importscripts,scripthost",
    )


def _options(language: str, programs: ProgramForm) -> Callable[[str], tuple[str, ...]]:
    if language == "typescript" and programs == "evaluator":
        return tsc_options
    return cxx_options if language == "cpp" else no_options


def _requires(language: str) -> tuple[str, ...]:
    return packages().get(language, ())


# How DevBench's script builds C++ programs: optimised, with the libraries that words of the program stand
# for.

OPTIMISED = "-O2"
"""Its other options (`-Wall`, the folders of the system) change no verdict; `-std=c++17` and threads are ours too."""


@dataclass(frozen=True, slots=True)
class Library:
    """Libraries that are linked if one of `words` stands in a program; `lower` ones are also found in capitals."""

    links: tuple[str, ...]
    words: tuple[str, ...] = ()
    lower: tuple[str, ...] = ()

    def is_used(self, text: str) -> bool:
        """Whether the text has one of the words."""
        small = text.lower()
        return any(word in text for word in self.words) or any(word in small for word in self.lower)


_HARFBUZZ = Library(("harfbuzz", "freetype"), lower=("harfbuzz/", "<hb"))
_FREETYPE = Library(("freetype",), words=("ft2build.h", "FT_"))
_LIBRARIES = (
    Library(("ssl", "crypto"), lower=("openssl/",)),
    Library(("boost_system", "boost_filesystem"), lower=("boost/",)),
    Library(("curl",), lower=("<curl/",)),
    _HARFBUZZ,
    Library(("sqlite3",), words=("sqlite3.h", "sqlite3_")),
    Library(("armadillo",), words=("#include <armadillo>", "arma::")),
    Library(("python3",), words=("Python.h", "Py_")),
)
_OPENCV = Library(("opencv_core",), words=("cv::",), lower=("opencv2/",))
_OPENCV_PARTS = (
    Library(("opencv_ml",), words=("cv::ml::", "#include <opencv2/ml.hpp>")),
    Library(("opencv_imgcodecs", "opencv_imgproc"), words=("imread", "imwrite", "VideoCapture")),
    Library(("opencv_highgui",), words=("imshow", "waitKey", "namedWindow")),
    Library(("opencv_features2d",), words=("detectAndCompute", "matchFeatures")),
)


def cxx_options(text: str) -> tuple[str, ...]:
    """Return the words for g++ that a program is built with: `("-O2", "-lssl", "-lcrypto")` for one with `#include <openssl/sha.h>`.

    DevBench's script asks `python3-config` for the words of programs with Python in them; without one it links `python3`, and so does this.
    """
    return (OPTIMISED, *(f"-l{name}" for library in _used(text) for name in library.links))


def _used(text: str) -> Iterator[Library]:
    yield from (library for library in _LIBRARIES if library.is_used(text))
    if _FREETYPE.is_used(text) and not _HARFBUZZ.is_used(text):
        yield _FREETYPE
    if _OPENCV.is_used(text):
        yield _OPENCV
        yield from (library for library in _OPENCV_PARTS if library.is_used(text))
