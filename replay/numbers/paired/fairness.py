"""What makes two runs hard to compare: they differ in more than in what is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from statistics import median
from typing import Any

from replay.options import ReplayOptions

_COMPARED = frozenset(
    {"sources", "answers", "published", "instructions"}  # instructions and sources have sentences of their own
    | {
        f"settings.provider.{name}"
        for name in ("name", "model", "base_url", "api", "chat", "template", "text", "answers")
    }
    | {
        f"settings.provider.{name}"
        for name in ("command", "options", "folder", "use_key", "required", "follow", "record")
    }
    | {
        "settings.context.workspace",
        "projects",
    }  # no run reads the disk; a clone is where a machine has it, and tapes name the commit
)
"""What two runs are compared for, and what changes no answer and no verdict. A name stands for all below it."""
_NOT_OF_PUBLISHED = ("settings.provider", "settings.context", "settings.cache")
"""Settings that mean nothing where published answers are judged: they were made elsewhere."""
_UNSAID: dict[str, Any] = {"scoring": "answer", "programs": None, "packages": True, "workers": "cold", "scenario": 1}
"""What an option of an evaluation is where a run does not say it; for the others see `ReplayOptions`."""
_WORDS = {
    "project_tests": "how projects are tested",
    "tests_over": "how projects are tested, over what tapes say",
    "also_requires": "packages for the tests",
    "paths": "the paths in which is asked",
    "excluded": "the paths in which is not asked",
    "include_tests": "whether is asked in files of tests",
    "moments": "the moments that are asked about",
    "ask_missed": "whether is asked again what the editor gave up",
    "tests": "tests",
    "settings.provider.seed": "seed of the provider",
    "settings.provider.heal": "heal (half-typed words)",
    "settings.provider.longest_wait_s": "the longest Retry-After that is obeyed, in s",
    "settings.context": "context (tokens of the prompt)",
    "settings.cache": "cache of the server",
    "policies": "numbers of the policy",
}
"""Options whose names do not say what they are; of the others the name is said."""
FASTER = 1.25
"""The ratio of the times of one computation from which on two machines are not the same."""
Config = Mapping[str, Any]


def unfair(first: Config, second: Config) -> list[str]:
    """Say in what two configurations differ beside the model: every option that can change an answer, a verdict or which moments there are.

    Example: `the runs differ in seed: 0 and 1`.
    """
    return [
        *_options(first, second),
        *_instructions(first, second),
        *_sources(first, second),
    ]


def _options(first: Config, second: Config) -> Iterator[str]:
    """Every option in which two configurations differ, but for what is compared."""
    passed_over = {*_COMPARED}
    if first.get("published") or second.get("published"):
        passed_over.update(_NOT_OF_PUBLISHED)
    if first.get("seed") or second.get("seed"):  # it takes the place of the provider's
        passed_over.add("settings.provider.seed")
    ours, theirs = _flat(first), _flat(second)
    for name in sorted(ours.keys() | theirs.keys(), key=lambda name: (name.count("."), name)):
        if not _is_below(name, passed_over):
            yield from _differ(name, *(each.get(name, _unsaid().get(name)) for each in (ours, theirs)))


def _flat(config: Config) -> dict[str, Any]:
    """The options of a configuration by their dotted names; of policies of one's own only the one that asks."""
    own, named = config.get("policies") or {}, str(config.get("policy", "")).partition(":")[0]
    return dict(_leaves({**config, "policies": own.get(named) or {}}, ""))


@cache
def _unsaid() -> dict[str, Any]:
    """What each option is where a run does not say it."""
    return {**_flat(ReplayOptions().kept()), **_UNSAID}


def _leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and not (name and _is_below(name, _COMPARED)):
        for key, each in value.items():
            yield from _leaves(each, f"{name}.{key}".lstrip("."))
    else:
        yield name, value


def _is_below(name: str, names: Iterable[str]) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in names)


def _instructions(first: Config, second: Config) -> Iterator[str]:
    """A run without instructions has no adherence, and is compared by all else."""
    ours, theirs = (list(each.get("instructions") or ()) for each in (first, second))
    if ours and theirs and set(ours) != set(theirs):
        both = sum(id_ in theirs for id_ in ours)
        yield f"the runs were checked against {len(ours):,} and {len(theirs):,} instructions of developers: adherence is compared over the {both:,} that both have"


def _differ(name: str, one: Any, other: Any) -> Iterator[str]:
    if _plain(one) != _plain(other):
        yield f"the runs differ in {_named(name)}: {_worded(one)} and {_worded(other)}"


def _plain(value: Any) -> Any:
    """A value as it is compared: what is empty and what is not said are the same."""
    return list(value) or None if isinstance(value, list | tuple) else value


def _named(name: str) -> str:
    """The words for an option: those of its table and its own name, or its name alone."""
    table = next((each for each in _WORDS if _is_below(name, (each,))), "")
    rest = name.removeprefix(table).lstrip(".")
    if not table:
        return name.rpartition(".")[2]
    return f"{_WORDS[table]}: {rest}" if rest else _WORDS[table]


def _worded(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else repr(value)


def _sources(first: Config, second: Config) -> Iterator[str]:
    ours, theirs = first.get("sources", {}), second.get("sources", {})
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs:
            yield f"only one of the runs has {name!r}"
        elif ours[name] != theirs[name] and not _reads_other_things(first, second):
            yield f"{name!r} is not the same in both runs: it has changed in between"


def _reads_other_things(first: Config, second: Config) -> bool:
    """Whether two runs read other things of the same source, so that their digests differ without a change.

    They chose other tasks, programs or published answers of a corpus; or only one tests, and so reads the files of a tape's project.
    """
    is_tested = [config.get("tests", True) for config in (first, second)]
    return is_tested[0] != is_tested[1] or any(
        first.get(name) != second.get(name) for name in ("published", "programs", "languages", "categories")
    )


def unfinished(runs: Iterable[tuple[str, str]]) -> list[str]:
    """Say which of some runs have not come to their end, from their names and states: what they have is not all that they would have.

    Example: `night was stopped before its end: only its moments so far are compared`.
    """
    said = {"being written": "is still being written", "stopped": "was stopped before its end"}
    return [f"{name} {said[state]}: only its moments so far are compared" for name, state in runs if state in said]


def unlike_machines(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """Say whether measured latencies are of machines of another speed, or of models with another number of questions at once, from two summaries; nothing where a machine is not known."""
    ours, theirs = (_calibrations(one) for one in (first, second))
    if not ours or not theirs:
        return []
    return [*_processors(ours, theirs), *_speeds(ours, theirs), *_places(first, second)]


def _places(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    """Whether the model had other numbers of questions at once: they wait for each other."""
    one, other = ((each["machine"].get("concurrency") or [1]) for each in (first, second))
    if one != other:
        said = (" or ".join(map(str, each)) for each in (one, other))
        yield f"measured latencies are of models with {' and '.join(said)} questions at once"


def _calibrations(summary: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = (summary.get("machine") or {}).get("calibrations") or ()
    return found


def _processors(ours: Sequence[Mapping[str, Any]], theirs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    one, other = ours[0]["processors"], theirs[0]["processors"]
    if one != other:
        yield f"measured latencies are of machines with {one} and {other} processors"


def _speeds(ours: Sequence[Mapping[str, Any]], theirs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    pick: Callable[[Sequence[Mapping[str, Any]]], float] = lambda found: median(each["middle_ms"] for each in found)  # noqa: E731
    one, other = pick(ours), pick(theirs)
    if max(one, other) > FASTER * min(one, other):
        yield f"measured latencies are of machines of another speed: the same computation took {one:.1f} ms and {other:.1f} ms"
