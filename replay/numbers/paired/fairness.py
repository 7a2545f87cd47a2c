"""What makes two runs hard to compare: they differ in more than in what is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from msgspec import UNSET

_CHOICES: dict[str, Any] = dict.fromkeys(
    ("policy", "user", "mode", "latency", "corpus", "programs", "which_tests", "packages")
) | {"scoring": "answer", "seed": 0, "samples": 1, "tests": True, "limit": None}
"""Options of a run, and what each is where a run does not say it."""
_OF_THE_SERVER = ("repairs", "context")
"""Settings of the language server that are the same where only models are compared."""
_OF_THE_ANSWER = ("max_tokens", "temperature")
"""Settings of the provider of which the same holds."""
FASTER = 1.25
"""The ratio of the times of one computation from which on two machines are not the same."""
Config = Mapping[str, Any]


def unfair(first: Config, second: Config) -> list[str]:
    """Say in what two configurations differ beside the model: policy, seed, tapes or repairs.

    Example: `the runs differ in seed: 0 and 1`.
    """
    return [
        *_options(first, second),
        *_settings(first, second),
        *_instructions(first, second),
        *_sources(first, second),
    ]


def _options(first: Config, second: Config) -> Iterator[str]:
    for name, unsaid in _CHOICES.items():
        yield from _differ(name, first.get(name, unsaid), second.get(name, unsaid))


def _settings(first: Config, second: Config) -> Iterator[str]:
    """Published answers were made elsewhere, whatever the settings of the run that judges them."""
    ours, theirs = first.get("settings") or {}, second.get("settings") or {}
    for name in _OF_THE_SERVER:
        yield from _differ(name, ours.get(name, UNSET), theirs.get(name, UNSET))
    if first.get("published") or second.get("published"):
        return
    for name in _OF_THE_ANSWER:
        yield from _differ(name, *((each.get("provider") or {}).get(name, UNSET) for each in (ours, theirs)))


def _instructions(first: Config, second: Config) -> Iterator[str]:
    """A run without instructions has no adherence, and is compared by all else."""
    ours, theirs = (list(each.get("instructions") or ()) for each in (first, second))
    if ours and theirs and set(ours) != set(theirs):
        both = sum(id_ in theirs for id_ in ours)
        yield f"the runs were checked against {len(ours):,} and {len(theirs):,} instructions of developers: adherence is compared over the {both:,} that both have"


def _differ(name: str, one: Any, other: Any) -> Iterator[str]:
    if one != other and UNSET not in (one, other):
        yield f"the runs differ in {name}: {_worded(one)} and {_worded(other)}"


def _worded(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return repr(value)


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
    is_tested = [config.get("tests", _CHOICES["tests"]) for config in (first, second)]
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
    """Say whether measured latencies are of machines of another speed, from two summaries; nothing where a machine is not known."""
    ours, theirs = (_calibrations(one) for one in (first, second))
    if not ours or not theirs:
        return []
    return [*_processors(ours, theirs), *_speeds(ours, theirs)]


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
