"""Workspaces of several folders, which come and go while the server runs."""

import asyncio

import pytest
from lsprotocol import types

from tests.support.waiting import PATIENCE_S


@pytest.fixture
async def editor(start, model_server, tmp_path):
    provider = {"name": "openai", "base_url": model_server.base_url, "model": "m", "api": "completions"}
    for folder, name in (("app", "one"), ("lib", "two")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ledger.py").write_text(
            f"def balance_{name}(ledger, amount):\n    return sum(ledger) + amount\n"
        )
    return await start({"provider": provider, "cache": {"entries": 0}}, root=(tmp_path / "app").as_uri())


def change(editor, added=(), removed=()):
    event = types.WorkspaceFoldersChangeEvent(
        *([types.WorkspaceFolder(path.as_uri(), path.name) for path in side] for side in (added, removed))
    )
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


async def shown(editor, model_server, uri):
    """The prompt of a question, once the disk is read."""
    model_server.asked.clear()
    await editor.request(1, 0, uri=uri)
    ((_, body, _),) = model_server.asked
    return body["prompt"]


async def sees(editor, model_server, uri, *texts):
    async with asyncio.timeout(PATIENCE_S):
        while missing(await shown(editor, model_server, uri), texts):
            await asyncio.sleep(0.05)


def missing(prompt, texts):
    return [text for text in texts if text not in prompt]


async def test_files_of_a_folder_that_is_added_are_seen_and_of_one_that_is_removed_not(editor, model_server, tmp_path):
    uri = (tmp_path / "app/main.py").as_uri()
    editor.open("total = balance_(ledger, amount)\n", uri)
    await sees(editor, model_server, uri, "balance_one")
    assert "balance_two" not in await shown(editor, model_server, uri)
    change(editor, added=[tmp_path / "lib"])
    await sees(editor, model_server, uri, "app/ledger.py", "balance_one", "lib/ledger.py", "balance_two")
    change(editor, removed=[tmp_path / "app"])
    await sees(editor, model_server, uri, "balance_two")
    assert "balance_one" not in await shown(editor, model_server, uri)


async def test_the_server_announces_that_folders_may_change(start):
    editor = await start({"provider": {"name": "fixed"}})
    folders = editor.greeted.capabilities.workspace.workspace_folders
    assert (folders.supported, folders.change_notifications) == (True, True)
