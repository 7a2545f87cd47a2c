"""Parts of a run, made on several machines, put together: each moment counts once, and the figures are computed anew from all records.

Parts have one configuration. They may differ in what they played: tapes, moments, paths, languages and categories.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from replay.errors import StoreError
from replay.numbers.clusters import cluster_of
from replay.numbers.effects import ablation as effects_of
from replay.options import RunOptions
from replay.records import ANSWERED, ArmTrial, Effort, Record
from replay.run.ablation import ablation_of
from replay.run.calibration import Calibration, described
from replay.run.catalogue.run_lookup import run_name
from replay.run.findings import Findings
from replay.run.run_spending import cost_of_parts
from replay.run.store import Store, differing
from server.providers.gguf import weights

_CHOICES = ("moments", "paths", "languages", "categories")
"""Options that say which part of all moments is played: the merged run has those of all parts."""
_DIGESTS = ("sources", "answers")
"""What stands beside the options in a configuration."""
Summarising: TypeAlias = Callable[[Mapping[str, Any], Findings, Sequence[Mapping[str, Any]]], dict[str, Any]]
"""Makes the summary of a merged configuration, its findings, and the summaries of the parts."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A moment on which two parts disagree; the first part counts."""

    moment: str
    place: str
    """`tape path:line:column`, from 1."""
    parts: tuple[str, str]
    verdicts: tuple[str, str]
    """Verdict or, where there is none, ending."""


@dataclass(frozen=True, slots=True)
class MergedRun:
    """What came of a merge."""

    folder: Path
    moments: int
    doubled: int
    """Records that another part has too: they count once."""
    disagreements: tuple[Disagreement, ...]
    summary: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    config: dict[str, Any]
    summary: Mapping[str, Any]
    facts: Mapping[str, Any]
    records: Sequence[Record]
    trials: Sequence[ArmTrial]


@dataclass(slots=True)
class _Pool:
    """The records of all parts, each moment once."""

    kept: dict[str, tuple[str, Record]] = field(default_factory=dict)
    doubled: int = 0
    disagreements: list[Disagreement] = field(default_factory=list)

    def take(self, part: str, record: Record) -> None:
        """Take a record in, unless one that says as much of the moment is known."""
        earlier = self.kept.get(record.moment.id)
        if earlier is None or _worth(record) > _worth(earlier[1]):
            self.kept[record.moment.id] = part, record
        if earlier is None:
            return
        self.doubled += 1
        said = _said(earlier[1]), _said(record)
        if said[0] != said[1] and _worth(record) == _worth(earlier[1]):
            self.disagreements.append(_disagreement(record, (earlier[0], part), said))


def merge_runs(out: Path, parts: Sequence[Path], summarise: Summarising, *, same_model: bool = False) -> MergedRun:
    """Put the parts of a run together into a new folder, which is there whole or not at all.

    With `same_model` parts may differ in where their model is: the base URL of its server, the folder of its GGUF file.

    Raises:
        StoreError: a part cannot be read or did not come to its end, the parts differ in their configuration (it names the options), there is
            something in the folder already, or it cannot be written.

    """
    if out.exists():
        raise StoreError(f"{out} is there already: choose another name")
    read = [_read(part) for part in parts]
    config = merged_config([(part.name, part.config) for part in read], same_model=same_model)
    pool = _pooled(read, is_driven=config.get("mode") == "drive")
    with _beside(out) as made:
        merged = _written(made, config, read, pool, lambda *of: {**summarise(*of), "run": str(out)})
        _put_in_place(made, out)
    return replace(merged, folder=out)


@contextmanager
def _beside(out: Path) -> Iterator[Path]:
    """A place for a folder beside another one, on the same disk; what is still there in the end is removed.

    Raises:
        StoreError: it cannot be made.

    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".merging", dir=out.parent))
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {error.strerror}") from error
    try:
        yield folder / out.name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _put_in_place(made: Path, out: Path) -> None:
    try:
        made.rename(out)
    except OSError as error:
        why = "it has come there meanwhile" if out.exists() else error.strerror
        raise StoreError(f"{out} cannot be written: {why}: choose another name") from error


def _read(folder: Path) -> _Part:
    name = run_name(folder)
    with Store.open(folder) as store:
        summary = store.fact("summary")
        if store.is_written or summary is None:
            raise StoreError(f"{name} has not come to its end: finish it first (the same command with --out goes on)")
        names = ("origins", "machine", "reads_record", "cluster_by", "concurrency")
        facts = {each: store.fact(each) for each in names}
        return _Part(name, store.config, summary, facts, tuple(store.records()), tuple(store.trials()))


def merged_config(parts: Sequence[tuple[str, Mapping[str, Any]]], *, same_model: bool = False) -> dict[str, Any]:
    """Return the configuration of several parts, from their names and configurations; that of the first where they differ by machine.

    Raises:
        StoreError: they differ in more than in what they played.

    """
    (first_name, first), *others = parts
    for name, config in others:
        if names := _differing(first, config, same_model=same_model):
            said = f"{first_name} and {name} are no parts of one run: they differ in {', '.join(names)}"
            is_elsewhere = not _differing(first, config, same_model=True)
            raise StoreError(
                f"{said}; if it is the same model on another machine, add --same-model" if is_elsewhere else said
            )
    sources: dict[str, Any] = {}
    chosen_apart = any(first.get(one) != config.get(one) for _, config in others for one in ("languages", "categories"))
    for name, config in parts:
        for source, digest in config.get("sources", {}).items():
            if sources.setdefault(source, digest) != digest and not chosen_apart:
                raise StoreError(
                    f"{name} played another {source!r} than the parts before it: it has changed in between"
                )
    choices = {one: _union([config.get(one, []) for _, config in parts]) for one in _CHOICES}
    clones = sorted({clone for _, config in parts for clone in config.get("projects", ())})
    own = {"sources": sources} | ({"projects": clones} if clones else {})
    return {**first, **{one: chosen for one, chosen in choices.items() if one in first or chosen}, **own}


def _differing(one: Mapping[str, Any], other: Mapping[str, Any], *, same_model: bool) -> list[str]:
    return list(differing(_plain(one, same_model=same_model), _plain(other, same_model=same_model)))


def _plain(config: Mapping[str, Any], *, same_model: bool) -> dict[str, Any]:
    """A configuration without what parts may differ in: what they played, and where a machine has what is the same by its content.

    A tape names the commit of its project, whatever clone it comes from; of a file of answers the digest is kept.
    """
    plain = {name: value for name, value in config.items() if name not in {*_CHOICES, "sources", "projects"}}
    settings = plain.get("settings") or {}
    provider = dict(settings.get("provider") or {})
    if plain.get("answers"):
        provider.pop("answers", None)
    if same_model:
        provider.pop("base_url", None)
    if same_model and provider.get("name") == "gguf":
        provider["model"] = weights(provider.get("model", ""))
    return plain | ({"settings": {**settings, "provider": provider}} if provider else {})


def _union(choices: Sequence[Sequence[str]]) -> list[str]:
    """All that is chosen; an empty choice is of everything."""
    return sorted({one for each in choices for one in each}) if all(choices) else []


def _pooled(parts: Iterable[_Part], *, is_driven: bool) -> _Pool:
    """All records. A session in drive mode is one piece: a tape that several parts played is that of the first."""
    pool, owner = _Pool(), dict[str, str]()
    for part in parts:
        for record in part.records:
            if is_driven and owner.setdefault(record.moment.tape, part.name) != part.name:
                pool.doubled += 1
                continue
            pool.take(part.name, record)
    return pool


def _worth(record: Record) -> int:
    """How much a record says of its moment: a verdict that the machine did not fail to give, an answer, nothing."""
    is_judged = record.verdict is not None and record.verdict.name != "infrastructure"
    return 2 if is_judged else int(record.ending.name in ANSWERED)


def _said(record: Record) -> str:
    return record.verdict.name if record.verdict else record.ending.name


def _disagreement(record: Record, parts: tuple[str, str], said: tuple[str, str]) -> Disagreement:
    moment = record.moment
    place = f"{moment.tape} {moment.path}:{moment.line + 1}:{moment.character + 1}"
    return Disagreement(moment.id, place, parts, said)


def _written(
    folder: Path, config: dict[str, Any], parts: Sequence[_Part], pool: _Pool, summarise: Summarising
) -> MergedRun:
    records = [record for _, record in pool.kept.values()]
    trials = _trials(parts)
    findings = _findings(parts, records, trials)
    summary = {**summarise(config, findings, [part.summary for part in parts]), "left_out": findings.left_out}
    summary |= cost_of_parts([part.summary for part in parts])
    with Store.create(folder, config) as store:
        store.put_all(records)
        for trial in trials:
            store.put_trial(trial)
        for name, value in _facts(parts).items():
            store.put_fact(name, value)
        if machine := _facts(parts)["machine"]:
            told = described(msgspec.convert(machine, list[list[Calibration]]))
            summary["machine"] = told | {"concurrency": _facts(parts)["concurrency"]}
        summary["merged"] = [{"run": part.name, "moments": len(part.records)} for part in parts]
        store.put_fact("summary", summary)
        if "ablation" in summary:
            store.put_fact("ablation", summary["ablation"])
    return MergedRun(folder, len(records), pool.doubled, tuple(pool.disagreements), summary)


def _trials(parts: Iterable[_Part]) -> list[ArmTrial]:
    """The trials of an ablation, those of each moment from the first part that has it."""
    owner: dict[str, str] = {}
    return [one for part in parts for one in part.trials if owner.setdefault(one.moment, part.name) == part.name]


def _facts(parts: Sequence[_Part]) -> dict[str, Any]:
    return {
        "origins": {name: place for part in parts for name, place in (part.facts["origins"] or {}).items()},
        "machine": [taken for part in parts for taken in part.facts["machine"] or []],
        "concurrency": sorted({places for part in parts for places in part.facts["concurrency"] or [1]}),
        "reads_record": any(part.facts["reads_record"] for part in parts),
        "cluster_by": parts[0].facts["cluster_by"],
    }


def _findings(parts: Sequence[_Part], records: Sequence[Record], trials: Sequence[ArmTrial]) -> Findings:
    """What the parts found out, as one run would have. What a part says of a tape counts once."""
    found = Findings(list(records), list(trials), reads_record=any(part.facts["reads_record"] for part in parts))
    for part in parts:
        summary, new = part.summary, False
        for tape, figures in _tapes(summary):
            if tape in found.keys:
                continue
            new, found.keys[tape] = True, figures["metrics"]["keystrokes_saved"]["of"]
            if effort := figures.get("effort"):
                found.efforts[tape] = Effort(**effort)
            if no_person := figures.get("no_person"):
                found.no_person[tape] = no_person
        if new or not found.keys:
            found.checkpoints.update(summary.get("checkpoints") or {})
        found.selection.update(summary.get("selection") or {})
        found.tests_from |= summary.get("tests_from") or {}
        _add_new(found.left_out, summary.get("left_out") or ())
        _add_new(found.skipped, summary.get("skipped") or ())
        _add_new(found.warnings, (one for one in summary.get("faults") or () if one.get("fault") != "infrastructure"))
    return found


def _tapes(summary: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    tapes = summary.get("tapes")
    yield from tapes.items() if isinstance(tapes, Mapping) else ()


def _add_new(known: list[dict[str, str]], found: Iterable[dict[str, str]]) -> None:
    known.extend(one for one in found if one not in known)


def ablation_of_merged(options: RunOptions, findings: Findings) -> dict[str, Any]:
    """Return `ablation` of a summary, computed from the trials of all parts; nothing where none was wanted."""
    wanted = ablation_of(options, is_timed=False)
    if wanted is None:
        return {}
    clusters = {record.moment.id: cluster_of(record.moment, options.cluster_by) for record in findings.records}
    return {"ablation": effects_of(findings.trials, wanted.steps, clusters)}


def options_in(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a configuration, without the digests that stand beside them."""
    return {name: value for name, value in config.items() if name not in _DIGESTS}
