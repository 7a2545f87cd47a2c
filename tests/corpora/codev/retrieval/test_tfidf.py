import math

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from corpora.codev.retrieval.evidence import TfIdf, code_terms

TEXTS = [
    "def parse_url(text): return URLParser(text).parse()",
    "def read_file(path): return open(path).read()",
    "def read_url(url): return read_file(parse_url(url).path)",
    "x = 1",
]


def test_identifiers_count_whole_and_by_the_words_in_them():
    assert code_terms("parseURL_at(x1)") == ["parseurl_at", "parse", "url", "at", "x1"]
    assert code_terms("größe = ÄrgerMaß") == ["größe", "ärgermaß", "ärger", "maß"]


def test_weights_and_similarities_are_those_of_scikit_learn():
    known = TfidfVectorizer(analyzer=code_terms)
    rows = known.fit_transform(TEXTS)
    ours = TfIdf.of(TEXTS)
    for query in (*TEXTS, "read the URL of a file", "nothing_known_here"):
        expected = (rows @ known.transform([query]).T).toarray()[:, 0]
        np.testing.assert_allclose(ours.similarities(query), expected, atol=1e-12)


def test_the_worked_example_of_the_weights():
    assert dict(zip(["a", "b"], TfIdf.of(["a b", "a"]).idf, strict=True)) == {"a": 1.0, "b": math.log(3 / 2) + 1}


def test_an_empty_collection_and_empty_texts_are_like_nothing():
    assert TfIdf.of([]).similarities("x").tolist() == []
    assert TfIdf.of(["", "x"]).similarities("").tolist() == [0.0, 0.0]
