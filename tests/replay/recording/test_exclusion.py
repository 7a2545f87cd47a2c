"""Files that are kept off a recording by their name or their place."""

import subprocess

import pytest

from replay.recording.secrets.exclusion import Exclusion
from replay.recording.session import cleaned
from tests.support.redacted_recording import LINES


@pytest.fixture
def workspace(tmp_path):
    """A folder with ignore files of both kinds, in more than one place."""
    root = tmp_path / "work"
    files = {
        ".gitignore": "*.log\n!keep.log\nbuild/\n/top.txt\n",
        "sub/.gitignore": "!debug.log\nlocal.*\n",
        ".ghosttapeignore": "private/\n*.draft.md\n",
        "build/keep.log": "",
        "../outside.py": "",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


RECORDED = [
    "a.py",
    "keep.log",
    "sub/debug.log",
    "sub/top.txt",
    "src/environment.py",
    "ünï 😀.py",
    "src/credentials_view.py",
]
LEFT_OUT = [
    *["a.log", "top.txt", "build/x.py", "build/keep.log", "sub/build/x.py", "sub/local.py", "sub/deep/a.log"],
    *["private/x.py", "sub/private/x.py", "x.draft.md"],
    *[
        ".env",
        ".env.local",
        "sub/.ENV",
        "prod.env",
        "server.pem",
        "x.KEY",
        "id_rsa",
        "id_ed25519.pub",
        ".npmrc",
        ".netrc",
    ],
    *[
        "credentials",
        "credentials.json",
        "sub/secrets.yaml",
        "store.p12",
        "pw.kdbx",
        "x.tfvars",
        ".git/config",
        "secrets/a.py",
    ],
    "session.tape.jsonl",
]


@pytest.mark.parametrize("name", RECORDED)
def test_files_of_the_workspace_are_recorded_by_their_path(workspace, name):
    assert Exclusion(workspace, [workspace])((workspace / name).as_uri()) == name


@pytest.mark.parametrize("name", LEFT_OUT)
def test_files_on_a_list_are_left_out(workspace, name):
    assert Exclusion(workspace, [workspace])((workspace / name).as_uri()) is None


def test_git_says_the_same_of_its_own_lists(workspace, need):
    need("git")
    subprocess.run(["git", "init", "-q", workspace], check=True)
    allowed = Exclusion(workspace, [workspace])
    ours = [name for name in [*RECORDED, *LEFT_OUT[:7]] if allowed((workspace / name).as_uri()) is None]
    said = subprocess.run(
        ["git", "-c", "core.quotePath=false", "check-ignore", *RECORDED, *LEFT_OUT[:7]],
        cwd=workspace,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.splitlines() == ours == LEFT_OUT[:7]


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "git:/w/a.py", "file://host/a.py", "file:///w/../etc/passwd", "a.py"]
)
def test_what_is_no_file_of_this_machine_is_left_out(tmp_path, uri):
    assert Exclusion(tmp_path, [tmp_path])(uri) is None


def test_files_outside_the_workspace_are_left_out_also_behind_a_link(workspace):
    allowed = Exclusion(workspace, [workspace])
    (workspace / "link.py").symlink_to(workspace.parent / "outside.py")
    (workspace / ".env").write_text("")
    (workspace / "plain.py").symlink_to(workspace / ".env")
    uris = [(workspace / name).as_uri() for name in ("link.py", "plain.py")]
    assert [allowed(uri) for uri in (*uris, (workspace.parent / "outside.py").as_uri())] == [None] * 3


def test_a_file_whose_name_is_a_credential_is_left_out(workspace):
    assert Exclusion(workspace, [workspace])((workspace / f"{LINES['github'][1]}.py").as_uri()) is None


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://bob:s3cr3t@example.org/a/b.git", "https://example.org/a/b.git"),
        ("https://ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ@example.org/a", "https://example.org/a"),
        ("https://example.org:8443/a?token=abcd1234efgh", "https://example.org:8443/a"),
        ("ssh://git:pw@example.org/a", "ssh://git@example.org/a"),
        ("git@example.org:a/b.git", "git@example.org:a/b.git"),
        ("https://example.org/ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ/a", ""),
        ("/home/me/project", ""),
        ("file:///home/me/project", ""),
        ("C:/project", ""),
        ("", ""),
    ],
)
def test_a_repositorys_url_is_told_without_what_is_secret_in_it(url, clean):
    assert cleaned(url) == clean


def test_a_cell_of_a_notebook_is_no_file_and_a_name_with_a_number_sign_is_one(workspace):
    rule = Exclusion(workspace, [workspace])
    assert rule(f"{(workspace / 'a.ipynb').as_uri()}#cell1") is None
    assert rule((workspace / "a#1.py").as_uri()) == "a#1.py"
