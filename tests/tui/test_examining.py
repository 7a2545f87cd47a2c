"""What `ask` shows of an examination, beside the figures."""

from corpora.efcb.efcb_scores import SCALES
from tui.commands.questions.examining import show


def test_below_the_score_stands_what_its_judge_is_worth(capsys):
    task = {"questions": 1, "failed": 0, "unparsable": 0, "unscored": 0, "figures": {}, "calibration": None}
    figure = {"value": 0.482, "low": 0.4, "high": 0.5}
    worth = {"cases": 30, "kappa": figure, "spearman": figure, "bias": figure}
    tasks = {name: task | ({"calibration": worth} if name == "reverse-qa" else {}) for name in SCALES}
    document = {"read": 6, "repositories": 1, "rules": {}, "model": "m", "judge": "j", "tasks": tasks}
    show(document | {"efcb_score": figure, "failures": {}, "out": "kept"})
    told = " ".join(capsys.readouterr().out.partition("EFCB score 0.482")[2].split())
    assert "of a judge, mpr-gen: no calibration" in told
    assert "of a judge, reverse-qa: calibrated on 30 cases" in told
    assert told.count("of a judge, ") == 3
