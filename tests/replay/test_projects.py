import msgspec
import pytest
from tapes import Typist

from replay.errors import ProjectError
from replay.projects import starting_files
from replay.tape import Embedded, Folder, Git


def tape_in(folder, workspace):
    """A tape that lies in a folder."""
    tape = Typist().tape()
    header = msgspec.structs.replace(tape.header, workspace=workspace)
    return msgspec.structs.replace(tape, header=header, source=str(folder / "small.tape.jsonl"))


@pytest.fixture
def beside(tmp_path):
    """The folder of a tape with its project in it."""
    project = tmp_path / "tapes" / "project"
    (project / "inner").mkdir(parents=True)
    (project / "a.py").write_bytes(b"x = 1\r\n")
    (project / "inner" / "b.py").write_text("y = 'ü😀'\n")
    return project.parent


def test_an_embedded_project_is_what_the_header_says(tmp_path):
    assert starting_files(tape_in(tmp_path, Embedded({"a.py": "x = 1\r\n"}))) == {"a.py": "x = 1\r\n"}


def test_a_folder_gives_all_its_texts_by_path_with_their_line_ends(beside):
    files = starting_files(tape_in(beside, Folder("project")))
    assert files == {"a.py": "x = 1\r\n", "inner/b.py": "y = 'ü😀'\n"}


def test_what_tools_put_into_a_project_is_left_out(beside):
    for name in (".git", "node_modules", "inner/__pycache__"):
        (beside / "project" / name).mkdir()
        (beside / "project" / name / "c.py").write_text("")
    assert set(starting_files(tape_in(beside, Folder("project")))) == {"a.py", "inner/b.py"}


@pytest.mark.parametrize("name", [".venv", "node_modules"])
def test_a_project_is_whole_wherever_it_is_installed(beside, tmp_path, name):
    (tmp_path / name).mkdir()
    there = beside.rename(tmp_path / name / "tapes")
    assert set(starting_files(tape_in(there, Folder("project")))) == {"a.py", "inner/b.py"}


@pytest.mark.parametrize("path", ["..", "../other", "project/../../other", "/etc"])
def test_a_folder_that_leads_out_of_the_tapes_own_folder_is_refused(beside, tmp_path, path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "secret.txt").write_text("secret")
    with pytest.raises(ProjectError, match="leads out of the tape's own folder"):
        starting_files(tape_in(beside, Folder(path)))


def test_a_folder_that_is_a_link_to_elsewhere_is_refused(beside, tmp_path):
    (tmp_path / "other").mkdir()
    (beside / "linked").symlink_to(tmp_path / "other")
    with pytest.raises(ProjectError, match="leads out"):
        starting_files(tape_in(beside, Folder("linked")))


def test_a_file_that_is_a_link_to_elsewhere_is_refused_by_name(beside, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    (beside / "project" / "notes.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(ProjectError, match=r"notes\.txt: is a link that leads out"):
        starting_files(tape_in(beside, Folder("project")))


def test_a_link_within_the_project_is_the_text_it_leads_to(beside):
    (beside / "project" / "same.py").symlink_to("a.py")
    assert starting_files(tape_in(beside, Folder("project")))["same.py"] == "x = 1\r\n"


def test_a_missing_folder_is_named(beside):
    with pytest.raises(ProjectError, match=r"its project is missing: there is no folder .*/tapes/gone"):
        starting_files(tape_in(beside, Folder("gone")))


def test_a_file_that_is_not_utf8_is_named(beside):
    (beside / "project" / "logo.png").write_bytes(b"\x89PNG\xff")
    with pytest.raises(ProjectError, match=r"logo\.png: is not UTF-8 text"):
        starting_files(tape_in(beside, Folder("project")))


def test_a_repository_is_refused_with_its_address(tmp_path):
    with pytest.raises(ProjectError, match=r"the repository https://example\.org/r\.git; only folders and embedded"):
        starting_files(tape_in(tmp_path, Git("https://example.org/r.git", "c0ffee")))
