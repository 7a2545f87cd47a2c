"""At which stage a gap ends by the verdict on the repository without it."""

import pytest

from corpora.mined.corpus_file import MinedLine
from corpora.mining.funnel import STAGES, noticed
from replay.records import Verdict


def line(name, language):
    return MinedLine(
        name=name,
        category="infilling",
        kind="if-condition",
        language=language,
        path="a",
        start=0,
        end=1,
        lines=(1, 1),
    )


@pytest.mark.parametrize(
    ("language", "verdict", "stage"),
    [
        ("cpp", "compile", "unbuilt"),
        ("cpp", "undefined-name", "unbuilt"),
        ("rust", "undefined-name", "unbuilt"),
        ("go", "compile", "unbuilt"),
        ("typescriptreact", "syntax", "unbuilt"),
        ("java", "exception", "kept"),
        ("python", "undefined-name", "kept"),
        ("javascript", "undefined-name", "kept"),
        ("python", "indentation", "unbuilt"),
        ("ruby", "syntax", "unbuilt"),
        ("python", "timeout", "kept"),
        ("python", "passed", "unnoticed"),
        ("python", "infrastructure", "untested"),
    ],
)
def test_what_does_not_compile_is_not_noticed_by_tests(language, verdict, stage):
    kept, ends = noticed([line("x", language)], {"x": Verdict(name=verdict)})
    assert (len(kept), dict(ends)) == ((1, {}) if stage == "kept" else (0, {stage: 1}))
    assert stage in STAGES


def test_a_gap_without_a_verdict_was_not_tested():
    assert noticed([line("x", "go")], {}) == ([], {"untested": 1})
