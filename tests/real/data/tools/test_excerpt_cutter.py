"""The excerpts of the tests are what the tool cuts from the whole data."""

from tests.support.places import EXCERPTS
from tools.excerpt_cutter import cut

BY_HAND = {"README.md", "recordings/LICENSE", "acceptance/LICENSE"}


def test_the_excerpts_are_cut_from_the_whole_data(shared, tmp_path):
    cut(shared, tmp_path)
    made, kept = (
        {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path, EXCERPTS)
    )
    assert {name: text for name, text in kept.items() if name not in BY_HAND} == made
