"""Near-duplicates of the published tasks."""

from difflib import SequenceMatcher

from corpora.audits.duplicates import near_duplicates, shape


def test_near_duplicates_of_the_published_tasks(shared):
    """Checked with other means: all pairs above the limit of tokens by plain sets, and their trees by `difflib`."""
    from corpora.corpus import corpus_of

    corpus = corpus_of("devbench", shared / "devbench")
    tasks = corpus.tasks(["python"], ["syntax_completion", "low_context"], packages=False)
    texts = {one.name: one.finished.text for one in tasks}
    found = near_duplicates(tasks)
    assert ("python/syntax_completion/11", "python/syntax_completion/14") in {(one.one, one.other) for one in found}
    for pair in found:
        trees = SequenceMatcher(
            None, *(shape("python", texts[name]) for name in (pair.one, pair.other)), autojunk=False
        )
        assert pair.tree >= trees.ratio() - 1e-9  # difflib finds a common subsequence, not always the longest
        assert pair.tokens > 0.5 or pair.tree > 0.85
