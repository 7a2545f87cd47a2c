"""What a repository is called, which files it has, how it is tested, and what it says of its licence."""

import pytest

from corpora.errors import DataError
from corpora.mined.corpus_file import MinedHead, write_corpus
from corpora.mining.source_repository import how_tested, licence_of, open_repository
from replay.errors import ProjectError
from replay.options import FolderTests, ReplayOptions
from replay.tapes.tape import Tests as ProjectTests
from runners.other_files import OtherFiles

TESTS = ProjectTests(toolchain="python", command="pytest")


def write(folder, files):
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def test_a_git_repository_gives_its_newest_commit_and_not_what_lies_beside_it(make_repo, tmp_path):
    repo = make_repo(tmp_path / "shapes")
    repo.commit("first", {"a.py": "x = 1\n", "data.bin": b"\xff\xfe"})
    (repo.path / "later.py").write_text("y = 2\n")
    name, found = open_repository(repo.path)
    assert (name, found.commit, dict(found.files), found.others) == (
        "shapes",
        repo.shas["first"],
        {"a.py": "x = 1\n"},
        OtherFiles({"data.bin": b"\xff\xfe"}),
    )
    assert set(found.digests(["a.py"])) == {"a.py"}


def test_a_folder_gives_what_lies_in_it_but_packages_environments_and_links_out(tmp_path):
    folder = write(
        tmp_path / "app",
        {
            "a.py": "x = 1\n",
            "node_modules/b.js": "y",
            ".venv/c.py": "z",
            "env/pyvenv.cfg": "",
            "env/d.py": "d",
            "e.bin": b"\xff",
        },
    )
    (folder / "a.py").chmod(0o755)
    (folder / "out.py").symlink_to(write(tmp_path, {"outside.py": "o"}) / "outside.py")
    name, found = open_repository(folder)
    assert (name, found.commit, dict(found.files)) == ("app", "", {"a.py": "x = 1\n"})
    assert found.others == OtherFiles({"e.bin": b"\xff"}, {}, frozenset({"a.py"}))
    assert found.digests([])["e.bin"] == "a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89"  # sha256sum


def test_what_ghosttape_writes_into_a_folder_is_no_part_of_it(tmp_path):
    folder = write(
        tmp_path / "app",
        {
            "a.py": "x = 1\n",
            "notes.jsonl": "{}\n",
            ".ghosttape/mining/b.jsonl": "{}\n",
            "run/run.sqlite": b"\xff",
            "run/config.toml": "corpus = 1\n",
            "cache/layers/c.py": "y = 2\n",
            "old.txt": "replaced\n",
        },
    )
    head = MinedHead(corpus=1, name="app", repository=str(folder), tests=TESTS, files={})
    write_corpus(folder / "earlier.jsonl", head, [])
    _, found = open_repository(folder, [folder / "old.txt", folder / "cache"])
    assert set(found.files) == {"a.py", "notes.jsonl"}


def test_a_folder_is_named_without_steps_up(tmp_path):
    write(tmp_path / "app", {"a.py": "x = 1\n"})
    (tmp_path / "other").mkdir()
    assert open_repository(tmp_path / "other" / ".." / "app")[1].folder == tmp_path.resolve() / "app"


def test_a_folder_inside_a_repository_is_a_folder(make_repo, tmp_path):
    repo = make_repo(tmp_path / "shapes")
    repo.commit("first", {"part/a.py": "x = 1\n"})
    assert open_repository(repo.path / "part")[1].commit == ""


def test_no_folder_an_empty_one_and_a_repository_without_commits_are_refused(make_repo, tmp_path):
    with pytest.raises(DataError, match="there is no such folder"):
        open_repository(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no text file"):
        open_repository(tmp_path / "empty")
    with pytest.raises(Exception, match="HEAD names no commit"):
        open_repository(make_repo(tmp_path / "new").path)


def test_tests_are_those_of_the_file_then_found_ones_and_flags_count_over_both(tmp_path):
    _, found = open_repository(write(tmp_path / "app", {"a.py": "x = 1\n", "tests/test_a.py": "def test_a(): pass\n"}))
    own, origins = how_tested(found, ReplayOptions())
    assert (own.toolchain, "pytest" in own.command) == ("python", True)
    assert {*origins.values()} == {"its files"}
    named, origins = how_tested(found, ReplayOptions(project_tests=FolderTests(command="python -m unittest")))
    assert (named.toolchain, named.command, named.requires) == ("python", "python -m unittest", own.requires)
    assert (origins["toolchain"], origins["command"]) == ("its files", "ghosttape.toml")
    over, origins = how_tested(
        found, ReplayOptions(tests_over={"command": "make test", "setup": "make"}, also_requires=("freezegun",))
    )
    assert (over.toolchain, over.command, over.setup) == ("python", "make test", "make")
    assert over.requires == (*own.requires, "freezegun")
    assert origins["requires"] == "its files and flag"


def test_a_repository_without_tests_is_refused_with_what_to_do(tmp_path):
    _, found = open_repository(write(tmp_path / "app", {"a.py": "x = 1\n"}))
    with pytest.raises(ProjectError, match=r"no tests are found in it.*--test-command"):
        how_tested(found, ReplayOptions())
    assert how_tested(found, ReplayOptions(tests_over={"command": "make test"}))[0].toolchain == "none"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"LICENSE": "\n  MIT License\n\nCopyright"}, "MIT License (LICENSE)"),
        ({"pyproject.toml": '[project]\nlicense = "MIT"\n', "LICENSE.txt": "Some text"}, "MIT (LICENSE.txt)"),
        ({"pyproject.toml": '[project]\nlicense = {text = "BSD"}\n'}, "BSD"),
        ({"package.json": '{"license": "ISC"}'}, "ISC"),
        ({"package.json": '{"license": 3}', "pyproject.toml": "[["}, ""),
        ({"src/LICENSE": "MIT"}, ""),
    ],
)
def test_the_licence_is_that_of_the_manifest_or_the_first_line_of_its_file(files, said):
    assert licence_of(files) == said
