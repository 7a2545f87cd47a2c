"""What SimCopilot is, and where its data comes from: the entry point `simcopilot` of `ghosttape.corpora`."""

from __future__ import annotations

from corpora.registry import CorpusCard

CARD = CorpusCard(
    reader="corpora.simcopilot.corpus:SimCopilot",
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
    choices=("scoring",),
    error_classes={
        "compilation": "the compiler refuses the program",
        "indentation": "the program is wrongly indented",
        "syntax": "the program is not valid code",
        "variable hallucination": "it uses a name that is not defined",
        "other": "it runs, and does not pass",
    },
)
