"""What an earlier process left of the same run: its records are not asked for again, nor judged again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from replay.play.player_instructions import Answer, Ask
from replay.records import GIVEN_UP, ArmTrial, Missed, Record, Verdict
from replay.run.store import Store


@dataclass(slots=True)
class Earlier:
    """The records and trials of a run that was stopped, by moment.

    In a run whose moments stand alone, what has a record is not asked again. Elsewhere the server's cache and the policy's state
    come from all that was asked, so each question is asked again; it takes the time, or is given up, as the record says.
    """

    records: dict[str, Record] = field(default_factory=dict)
    trials: dict[tuple[str, str], ArmTrial] = field(default_factory=dict)
    _reached: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, store: Store) -> Earlier:
        """Everything that a store holds."""
        trials = {(trial.moment, trial.arm): trial for trial in store.trials()}
        return cls({record.moment.id: record for record in store.records()}, trials)

    def answer(self, ask: Ask) -> Answer | None:
        """The answer that a moment had; None where there is none, or the request failed."""
        record = self._answered(ask)
        if record is None or record.suggestion is None:
            return None
        suggestion, step = record.suggestion, record.ending.reason if record.ending.name == "filtered" else ""
        return Answer(
            measured=suggestion.latency,
            text=suggestion.text,
            start=suggestion.start,
            end=suggestion.end,
            filtered=step,
            raw=suggestion.raw,
            prompt=suggestion.prompt,
            provider=suggestion.provider,
            cache=suggestion.cache,
            trail=suggestion.trail,
            first_token=suggestion.first_token,
            prompt_tokens=suggestion.prompt_tokens,
            tokens=suggestion.tokens,
            finish=suggestion.finish,
            changes=suggestion.changes,
        )

    def asked_again(self, ask: Ask) -> Ask:
        """A question as it went the first time: one that was given up is given up again."""
        record = self.records.get(ask.moment.id)
        given_up = record is not None and record.ending.name in GIVEN_UP and record.suggestion is None
        return replace(ask, will_cancel=True) if given_up else ask

    def timed(self, answer: Answer, ask: Ask) -> Answer:
        """An answer with the time (ms) that it took the first time, unless it comes with that from a record of answers."""
        record = None if answer.by_record else self._answered(ask)
        known = record is not None and record.suggestion is not None and not answer.failed and not answer.given_up
        if not known:
            return answer
        first = record.suggestion  # type: ignore[union-attr]
        return replace(answer, measured=first.latency, first_token=first.first_token)  # type: ignore[union-attr]

    def verdict(self, record: Record) -> Verdict | None:
        """The verdict that a moment has already, if it ended in the same way with the same suggestion."""
        self._reached.add(record.moment.id)
        known = self.records.get(record.moment.id)
        if known is None or known.verdict is None or depends_on_the_machine(known.verdict):
            return None
        return known.verdict if _alike(known, record) else None

    def missed(self, record: Record) -> Missed | None:
        """What the editor missed at a moment, if it was found out and the moment ended in the same way."""
        known = self.records.get(record.moment.id)
        return known.missed if known is not None and _alike(known, record) else None

    def kept(self, record: Record) -> Record:
        """The record that counts: a request that fails now takes nothing away that was answered before."""
        known = self.records.get(record.moment.id)
        answered = known is not None and known.suggestion is not None
        return known if known is not None and answered and record.ending.name == "failed" else record

    def trial(self, moment: str, arm: str) -> ArmTrial | None:
        """What became of a moment's answer in one arm of an ablation."""
        trial = self.trials.get((moment, arm))
        return None if trial is None or trial.verdict.name == "infrastructure" else trial

    def unreached(self, source: str) -> list[str]:
        """The moments of a source that were not met again: they belong to an earlier course of its session, and to no result."""
        return [
            moment
            for moment, record in self.records.items()
            if record.moment.tape == source and moment not in self._reached
        ]

    def _answered(self, ask: Ask) -> Record | None:
        record = self.records.get(ask.moment.id)
        return None if record is None or record.ending.name == "failed" else record


def depends_on_the_machine(verdict: Verdict) -> bool:
    """Whether a verdict may be another one now: the machine failed, or the finished project did, which is tested anew."""
    return verdict.name == "infrastructure" or verdict.reason in {"flaky", "broken-baseline"}


def _alike(known: Record, record: Record) -> bool:
    return known.ending == record.ending and _text(known) == _text(record)


def _text(record: Record) -> tuple[object, ...] | None:
    suggestion = record.suggestion
    return None if suggestion is None else (suggestion.text, suggestion.start, suggestion.end, suggestion.changes)
