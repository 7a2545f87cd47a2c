"""The benchmarks by name. To add one: a folder with a class that is a `Corpus`, made from the folder of its data, and a card here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class CorpusCard:
    """What a benchmark is, and where its data comes from."""

    reader: str
    """Module and class of the `Corpus`."""
    about: str
    paper: str
    licence: str
    """Of the data; nothing is bundled."""
    tasks: int
    languages: tuple[str, ...]
    """LSP identifiers."""
    url: str
    """The git repository of the data."""
    commit: str
    paths: tuple[str, ...]
    """What is taken of the repository: files and folders."""
    digests: Mapping[str, str]
    """Pattern of files → the digest of all of them (`corpora.fetching.digest`): they must be those of the benchmark."""
    answers_at: str
    """The pattern of the files with the published answers of a `{model}`; empty: none were published."""
    answers: Mapping[str, str]
    """Model → the digest of its files. A local copy may lack models, but may not have others, nor other answers."""
    has_scorings: bool = False
    """Whether its repository has a post-processor of answers: the reader takes a `scoring` then (`corpora.options.Scoring`)."""


CORPORA: Mapping[str, CorpusCard] = MappingProxyType(
    {
        "devbench": CorpusCard(
            reader="corpora.devbench:DevBench",
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
        ),
        "simcopilot": CorpusCard(
            reader="corpora.simcopilot:SimCopilot",
            about="gaps in programs that are tested by what they write: infilling and completion",
            paper="Jiang et al. 2025, arXiv 2505.21514",
            licence="CC BY-NC-ND 4.0",
            tasks=1163,
            languages=("python", "java"),
            url="https://github.com/mj33rice/Sim-CoPilot",
            commit="096d1c42c90419ce2ade414a6ebf11b5a67a0664",
            paths=("LICENSE", "README.md", "example_code", "helper_functions"),
            digests={
                "example_code/**/*.json": "a02456e94157658d1a22d578b128ef1288a49f121cb8920d21811529d8f36d3c",
                "example_code/**/*.py": "8d993668a95f4d6e3cf56b3e03e685052f6138a02a226e34233bd3d61457938f",
                "example_code/**/*.java": "885eb9518679913fd26fe99713f4b872ac962d38e6cd47386cc96e7194ea985c",
                "example_code/**/*.jar": "4e7b10a60e3f3c385a1b58b9b360555e364684f587c903f9199c0ccd845f5139",
                "example_code/**/*.jp*g": "7059f9f9e885979cdf3ef2f53979c6717c77d776cda7476188e0637a3d7ef404",
                "helper_functions/*.py": "ef94e58a62214337a6b41bf860fce569ff35394ab4d81834d5da420cf6d462cc",
                "example_code/**/*.png": "4b048d085c74b236f85ce3d3d98a2f9d60f40e32800942d317773c85b0e74633",
            },
            answers_at="",
            answers={},
            has_scorings=True,
        ),
    }
)
"""Name → card."""
