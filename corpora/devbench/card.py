"""What DevBench is, and where its data comes from: the entry point `devbench` of `ghosttape.corpora`."""

from __future__ import annotations

from corpora.registry import CorpusCard

CARD = CorpusCard(
    reader="corpora.devbench.corpus:DevBench",
    about="gaps in programs that test themselves, in 6 categories",
    paper="Golnari et al. 2026, arXiv 2601.11895",
    licence="MIT",
    tasks=1800,
    languages=("python", "javascript", "typescript", "java", "cpp", "csharp"),
    url="https://github.com/microsoft/devbench",
    commit="b22ecf89401ea0fc9d74c71ed605cd9105248449",
    paths=("LICENSE", "benchmark", "completions"),
    digests={
        "benchmark/**/*.jsonl": "7d97edde95ce0340acedb57a7a8160e1d9c4989dfe3b5416ca980153ff008b80",
    },
    answers_at="completions/*/*/*-{model}.jsonl",
    answers={
        "DeepSeek-V3-0324": "d0ed6ba44ea289feef9cd6a58a705d90ca86904e1d4becccbd0d211c4f13c3a1",
        "DeepSeek-V3.1": "cfebac55daa1682a98ff4e724824d3e2fe8661b722fca28bf51b39de03ab3a61",
        "Ministral-3B": "4ad632ec68abf04ebbe75725f9f7c3af089b69f80d52e21fc26a9e2400434c07",
        "claude-3-7-sonnet": "3882fb99fac9ae4d03537c96223c07c7735dd8750d4c1a47af3b8ea4b01af9cb",
        "claude-4-sonnet": "9770cc4df803086a492422e3c571aa7de75c881cf4faa24824b60b01b8338821",
        "gpt-4.1": "741bd5193c7f87ecf48acb48eac13f43273ab07aa6e699cff24122fb9df6e151",
        "gpt-4.1-mini": "8addfc5ea68443138a1640a9521cc5eadf7484eef2e5733468ab1080bc2ab627",
        "gpt-4.1-nano": "7d9d5ecd480fd31932882b4ea73bb608e3c407de739b14a7b6184de59cd07964",
        "gpt-4o": "880d5ffedbfd197d0793b4582deca582928ccf3a5020dc6f13305c419272f627",
    },
)
