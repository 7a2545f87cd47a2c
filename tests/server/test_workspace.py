"""Files of the workspace that are not open: which are shown, and that none tells what is still to be written."""

from __future__ import annotations

import asyncio
import os

import pytest

from server.workspace import LARGEST_BYTES, WorkspaceFiles, workspace_of
from tests.support.fakes.dialects import DIALECTS
from tests.support.fakes.model_server import FakeModelServer
from tests.support.waiting import PATIENCE_S

TOTAL = "def total_of(cart, tax):\n    return sum(cart) * tax\n"


@pytest.fixture
def lay(tmp_path):
    """Lay files out in a folder and look at it: the paths that `near` gives for a document."""

    async def laid(files, near="main.py", opened=()):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        workspace = WorkspaceFiles(tmp_path)
        workspace.refresh()
        await workspace.settled()
        uris = [(tmp_path / path).as_uri() for path in opened]
        return [snippet.path for snippet in workspace.near((tmp_path / near).as_uri(), uris)]

    return laid


async def test_source_files_of_the_documents_language_are_near_in_the_order_of_their_paths(lay):
    assert await lay({"z.py": "z", "lib/b.py": "b", "a.py": "a", "a.js": "a", "notes.txt": "n", "empty.py": ""}) == [
        "a.py",
        "lib/b.py",
        "z.py",
    ]
    assert await lay({"b.tsx": "b"}, near="main.ts") == ["a.js", "b.tsx"]


async def test_what_is_open_is_never_read_from_disk(lay, tmp_path):
    files = {"main.py": "the future", "my file.py": "older", "other.py": "o"}
    assert await lay(files, opened=["my file.py"]) == ["other.py"]
    (tmp_path / "folder").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "folder", target_is_directory=True)
    assert await lay({"folder/deep.py": "the future"}, near="alias/deep.py") == ["main.py", "my file.py", "other.py"]


async def test_a_link_is_no_way_in(lay, tmp_path):
    (tmp_path / "link.py").symlink_to("/etc/hostname")
    (tmp_path / "up").symlink_to(tmp_path.parent, target_is_directory=True)
    assert await lay({"a.py": "a"}) == ["a.py"]


async def test_files_that_git_would_ignore_are_left_out(lay):
    files = {
        ".git/info/exclude": "private.py\n",
        ".gitignore": "build/\n*.gen.py\n!kept.gen.py\n",
        ".ghosttapeignore": "mine.py\n",
        "sub/.gitignore": "!two.gen.py\nlocal.py\n",
    }
    python = [
        "build/a.py",
        "x.gen.py",
        "kept.gen.py",
        "private.py",
        "mine.py",
        "sub/mine.py",
        "sub/two.gen.py",
        "sub/local.py",
    ]
    never = ["node_modules/p/a.py", "secrets.py", "secrets/a.py", ".git/hooks/a.py"]
    assert await lay(files | dict.fromkeys([*python, *never, "local.py"], "x")) == [
        "kept.gen.py",
        "local.py",
        "sub/two.gen.py",
    ]


async def test_the_lists_of_the_repository_above_the_folder_count(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.gen.py\n")
    (tmp_path / "app").mkdir()
    for name in ("a.py", "b.gen.py"):
        (tmp_path / "app" / name).write_text("x")
    workspace = WorkspaceFiles(tmp_path / "app")
    workspace.refresh()
    await workspace.settled()
    assert [snippet.path for snippet in workspace.near((tmp_path / "main.py").as_uri(), ())] == ["a.py"]


async def test_large_files_and_more_files_than_fit_are_left_out(lay, monkeypatch):
    monkeypatch.setattr("server.workspace.MOST_FILES", 3)
    files = {f"deep/down/{number}.py": "x" for number in range(5)} | {"a.py": "a", "big.py": "x" * (LARGEST_BYTES + 1)}
    assert await lay(files) == ["a.py", "deep/down/0.py", "deep/down/1.py"]


async def test_a_file_is_read_again_only_when_it_was_written_again(tmp_path):
    file, now = tmp_path / "a.py", 0.0
    file.write_text("one")
    workspace = WorkspaceFiles(tmp_path, clock=lambda: now)

    async def seen():
        workspace.refresh()
        await workspace.settled()
        return [snippet.text for snippet in workspace.near((tmp_path / "b.py").as_uri(), ())]

    assert await seen() == ["one"]
    stamp = file.stat()
    file.write_text("two")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    now = 100.0
    assert await seen() == ["one"], "same time and size: not read"
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 1))
    assert await seen() == ["one"], "looked at just now"
    now = 200.0
    assert await seen() == ["two"]
    file.unlink()
    now = 300.0
    assert await seen() == []


async def test_looking_does_not_keep_the_asker_waiting(tmp_path, monkeypatch):
    begun, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(root, known):
        loop.call_soon_threadsafe(begun.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result(PATIENCE_S)
        return ()

    monkeypatch.setattr("server.workspace._read_all", slow)
    workspace = WorkspaceFiles(tmp_path)
    workspace.refresh()
    await asyncio.wait_for(begun.wait(), PATIENCE_S)
    assert workspace.near((tmp_path / "b.py").as_uri(), ()) == ()
    go_on.set()
    await workspace.settled()


def test_only_a_folder_of_this_disk_is_a_workspace(tmp_path):
    assert workspace_of(["untitled:x", "file:///is/not/there", tmp_path.as_uri()]).root == tmp_path
    assert workspace_of(["file:///is/not/there", "https://example.org/x"]) is None
    assert workspace_of(["file:relative"]) is None


async def _prompt(start, root, options, disk, asks=10_000):
    """What a model is sent for `main.py`, whose finished text lies on disk: once it has seen the disk, or after so many questions."""
    for path, text in disk.items():
        (root / path).write_text(text)
    async with FakeModelServer(DIALECTS["openai"]) as model:
        provider = {"name": "openai", "base_url": f"{model.url}/v1", "api": "completions", "heal": False}
        editor = await start({"provider": provider, "cache": {"entries": 0}}, options=options, root=root.as_uri())
        uri = (root / "main.py").as_uri()
        editor.open("cart, tax = load()\nprint(", uri)
        for _ in range(asks):
            await editor.request(1, 6, uri=uri)
            if "total_of" in model.asked[-1].body["prompt"]:
                break
            await asyncio.sleep(0.05)
        return model.asked[-1].body["prompt"]


async def test_an_editor_shows_the_model_files_of_its_workspace_but_not_the_documents_own(start, tmp_path):
    disk = {"lib.py": TOTAL, "main.py": "cart, tax = load()\nprint(FUTURE(cart, tax))\n"}
    prompt = await _prompt(start, tmp_path, None, disk)
    assert prompt == "# lib.py\n# def total_of(cart, tax):\n#     return sum(cart) * tax\ncart, tax = load()\nprint("


async def test_it_can_be_told_not_to(start, tmp_path):
    prompt = await _prompt(start, tmp_path, {"context": {"workspace": False}}, {"lib.py": TOTAL}, asks=20)
    assert prompt == "cart, tax = load()\nprint("
