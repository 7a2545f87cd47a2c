"""What a mined corpus is: the entry point `mined` of `ghosttape.corpora`."""

from __future__ import annotations

from corpora.registry import CorpusCard

CARD = CorpusCard(
    reader="corpora.mined.corpus:MinedCorpus",
    about="gaps in a repository, judged by its own tests",
    needs="a corpus of `ghosttape corpora mine`",
    head=b'{"corpus":',
    name_in="corpora.mined.corpus_file:name_in",
    choices=("project", "allowed"),
    cluster_by="function",
)
