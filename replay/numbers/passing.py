"""pass@k: how often at least one of k answers passes the tests."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

from replay.numbers.intervals import FigureDocument, clustered_share


def pass_at_k(n: int, c: int, k: int) -> float:
    """The chance that one of k answers passes, estimated without bias from c of n that do (Chen et al. 2021, §2.1).

    Example: of n = 5 answers c = 2 pass; for k = 1 it is 2/5, for k = 2 it is 1 - C(3, 2)/C(5, 2) = 0.7.
    """
    return 1.0 - comb(n - c, k) / comb(n, k)


def published_pass_at_k(n: int, c: int, k: int) -> float:
    """The same where a benchmark also counts moments with fewer than k answers: 1 if any of them passes, else 0.

    So does DevBench's `execute_benchmark.py` (`execute_model_completions`). Example: 1 of 1 answers passes; for k = 5 it is 1.
    """
    return pass_at_k(n, c, k) if n >= k else float(c > 0)


def passing(counts: Iterable[tuple[str, int, int]], k: int) -> FigureDocument:
    """The mean of pass@k over moments with at least k answers that count, with its interval by clusters; `n` counts moments.

    `counts` are the cluster, the answers that count and those that pass, by moment. Moments that are all alike in between give no interval.
    """
    return clustered_share((cluster, pass_at_k(n, c, k)) for cluster, n, c in counts if n >= k)
