"""What a recording says of its project, and which files of it count: ignore files, repositories, several folders."""

import json
import os
import subprocess

import pytest

from replay.recording import git
from replay.recording.secrets.exclusion import Exclusion
from replay.recording.session import cleaned, project_of
from replay.tapes.tape import Embedded, Git

TOKEN = "ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"


def write(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    return root


def run(folder, *words):
    alone = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e@x", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env=alone,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path, need):
    """Makes a repository with these files, one commit and a remote."""
    need("git")

    def make(files, url="https://bob:s3cr3t@example.org/a.git"):
        root = write(tmp_path / "work", files)
        run(root, "init", "-q")
        run(root, "add", "-f", ".")
        run(root, "commit", "-qm", "one")
        run(root, "remote", "add", "origin", url)
        return root

    return make


def said(root, *names, folders=()):
    """Which of the names are recorded."""
    allowed = Exclusion(root, folders or [root])
    return [name for name in names if allowed((root / name).as_uri())]


@pytest.mark.parametrize("kind", [".gitignore", ".ghosttapeignore"])
class TestIgnoreFiles:
    @pytest.mark.parametrize(
        "text",
        [
            "\ufeffa.py\n",
            "\ufeffa.py\r\nx\r\n",
            "!\na.py\n",
            "\\\na.py",
            "a\\\na.py\n",
            "x\x0cy\na.py",
            "[[:alpha:]].py\n",
        ],
    )
    def test_each_line_counts_that_git_would_follow(self, tmp_path, kind, text):
        write(tmp_path, {kind: text})
        assert said(tmp_path, "a.py", "b1.py") == ["b1.py"]

    @pytest.mark.parametrize("odd", ["\x0c", "\u2028", "\x85", "\x1c"])
    def test_a_line_ends_at_a_line_feed_alone(self, tmp_path, kind, odd):
        write(tmp_path, {kind: f"x{odd}a.py\n"})
        assert said(tmp_path, "a.py") == ["a.py"]


@pytest.mark.parametrize(
    "uri", ["foo://[bar/x", "file://[bar/x", "file:///w/%00", "file:///w/no", "file:///w/\ud800.py", "", ":"]
)
def test_what_cannot_be_judged_is_not_recorded(tmp_path, uri):
    assert Exclusion(tmp_path, [tmp_path])(uri) is None
    assert project_of([uri]) is None
    assert Exclusion(tmp_path, [tmp_path])(f"{tmp_path.as_uri()}/{'x' * 5000}/a.py") is None


def test_links_in_a_circle_are_not_recorded(tmp_path):
    (tmp_path / "a.py").symlink_to(tmp_path / "b.py")
    (tmp_path / "b.py").symlink_to(tmp_path / "a.py")
    assert said(tmp_path, "a.py", "a.py/c.py", "c.py") == ["c.py"]
    assert project_of([(tmp_path / "a.py").as_uri()]) is None


@pytest.mark.parametrize(
    "name",
    [
        *["service_account.json", "serviceAccountKey.json", "token.json", "oauth_token.json", ".vault-token"],
        *["key.pem.old", ".npmrc.bak", "id_rsa~", "terraform.tfvars.json", "kubeconfig.yaml", "my-kubeconfig.yml"],
        *[".bash_history", "env.production", "env.local", "server.key.bak.1", ".netrc.orig"],
    ],
)
def test_files_that_hold_keys_by_any_name_are_left_out(tmp_path, name):
    assert said(tmp_path, name, f"sub/{name}") == []


def test_code_about_them_is_recorded(tmp_path):
    names = ["environment.ts", "env.py", "token.py", "tokens.ts", "service_account.py", "history.md", "kube.py"]
    assert said(tmp_path, *names) == names


class TestGitsOwnRules:
    def test_the_list_that_the_person_has_for_all_repositories(self, repository):
        root = repository({"a.py": ""})
        write(root.parent, {"mine": "*.mine\n"})
        assert said(root, "a.mine", "a.py") == ["a.mine", "a.py"]
        run(root, "config", "core.excludesFile", str(root.parent / "mine"))
        assert said(root, "a.mine", "sub/a.mine", "a.py") == ["a.py"]

    @pytest.mark.parametrize("has_git", [True, False])
    def test_the_repositorys_own_list_also_in_a_linked_work_tree(self, repository, monkeypatch, has_git):
        root = repository({"a.py": ""})
        run(root, "worktree", "add", "-q", "../linked")
        write(root, {".git/info/exclude": "hidden*\n"})
        if not has_git:
            monkeypatch.setattr(git, "ask", lambda *_, **__: "")
        for tree in (root, root.parent / "linked"):
            assert said(tree, "hidden.py", "sub/hidden.py", "a.py") == ["a.py"]

    def test_the_lists_above_a_workspace_with_a_repository_in_it(self, repository):
        root = repository({"sub/a.py": "", ".gitignore": "*.out\n"})
        run(root / "sub", "init", "-q", "inner")
        write(root, {"sub/inner/.git/info/exclude": "*.in\n"})
        names = ["a.out", "inner/a.out", "inner/a.in", "a.in"]
        assert said(root / "sub", *names) == ["a.in"]

    def test_a_name_that_git_could_take_for_a_pattern(self, repository):
        root = repository({".gitignore": "a*.py\n"})
        run(root, "config", "core.excludesFile", str(root.parent / "mine"))
        write(root.parent, {"mine": ":*\n"})
        assert said(root, ":(top)b.py", "[ab].py", "-z.py") == ["[ab].py", "-z.py"]

    @pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"])
    def test_the_environment_cannot_name_another_repository(self, repository, monkeypatch, name):
        root = repository({"pkg/test_a.py": ""})
        monkeypatch.setenv(name, str(root.parent / "elsewhere"))
        (root / ".git/info/exclude").write_text("hidden\n")
        assert project_of([root.as_uri()]).workspace == Git("https://example.org/a.git", run(root, "rev-parse", "HEAD"))
        assert said(root, "hidden", "a.py") == ["a.py"]


class TestTheHeader:
    def test_a_repository_is_told_by_url_and_commit_and_paths_start_at_its_top(self, repository):
        root = repository({"pkg/test_a.py": "def test_a():\n    pass\n"})
        project = project_of([(root / "pkg").as_uri()])
        assert project.workspace == Git("https://example.org/a.git", run(root, "rev-parse", "HEAD"))
        assert project.exclusion()((root / "pkg/test_a.py").as_uri()) == "pkg/test_a.py"
        assert project.tests().toolchain == "python"

    def test_without_a_remote_it_is_embedded_and_names_no_tests(self, repository):
        root = repository({"test_a.py": "def test_a():\n    pass\n"}, url="http://[bad/x")
        project = project_of([root.as_uri()])
        assert (project.workspace, project.tests()) == (Embedded(), None)

    def test_a_test_command_with_a_credential_in_it_is_not_told(self, repository):
        root = repository({"a.test.js": "", "package.json": ""})
        for command, toolchain in (("jest --ci", "node"), (f"jest --globals {TOKEN}", None)):
            (root / "package.json").write_text(json.dumps({"scripts": {"test": command}}))
            tests = project_of([root.as_uri()]).tests()
            assert (tests and tests.toolchain) == toolchain

    @pytest.mark.parametrize(
        ("ignores", "opened"),
        [({".ghosttapeignore": "client/\n"}, "."), ({".gitignore": "client/\n"}, "."), ({}, "open"), ({}, "open/deep")],
    )
    def test_what_is_not_recorded_is_not_told_of(self, repository, ignores, opened):
        manifest = json.dumps({"scripts": {"test": "jest --ci"}})
        root = repository({"client/package.json": manifest, "client/a.test.js": "", "open/deep/a.md": "", **ignores})
        assert project_of([(root / opened).as_uri()]).tests() is None
        assert project_of([(root / "client").as_uri()]).tests() is None if ignores else True

    def test_a_url_that_is_none_is_left_out(self):
        assert cleaned("http://[bad/x") == ""


class TestSeveralFolders:
    def test_paths_begin_with_the_names_of_the_folders(self, tmp_path):
        write(tmp_path, {"home/me/code/app/a.py": "", "srv/app/b.py": "", "srv/app/deep/c.py": ""})
        folders = [tmp_path / "home/me/code/app", tmp_path / "srv/app", tmp_path / "srv/app/deep"]
        project = project_of([folder.as_uri() for folder in folders])
        allowed = project.exclusion()
        assert (project.workspace, project.tests()) == (Embedded(), None)
        assert allowed((folders[0] / "a.py").as_uri()) == "app/a.py"
        assert allowed((folders[1] / "b.py").as_uri()) == "app-2/b.py"
        assert allowed((folders[2] / "c.py").as_uri()) == "app-2/deep/c.py"
        assert allowed((tmp_path / "srv/x.py").as_uri()) is None

    def test_each_has_its_own_lists(self, tmp_path):
        write(tmp_path, {"one/.gitignore": "x.py\n", "two/a.py": ""})
        allowed = project_of([(tmp_path / name).as_uri() for name in ("one", "two")]).exclusion()
        told = [allowed((tmp_path / name).as_uri()) for name in ("one/x.py", "one/y.py", "two/x.py", "two/.env")]
        assert told == [None, "one/y.py", "two/x.py", None]
