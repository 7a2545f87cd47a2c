import subprocess

import msgspec
import pytest

from replay.errors import ProjectError
from replay.judge.tape_project import ProjectMissingError, other_files, sorted_content, starting_files
from replay.tapes.tape import Embedded, Folder, Git
from runners.other_files import OtherFiles
from tests.support.tapes import Typist


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


@pytest.fixture
def clone(tmp_path):
    """A repository with two commits, a binary file and a link; gives its folder and its first commit."""
    folder = tmp_path / "clone"
    folder.mkdir()

    def git(*words):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "-q")
    (folder / "inner").mkdir()
    (folder / "a.py").write_bytes("x = 'ü😀'\r\n".encode())
    (folder / "inner" / "b c.py").write_text("")
    (folder / "picture.png").write_bytes(b"\x89PNG\xff\x00")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "inner/run").symlink_to("../a.py")
    (folder / "a.py").chmod(0o755)
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    first = git("rev-parse", "HEAD")
    (folder / "a.py").write_text("later\n")
    git("commit", "-q", "-a", "-m", "two")
    return folder, first


def test_a_commit_is_laid_out_from_a_clone_as_it_was(clone, tmp_path):
    folder, first = clone
    tape = tape_in(tmp_path, Git("https://example.org/r.git", first))
    assert starting_files(tape, [tmp_path, folder]) == {"a.py": "x = 'ü😀'\r\n", "inner/b c.py": ""}


def test_what_a_commit_has_beside_texts_is_read_too(clone, tmp_path):
    folder, first = clone
    tape = tape_in(tmp_path, Git("https://example.org/r.git", first))
    assert other_files(tape, [folder]) == OtherFiles(
        {"picture.png": b"\x89PNG\xff\x00"}, {"link": "/etc/passwd", "inner/run": "../a.py"}, frozenset({"a.py"})
    )


def test_of_what_is_no_text_small_files_come_first_and_large_ones_are_named(monkeypatch):
    monkeypatch.setattr("replay.judge.tape_project.BLOB_LIMIT", 4)
    monkeypatch.setattr("replay.judge.tape_project.BLOBS_LIMIT", 7)
    contents = {"a": b"\xff" * 4, "b": b"\xff" * 3, "c": b"\xff", "d": b"\xff" * 5, "text": b"x" * 100}
    found = sorted_content(contents, {}, frozenset())
    assert (set(found.others.blobs), found.too_large, set(found.texts)) == ({"b", "c"}, ("a", "d"), {"text"})


def test_a_commit_that_no_clone_has_is_named_with_what_to_do(clone, tmp_path):
    folder, _ = clone
    tape = tape_in(tmp_path, Git("https://example.org/r.git", "c0ffee" * 6))
    with pytest.raises(ProjectMissingError, match=r"example.org/r.git at c0ffeec0ff: name a clone .* --project DIR"):
        starting_files(tape, [folder, tmp_path / "nowhere"])


def without(folder, revision):
    """Take an object out of a repository, as a partial clone (`--filter=blob:none`) lacks it; gives its name."""
    named = subprocess.run(["git", "-C", folder, "rev-parse", revision], check=True, capture_output=True, text=True)
    name = named.stdout.strip()
    (folder / ".git" / "objects" / name[:2] / name[2:]).unlink()
    return name


@pytest.mark.parametrize("path", ["a.py", "inner/b c.py", "picture.png", "inner"])
def test_a_clone_that_lacks_an_object_is_refused_with_what_to_do(clone, tmp_path, path):
    folder, first = clone
    name = without(folder, f"{first}:{path}")
    tape = tape_in(tmp_path, Git("https://example.org/r.git", first))
    with pytest.raises(ProjectError, match=rf"clone is partial or damaged .*{name[:10]}.*git fetch --refetch"):
        starting_files(tape, [folder])
