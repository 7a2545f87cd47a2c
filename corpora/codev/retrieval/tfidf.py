"""TF-IDF over the words of code: the baseline that needs no model.

It is our own, as it is three lines of sparse algebra on scipy, which ghosttape needs anyway; scikit-learn would be a dependency of 30 MB for its class
`TfidfVectorizer` alone. The weights are the ones of that class, and a test compares them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_BREAK = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def code_terms(text: str) -> list[str]:
    """The identifiers of a text in lower case, and the words that they are made of. Example: `parseURL_at` gives `parseurl_at`, `parse`, `url`, `at`."""
    found = list[str]()
    for name in _IDENTIFIER.findall(text):
        parts = [part.lower() for part in _BREAK.split(name) if part]
        found += [name.lower(), *(parts if len(parts) > 1 else [])]
    return found


@dataclass(frozen=True, slots=True)
class TfIdf:
    """The texts of a collection as rows of length 1, and the weight of each term in it.

    The weight of a term in a text is its count times idf = ln((1 + n) / (1 + df)) + 1, where n texts are in the collection and df of them have the term
    (Manning, Raghavan and Schütze 2008, section 6.2, with scikit-learn's smoothing). Two texts are as similar as the cosine of their rows.
    """

    columns: dict[str, int]
    idf: NDArray[np.float64]
    rows: csr_array

    @classmethod
    def of(cls, texts: Sequence[str]) -> TfIdf:
        """Count the terms of a collection. Example: of the texts `a b` and `a`, `a` weighs 1 and `b` ln(3/2) + 1 = 1.405."""
        counted = [Counter(code_terms(text)) for text in texts]
        columns = {term: at for at, term in enumerate(sorted(set().union(*counted)))}
        frequency = Counter(term for counts in counted for term in counts)
        df = np.array([frequency[term] for term in columns], dtype=float)
        idf = np.log((1 + len(texts)) / (1 + df)) + 1
        return cls(columns, idf, _weighted(counted, columns, idf))

    def similarities(self, text: str) -> NDArray[np.float64]:
        """The cosine of a text with each text of the collection, from 0 to 1; terms that the collection lacks count for nothing."""
        known = Counter(term for term in code_terms(text) if term in self.columns)
        query = _weighted([known], self.columns, self.idf)
        return np.asarray((self.rows @ query.T).todense(), dtype=float)[:, 0]


def _weighted(counted: Sequence[Counter[str]], columns: dict[str, int], idf: NDArray[np.float64]) -> csr_array:
    """One row for each text: counts times idf, divided by the row's length."""
    at = np.array([(row, columns[term]) for row, counts in enumerate(counted) for term in counts], dtype=int)
    rows, cells = at.reshape(-1, 2).T
    values = np.array([count for counts in counted for count in counts.values()], dtype=float) * idf[cells]
    lengths = np.sqrt(np.bincount(rows, values**2, len(counted)))
    return csr_array((values / lengths[rows], (rows, cells)), shape=(len(counted), len(columns)))
