"""Another language server as the system under test: `--provider lsp --server COMMAND`, all the way through."""

import pytest

FAST = ["--latency", "fixed:80", "--no-tests"]


def test_a_server_that_is_not_there_is_a_lack_of_the_environment(here):
    words = ["replay", "demo", *FAST, "--provider", "lsp"]
    told = here(*words, "--server", "no-such-language-server --stdio", status=3).err
    assert "'no-such-language-server' is not on PATH" in told
    assert '--server "copilot-language-server --stdio"' in here(*words, status=3).err
    assert "No closing quotation" in here(*words, "--server", "it's", status=2).err


@pytest.mark.parametrize("line", ['command = "touch owned"', "options = {}", 'folder = "/"'])
def test_a_folder_cannot_name_a_program_to_run(here, tmp_path, line):
    (tmp_path / "ghosttape.toml").write_text(f'[server.provider]\nname = "lsp"\n{line}\n', encoding="utf-8")
    for words in (["replay", "demo", "--no-tests"], ["serve"]):
        assert f"ghosttape.toml: provider.{line.split()[0]} " in here(*words, status=2).err
    assert not (tmp_path / "owned").exists()
