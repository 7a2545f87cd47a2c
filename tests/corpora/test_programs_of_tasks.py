"""Which tasks are gaps of one program."""

from dataclasses import replace

from corpora.corpus import corpus_of
from replay.numbers.clusters import cluster_of
from tests.support.simcopilot_data import write_stairs


def gaps(root, **more):
    write_stairs(root, infilling=((4, 4), (6, 6)), completion=((5, 6),), **more)
    return corpus_of("simcopilot", root).tasks(("python",), ("infilling", "completion"), packages=False)


def test_gaps_of_one_program_are_one_cluster_by_program_and_three_by_hole(tmp_path):
    moments = [task.moment(sample) for task in gaps(tmp_path) for sample in range(2)]
    assert len({moment.path for moment in moments}) == 3
    assert len({cluster_of(moment, "program") for moment in moments}) == 1
    assert len({cluster_of(moment, "hole") for moment in moments}) == 3


def test_another_text_or_another_name_is_another_program(tmp_path):
    task = gaps(tmp_path)[0]
    others = [replace(task, truth=task.truth + " "), replace(task, path="other.py"), replace(task, below="\n# end")]
    assert len({one.program for one in (task, *others)}) == 4


def test_where_the_gap_lies_and_what_the_model_sees_do_not_matter(tmp_path):
    task = gaps(tmp_path)[0]
    hidden = replace(task, after="", below=task.after)
    moved = replace(task, before=task.before + task.truth[:4], truth=task.truth[4:], category="other")
    assert task.program == hidden.program == moved.program
