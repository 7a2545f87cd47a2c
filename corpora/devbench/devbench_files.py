"""DevBench's files: `benchmark/LANGUAGE/CATEGORY/CATEGORY.jsonl`, and `completions/LANGUAGE/CATEGORY/CATEGORY-MODEL.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from corpora.errors import DataError


class Instance(msgspec.Struct, frozen=True):
    """One line of the benchmark: a program with a gap between `prefix` and `suffix`. Members beyond these say nothing here."""

    id: str
    language: str
    prefix: str
    suffix: str
    golden_completion: str
    assertions: str


def instances(data: Path, language: str, category: str) -> Iterator[tuple[str, Instance]]:
    """Each instance of one file, with where it stands (`file:line`).

    Raises:
        DataError: the file is not there, or a line of it is no instance, or not the first one of its id.

    """
    file = data / "benchmark" / language / category / f"{category}.jsonl"
    seen: set[str] = set()
    for number, instance in _rows(file, Instance):
        if instance.language != language:
            raise DataError(file, number, f"its language is {instance.language!r}, but it lies among {language}")
        if instance.id in seen:
            raise DataError(file, number, f"the id {instance.id!r} stands there twice")
        seen.add(instance.id)
        yield f"{file}:{number}", instance


def models(data: Path) -> tuple[str, ...]:
    """The models of which answers were published."""
    found = data.glob("completions/*/*/*.jsonl")
    return tuple(sorted({path.stem.removeprefix(f"{path.parent.name}-") for path in found}))


def answers(data: Path, language: str, category: str, model: str) -> dict[str, tuple[str, ...]]:
    """A model's published answers by the id of the instance, without those where its server gave an error instead; null is an empty answer.

    Raises:
        DataError: the file is not there, or a line of it is malformed.

    """
    file = _answer_file(data, language, category, model)
    found: dict[str, tuple[str, ...]] = {}
    for number, row in _rows(file, dict[str, Any]):
        given = row.get(f"{model}_completions", [])
        if (
            not isinstance(row.get("id"), str)
            or not isinstance(given, list)
            or not all(isinstance(one, str | None) for one in given)
        ):
            raise DataError(file, number, f"has no id, or no list of texts {model}_completions")
        found[row["id"]] = tuple(one or "" for one in given)
    return found


def errors(data: Path, language: str, category: str, model: str) -> dict[str, str]:
    """What a model's server answered instead, by the id of the instance, where it failed.

    Raises:
        DataError: the file is not there, or a line of it is malformed.

    """
    rows = _rows(_answer_file(data, language, category, model), dict[str, Any])
    return {row["id"]: str(row[model]) for _, row in rows if f"{model}_completions" not in row and model in row}


def _answer_file(data: Path, language: str, category: str, model: str) -> Path:
    return data / "completions" / language / category / f"{category}-{model}.jsonl"


def _rows(file: Path, kind: Any) -> Iterator[tuple[int, Any]]:
    """The lines of a file that are not blank, as values of a type, with their numbers from 1."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise DataError(
            file, 0, f"cannot be read ({error.strerror}): name the folder of DevBench with --data"
        ) from error
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield number, decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(file, number, f"is no record of DevBench: {error}") from error
