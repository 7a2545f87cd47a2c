"""At which stage a gap ends by the verdict on the repository without it."""

import pytest

from corpora.mined.corpus_file import MinedHead, MinedLine
from corpora.mining.mining_funnel import STAGES, MiningFolder, noticed
from replay.options import ReplayOptions
from replay.records import Verdict
from replay.tapes.tape import Tests as ProjectTests


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


def test_a_set_up_that_may_have_more_is_tried_in_a_folder_of_its_own():
    head = MinedHead(corpus=1, name="a", repository="/a", tests=ProjectTests("none", "true"), files={})
    allowed = [{}, {"network_setup": True}, {"setup_env": ("TOKEN",)}, {"sandbox": "local"}]
    folders = [MiningFolder.of(head, [], ReplayOptions(**more)).folder for more in (*allowed, {})]
    assert len(set(folders)) == len(allowed)
    assert folders[0] == folders[-1]


def test_a_gap_without_a_verdict_was_not_tested():
    assert noticed([line("x", "go")], {}) == ([], {"untested": 1})


def test_a_gap_whose_own_code_did_not_pass_this_time_was_not_tested():
    for reason, stage in (("flaky", "untested"), ("broken-baseline", "untested"), ("undetected", "unnoticed")):
        found = {"x": Verdict(name="untestable", reason=reason)}
        assert noticed([line("x", "go")], found) == ([], {stage: 1})
