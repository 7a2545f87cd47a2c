"""What a run shares while it goes on, and what it has found out so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from replay.play.playback import Playback
from replay.records import ArmTrial, Effort, Record
from replay.run.ablation import Ablation
from replay.run.calibration import Calibration
from replay.run.earlier import Earlier
from replay.run.events import Listener
from replay.run.guard import FailureGuard
from replay.run.store import Store


@dataclass(slots=True)
class Findings:
    """What has been found out so far, over all sources."""

    records: list[Record] = field(default_factory=list)
    """Every moment that has ended, with its verdict if it gets one."""
    trials: list[ArmTrial] = field(default_factory=list)
    """In an ablation: every answer in every arm."""
    left_out: list[dict[str, str]] = field(default_factory=list)
    """What could not be played: `tape`, `reason`, and `why` (`lacking` or `failed`)."""
    skipped: list[dict[str, str]] = field(default_factory=list)
    """Documents in which nothing was asked: `tape`, and as `reason` what they are."""
    warnings: list[dict[str, str]] = field(default_factory=list)
    """Why the tests of a tape cannot be trusted: `tape`, `fault`, `reason`."""
    tests_from: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Where each member of how a source is tested comes from, by source; nothing for a source that is not tested."""
    keys: dict[str, int] = field(default_factory=dict)
    """How many keys a person pressed, by source."""
    no_person: dict[str, Mapping[str, int]] = field(default_factory=dict)
    """What was left out because no person wrote it (`edits`, `keys`, `places`), by source; nothing for a source without any."""
    efforts: dict[str, Effort] = field(default_factory=dict)
    """What a session took in drive mode, by source."""
    checkpoints: Counter[str] = field(default_factory=Counter)
    """How many checkpoints there were (`of`), and how many of them the server's document `matched`."""
    selection: Counter[str] = field(default_factory=Counter)
    """How many verdicts went by some of the tests (`replay.judge.selected_tests`)."""
    reads_record: bool = False
    """Whether a measured latency is that of reading a file: a record without times held answers before the run began."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What all sessions of a run share."""

    store: Store
    notify: Listener
    playback: Playback
    earlier: Earlier
    findings: Findings
    guard: FailureGuard = field(default_factory=FailureGuard)
    ablation: Ablation | None = None
    measures: bool = False
    """Whether latencies are measured: a run that is continued then takes those of its records."""
    calibrations: list[list[Calibration]] = field(default_factory=list)
    """The machine's speed and load, in each process of the run; the last list is this one's."""
