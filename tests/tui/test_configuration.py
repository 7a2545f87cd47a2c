"""What a command runs with: whose word counts, and what a folder's file may not say."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from server.errors import SettingsError
from server.settings import ProviderSettings, Settings
from tui.cli.app import app
from tui.commands.options.configuration import settings_of
from tui.errors import ConfigurationError


@pytest.fixture
def made(tmp_path):
    """Settings with a folder's `[server.provider]`, flags, and `--settings`."""

    def make(lines, settings="{}", **flags):
        (tmp_path / "ghosttape.toml").write_text(f"[server.provider]\n{lines}\n", encoding="utf-8")
        return settings_of(settings, flags, tmp_path).provider

    return make


def test_without_a_file_or_a_flag_all_is_as_the_defaults_say(tmp_path):
    assert settings_of("{}", {}, tmp_path) == Settings()


def test_flags_go_before_settings_and_settings_before_the_folders_file(made):
    provider = made('name = "ngram"\nseed = 1\ntext = "a"', '{"provider": {"seed": 2, "text": "b"}}', text="c")
    assert (provider.name, provider.seed, provider.text) == ("ngram", 2, "c")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8080/v1",
        "http://localhost",
        "https://LOCALHOST:1/a",
        "http://[::1]:8080/v1",
        "http://127.1.2.3",
    ],
)
def test_a_folder_may_name_a_server_on_this_machine_that_gets_no_key(made, url):
    provider = made(f'name = "openai"\nbase_url = "{url}"')
    assert (provider.base_url, provider.use_key) == (url, False)
    assert made(f'base_url = "{url}"\nuse_key = true').use_key is False


@pytest.mark.parametrize(
    "url",
    [
        "http://evil.example/v1",
        "https://127.0.0.1.evil.example",
        "http://localhost.evil.example",
        "http://0x7f000001.evil",
        "http://evil.example\\\\127.0.0.1",
        "http://127.0.0.1\\\\.evil.example",
        "http://10.0.0.1",
        "//evil.example",
        "http://loc\\u0430lhost",
    ],
)
def test_a_folder_cannot_have_the_code_sent_elsewhere_and_is_told_how_it_can_be_allowed(made, url):
    with pytest.raises(
        ConfigurationError, match=r"ghosttape\.toml: provider\.base_url .*--base-url or GHOSTTAPE_BASE_URL"
    ):
        made(f'name = "openai"\nbase_url = "{url}"')


@pytest.mark.parametrize("url", ["http://127.0.0.1@evil.example", "http://evil.example#@127.0.0.1"])
def test_a_url_that_can_be_read_in_two_ways_is_refused_whoever_names_it(made, url):
    with pytest.raises(SettingsError, match="base_url"):
        made(f'base_url = "{url}"')


def test_what_the_person_names_is_used_with_the_key_whatever_the_folder_says(made):
    line = 'name = "openai"\nbase_url = "http://evil.example"'
    for provider in (
        made(line, base_url="http://mine.example"),
        made(line, '{"provider": {"base_url": "http://mine.example"}}'),
    ):
        assert (provider.base_url, provider.use_key) == ("http://mine.example", True)


@pytest.mark.parametrize("line", ['name = "gguf"\nmodel = "evil.gguf"', 'model = "evil.gguf"'])
def test_a_folder_cannot_name_a_file_that_is_loaded_in_our_process(made, line):
    with pytest.raises(ConfigurationError, match=r"ghosttape\.toml: provider\.model .*--model or GHOSTTAPE_MODEL"):
        made(line)
    assert made(line, model="/mine.gguf").model == "/mine.gguf"
    assert made(line, '{"provider": {"model": ""}}').model == ""


def test_a_folders_model_of_a_server_is_no_file_for_who_chooses_the_embedded_model(made):
    line = 'name = "ollama"\nmodel = "evil.gguf"'
    assert made(line).model == "evil.gguf"
    assert made(line, name="gguf").model == ""
    assert made(line, '{"provider": {"model": "/mine.gguf"}}', name="gguf").model == "/mine.gguf"


@pytest.mark.parametrize("line", ['record = {path = "x"}', 'command = "sh"', "options = {a = 1}", 'folder = "x"'])
def test_a_folder_can_name_nothing_that_runs_or_is_written(made, line):
    with pytest.raises(ConfigurationError, match=rf"ghosttape\.toml: provider\.{line.split()[0]} "):
        made(line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("max_tokens = -5", r"max_tokens is -5, and must be at least 1"),
        ("timeout_s = 0", r"timeout_s is 0.*, and must be above 0"),
        ("first_s = 0", r"first_s is 0.*, and must be above 0, or null"),
        ("temperature = -1", r"temperature is -1.*, and must be 0 or more"),
        ("nme = 1", r"unknown field `nme` - at `\$\.provider`"),
        ('record = {mode = "x"}', r"`\$\.provider\.record\.mode`: choose one of write, replay, require$"),
        (
            '[server]\nrepairs = ["hope"]',
            r"'hope' - at `\$\.repairs\[0\]`: choose one of prose, repeats, indent, brackets, stop$",
        ),
    ],
)
def test_a_mistake_in_the_folders_file_is_told_with_its_place_and_the_choices(tmp_path, line, said):
    lines = line if line.startswith("[") else f"[server.provider]\n{line}"
    (tmp_path / "ghosttape.toml").write_text(lines, encoding="utf-8")
    with pytest.raises(SettingsError, match=rf"^ghosttape\.toml, \[server\]: .*{said}"):
        settings_of("{}", {}, tmp_path)


def test_a_folder_in_place_of_the_file_is_not_passed_over(tmp_path):
    (tmp_path / "ghosttape.toml").mkdir()
    with pytest.raises(ConfigurationError, match=r"ghosttape\.toml: it is a folder"):
        settings_of("{}", {}, tmp_path)


@pytest.mark.parametrize("command", [["replay", "demo"], ["evaluate", "devbench", "--data", "."]])
def test_an_unknown_kind_of_cluster_is_refused_with_those_that_there_are(command):
    done = CliRunner().invoke(app, [*command, "--cluster-by", "file"])
    assert done.exit_code == 2
    assert "--cluster-by" in done.stderr
    assert "choose one of hole, function, tape, program" in done.stderr


def test_an_unknown_label_is_refused_before_anything_runs():
    done = CliRunner().invoke(app, ["evaluate", "devbench", "--data", ".", "--by", "construct"])
    assert done.exit_code == 2
    assert "--by knows no label 'construct' (did you mean 'constructs'?)" in " ".join(done.stderr.split())
    assert "choose of constructs, comment, reference" in " ".join(done.stderr.split())


@pytest.mark.parametrize("command", [["try", "."], ["replay", "demo"], ["corpora", "mine", ".", "-o", "x.jsonl"]])
def test_a_toolchain_that_is_not_known_is_refused_with_those_that_are(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, [*command, "--toolchain", "pyton"])
    assert done.exit_code == 2
    for word in ("--toolchain: there is no toolchain 'pyton' (did you mean 'python'?)", "node, typescript", "none"):
        assert word in done.stderr


@pytest.mark.parametrize(
    ("words", "function", "both"),
    [
        (["ask", "efcb", "--data", "."], "questions.examining.examine", lambda given: (given.provider, given.judge)),
        (["instructions", "run", "."], "aligning.align", lambda given: (given.provider, given.judge)),
        (["instructions", "codebook", "p.jsonl"], "codebook.make_codebook", lambda _, *coders: coders[:2]),
    ],
    ids=["ask", "run", "codebook"],
)
def test_a_judge_or_second_coder_inherits_nothing_of_the_other_model(words, function, both, tmp_path, monkeypatch):
    """Its key would go to the server of the other one."""
    found = []

    def stop(*given, **_):
        found.extend(both(*given))
        raise ConfigurationError("enough")

    monkeypatch.setattr(f"tui.commands.{function}", stop)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ghosttape.toml").write_text("[server.provider]\nseed = 3\n", encoding="utf-8")
    who = "second" if "codebook" in words else "judge"
    settings = '{"provider": {"base_url": "https://subject.example/v1", "temperature": 0.9, "max_tokens": 9}}'
    words = [*words, "--provider", "openai", "--model", "m", "--settings", settings, "--max-tokens", "7"]
    words += [f"--{who}-provider", "anthropic", f"--{who}-model", "j"]
    CliRunner().invoke(app, [*words, f"--{who}-settings", '{"provider": {"tries": 2}}'])
    subject, other = found
    assert (subject.base_url, subject.temperature, subject.seed) == ("https://subject.example/v1", 0.9, 3)
    assert other == ProviderSettings(name="anthropic", model="j", max_tokens=7, tries=2)
