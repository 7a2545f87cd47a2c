"""What an experiment proposes at its end: a comparison that is possible."""

from itertools import product

from corpora.experiments.matrix import AXES
from tui.commands.experiments.experiment_command import _look_closer


def cells(**values):
    """A finished cell for each combination, with its values for a name."""
    choices = [dict(zip(values, each, strict=True)) for each in product(*values.values())]
    return [
        {"choice": {**dict.fromkeys(AXES), "over": "tapes", **each}, "run": "-".join(each.values()), "summary": {}}
        for each in choices
    ]


def words(found, command):
    text = _look_closer(found)
    return text[text.index(f"  ghosttape {command} ") :].replace("\\\n", "").split()[2:]


def test_models_are_sides_and_their_cells_are_paired_by_all_else():
    found = cells(provider=("small", "large"), policy=("blocks", "vscode"), repairs=("all", "none"))
    small, large = (",".join(each["run"] for each in found if each["choice"]["provider"] == one) for one in ("small", "large"))  # fmt: skip
    assert words([*found[:4], *found[:3:-1]], "compare") == [small, large]


def test_a_cell_without_an_equal_on_the_other_side_is_left_out():
    found = cells(provider=("small", "large"), policy=("blocks", "vscode"))
    assert words(found[:-1], "compare") == ["small-blocks", "large-blocks"]
    del found[2]["summary"]  # large-blocks has not ended
    assert words(found, "compare") == ["small-vscode", "large-vscode"]


def test_policies_share_no_moments_and_stand_side_by_side_instead():
    assert words(cells(policy=("blocks", "vscode")), "report") == ["blocks", "vscode"]
    assert "compare" not in _look_closer(cells(policy=("blocks", "vscode")))


def test_one_cell_is_compared_with_nothing():
    assert _look_closer(cells(provider=("small",))).splitlines() == [
        "Each cell is a run, as in:",
        "  ghosttape tui small",
    ]
