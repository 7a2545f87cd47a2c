"""What a corpus of blocks is, in a file of `corpora build codev` or in the published layout: the entry point `codev` of `ghosttape.corpora`."""

from __future__ import annotations

from corpora.registry import CorpusCard

CARD = CorpusCard(
    reader="corpora.codev.corpus:CodevCorpus",
    about="blocks inside real repositories, judged by the unit tests that reach them",
    paper="Pan et al. 2024, arXiv 2410.01353",
    needs="a corpus of `ghosttape corpora build codev`, or a folder in the published layout (docs/codev.md)",
    head=b'{"codev":',
    name_in="corpora.codev.samples:name_in",
    choices=("project", "allowed", "scenario", "embeddings"),
    figures="corpora.codev.block_scores:summary_of_blocks",
    sections="corpora.codev.block_sections:block_sections",
    options=("extra_rules",),
    usual_context="corpora.codev.block_context:usual_context",
    cluster_by="function",
)
