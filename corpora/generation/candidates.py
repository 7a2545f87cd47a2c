"""What a chat model answered, read as a task, or the reason why it is none."""

from __future__ import annotations

import json
from dataclasses import dataclass

import msgspec

from corpora.devbench.corpus import task_of
from corpora.devbench.devbench_files import Instance
from corpora.tasks import Task
from syntax.languages import language_of
from syntax.parse import has_error

_TELLING = 20
"""Characters from which on a golden completion that stands beside the gap too gives it away; shorter ones come by chance."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an answer goes no further: the stage of the funnel that it did not pass, and the reason."""

    stage: str
    reason: str


def instance_of(text: str, language: str, id_: str) -> Instance | Refusal:
    """The first JSON object in a text as an instance; stage `malformed` if there is none, or a member lacks or gives the gap away."""
    found = _object(text)
    if found is None:
        return Refusal("malformed", "there is no JSON object in the answer")
    try:
        instance = msgspec.convert({**found, "id": id_, "language": language}, Instance)
    except msgspec.ValidationError as error:
        return Refusal("malformed", str(error))
    if not _is_text(instance):
        return Refusal("malformed", "half a surrogate pair is in it")
    golden = instance.golden_completion.strip()
    if not golden:
        return Refusal("malformed", "the golden completion is empty")
    if len(golden) > _TELLING and (golden in instance.suffix or golden in instance.prefix):
        return Refusal("malformed", "the golden completion stands beside the gap too")
    return instance


def parsed_task(instance: Instance, language: str, category: str) -> Task | Refusal:
    """The task of an instance; stage `unparsable` if the finished program has a syntax error."""
    task, known = task_of(instance, language, category, packages=False), language_of(language)
    whole = f"{task.finished.text}\n{instance.assertions}\n"
    if known is not None and has_error(known, whole):
        return Refusal("unparsable", "the finished program has a syntax error")
    return task


def _is_text(instance: Instance) -> bool:
    try:
        msgspec.json.encode(instance)
    except UnicodeEncodeError:
        return False
    return True


def _object(text: str) -> dict[str, object] | None:
    """The first JSON object with a prefix in a text, whatever stands around it; line feeds in its strings are allowed."""
    decoder, at = json.JSONDecoder(strict=False), text.find("{")
    while at >= 0:
        try:
            found, _ = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(found, dict) and "prefix" in found:
            return found
        at = text.find("{", at + 1)
    return None
