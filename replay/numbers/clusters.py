"""Clusters: moments that are not independent of each other, because they are of one hole, function, tape or program.

Sixty moments inside one statement say little more than one of them. An interval that takes them for sixty independent
trials is far too narrow (`docs/numbers.md` has a table), so every figure of a run goes by clusters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from msgspec import structs

from replay.options import ClusterBy
from replay.records import Moment, Record

NAMES: dict[ClusterBy, str] = {"hole": "holes", "function": "functions", "tape": "tapes", "program": "programs"}
"""What several clusters are called."""
_FROM_SMALL = ("hole", "function", "program", "tape")
"""Each lies in one of the next."""
Member = TypeVar("Member")


def cluster_of(moment: Moment, by: ClusterBy = "hole") -> str:
    """The id of the cluster that a moment belongs to.

    * `hole`: all moments at which what is wanted ends at the same place of the finished document (a hole can end before it, where older text begins). While a statement is typed, its hole begins further
      right with each key; it stays one cluster. All samples of a moment that has no hole are a cluster of their own.
    * `function`: the outermost function. Outside of functions the hole counts.
    * `tape`: everything on one tape.
    * `program`: one document of one tape; in a corpus all tasks that are gaps of one program.

    Example: two moments with the hole `a.py:40` (by the path and the end) of one tape are in one cluster.
    """
    if by == "tape":
        return moment.tape
    if by == "program":
        return f"{moment.tape}\0{moment.program or moment.path}"
    if by == "function" and moment.function:
        return f"{moment.tape}\0{moment.function}\0"
    return f"{moment.tape}\0{moment.hole}" if moment.hole else structs.replace(moment, sample=0).id


def by_cluster(members: Iterable[tuple[str, Member]]) -> dict[str, list[Member]]:
    """Cluster → its members, from pairs of both."""
    found: dict[str, list[Member]] = defaultdict(list)
    for cluster, member in members:
        found[cluster].append(member)
    return dict(found)


def common_clusters(of_runs: Iterable[ClusterBy]) -> ClusterBy:
    """By what the figures of several runs go together, where each has its own: the largest of them, which is the most careful.

    Example: one run by hole and one by tape go by tape.
    """
    return max(of_runs, key=_FROM_SMALL.index)


def count_clusters(records: Iterable[Record], by: ClusterBy) -> int:
    """How many clusters some records are in."""
    return len({cluster_of(record.moment, by) for record in records})
