"""What a person says of the tests counts over what the files of a project show."""

from corpora.history.environments import Said

FILES = {"requirements-test.txt": "pytest<9\nfreezegun>=1\n", "tests/test_a.py": "import freezegun\n"}


def test_a_version_that_is_said_takes_the_place_of_the_one_that_files_show():
    shown = next(Said().candidates(FILES)).plan.requires
    assert {"freezegun>=1"} < set(shown)
    said = next(Said(also=("Freezegun==1.5", "attrs")).candidates(FILES)).plan.requires
    assert said == (*(item for item in shown if item != "freezegun>=1"), "Freezegun==1.5", "attrs")


def test_no_toolchain_is_what_lies_on_the_machine():
    ways = list(Said({"toolchain": "none", "command": "make test"}).candidates(FILES))
    assert [(each.plan.toolchain, each.plan.command) for each in ways] == [("system", "make test")]
