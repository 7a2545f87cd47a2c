"""Make a large run of the moments of a real one, to see how screens and the store bear it.

    python -m tools.many_moments RUN OUT --moments 100000

Each copy lies on a tape of its own name, in a document of its own folder, at another line, and took another time; the rest is as it was.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import structs

from replay.records import Record
from replay.run.store import Store

_ON_A_TAPE = 500
"""Moments on each tape of the large run, about as many as a session of an hour has under a policy of time."""


def many(records: list[Record], number: int) -> Iterator[Record]:
    """Yield `number` records, made of the given ones in turn."""
    endless = (copy(record, round_) for round_ in range(1 + number // len(records)) for record in records)
    return islice(endless, number)


def copy(record: Record, round_: int) -> Record:
    """Return a record as it would be in round `round_` (from 0; round 0 is the record itself)."""
    if not round_:
        return record
    at, offered = record.moment, record.suggestion
    session = round_ % max(1, _ON_A_TAPE // 10)
    moment = structs.replace(
        at,
        tape=f"{at.tape}-{round_ // 50:04}",
        path=f"part{session:02}/{at.path}",
        event=at.event + 1_000 * session,
        line=at.line + session,
    )
    timed = offered and structs.replace(offered, latency=offered.latency * (1 + round_ % 97 / 10))
    return structs.replace(record, moment=moment, suggestion=timed)


def make(source: Path, out: Path, number: int) -> None:
    """Write a run of `number` moments to `out`, of those in the run `source`."""
    with Store.open(source) as store:
        records, config = list(store.records()), store.config
    with Store.create(out, config) as store:
        store.put_all(many(records, number))


def main() -> None:
    """Read the arguments and make the run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of a real run")
    parser.add_argument("out", type=Path, help="the folder of the large run")
    parser.add_argument("--moments", type=int, default=100_000)
    chosen = parser.parse_args()
    make(chosen.run, chosen.out, chosen.moments)


if __name__ == "__main__":
    main()
