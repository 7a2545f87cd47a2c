"""pass@k: how often at least one of k answers passes the tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import comb

from msgspec import structs

from replay.numbers.metrics import CONFIDENCE, UNJUDGED, share
from replay.records import Record


def pass_at_k(n: int, c: int, k: int) -> float:
    """The chance that one of k answers passes, estimated without bias from c of n that do (Chen et al. 2021, §2.1).

    Example: of n = 5 answers c = 2 pass; for k = 1 it is 2/5, for k = 2 it is 1 - C(3, 2)/C(5, 2) = 0.7.
    """
    return 1.0 - comb(n - c, k) / comb(n, k)


def passing(counts: Iterable[tuple[int, int]], k: int) -> dict[str, float | int | None]:
    """The mean of pass@k over moments with at least k answers that count: value, low, high in [0, 1], and n moments.

    `counts` are the answers that count and those that pass, by moment. The interval is Wilson's where every moment has the same
    outcome for every answer (so with one sample), else a percentile bootstrap over the moments (Efron 1979, by scipy, 9,999
    samples, seed 0); moments that are all alike in between give none.
    """
    values = [pass_at_k(n, c, k) for n, c in counts if n >= k]
    if all(value in {0.0, 1.0} for value in values):
        return share(int(sum(values)), len(values))
    if len(set(values)) == 1:
        return {"value": values[0], "low": None, "high": None, "n": len(values)}
    import numpy as np
    from scipy import stats

    found = stats.bootstrap((values,), np.mean, method="percentile", rng=np.random.default_rng(0))
    low, high = (float(end) for end in found.confidence_interval)
    assert CONFIDENCE == 0.95, "scipy's own default"
    return {"value": float(np.mean(values)), "low": low, "high": high, "n": len(values)}


def pass_at_each_k(records: Sequence[Record], samples: int) -> dict[str, dict[str, float | int | None]]:
    """pass@k for each k up to the number of samples, over the moments of some records."""
    verdicts: dict[str, list[str]] = defaultdict(list)
    for record in records:
        if record.verdict and record.verdict.name not in UNJUDGED:
            verdicts[structs.replace(record.moment, sample=0).id].append(record.verdict.name)
    counts = [(len(names), names.count("passed")) for names in verdicts.values()]
    return {str(k): passing(counts, k) for k in range(1, samples + 1)}
