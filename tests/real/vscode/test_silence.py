"""Without a yes to recording nothing is written; and the extension needs no network to be installed, nor a model server to complete."""

import subprocess

from tests.support.vscode import installing
from tests.support.vscode.shop import START, completed


def files(*folders):
    """Each file in folders with its size and the time of its last change (ns), but the one by which code-server says each minute that it lives."""
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file() and path.name != "heartbeat")
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


def test_without_recording_not_one_byte_is_written(open_file, model):
    model.answer = completed
    window = open_file(START)
    (server,) = window.server.servers(window.workspace)
    ours = (window.workspace, window.server.home, window.server.temporary, window.server.storage)
    before = files(*ours)
    window.type("r")
    window.until_ghost("eturn sum(prices)")
    window.press("Tab")
    window.type("\nb")
    window.until_ghost("eta = three")
    window.press("Escape")
    window.type("ox 12\n")
    window.type("pass")
    assert files(*ours) == before
    assert window.tapes == []
    written = [file.path for file in server.open_files() if file.mode != "r"]
    assert [
        path for path in written if "/user/logs/" not in path
    ] == []  # these are the editor's, which a child has too
    assert "pass" in window.save()
    changed = {path for path, what in files(*ours).items() if before.get(path) != what}
    assert changed == {window.workspace / window.file}


def test_the_package_is_installed_without_a_network(need, editor_installed, vsix, tmp_path):
    need("bwrap")
    node = str(installing.node_folder() / "bin/node")
    program = [node, str(installing.code_server(editor_installed, gate=False)), "--config", str(tmp_path / "none.yaml")]
    (tmp_path / "none.yaml").write_text("auth: none\n")
    folders = [f"--user-data-dir={tmp_path / 'user'}", f"--extensions-dir={tmp_path / 'extensions'}"]
    alone = ["bwrap", "--dev-bind", "/", "/", "--unshare-net"]
    subprocess.run([*alone, *program, *folders, "--install-extension", str(vsix)], check=True, timeout=120)
    (folder,) = (tmp_path / "extensions").glob("ghosttape.ghosttape-*")
    assert (folder / "out/extension.js").is_file()


def test_the_embedded_model_completes_without_any_server(open_file, embedded):
    window = open_file("def add(first, second):\n    return first +", settings={"ghosttape.provider": {"name": "gguf"}})
    window.type(" ")
    window.until(lambda: window.ghost, "ghost text of the embedded model")
    offered = window.ghost
    window.press("Tab")
    assert window.save().startswith(f"def add(first, second):\n    return first + {offered}")
