"""What the commands `replay` and `evaluate` make of their words before anything runs."""

import shutil

import pytest

from corpora.evaluation_options import LENGTH
from replay.options import ReplayOptions
from replay.run.folders import RUNS, new_folder
from server.settings import REPAIRS, ProviderSettings, Settings
from tui.commands.options.configuration import settings_of
from tui.commands.options.run_options import evaluate_settings
from tui.commands.runs.engine_run import run_sources
from tui.errors import ConfigurationError, LackingError


@pytest.mark.parametrize(
    ("settings", "tokens"),
    [("{}", LENGTH), ('{"provider": {"max_tokens": 64}}', 64), ('{"provider": {"seed": 1}}', LENGTH)],
)
def test_an_evaluation_keeps_an_explicit_number_of_tokens(settings, tokens, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert evaluate_settings(settings, {"name": ""}, None, published="").provider.max_tokens == tokens


@pytest.mark.parametrize(
    ("said", "flag", "repairs"),
    [
        ({"published": ""}, None, REPAIRS),
        ({"published": "ada"}, None, ()),
        ({"published": "ada"}, "all", REPAIRS),
        ({"published": "ada", "ablate": "repairs"}, None, REPAIRS),
        ({"published": "", "scoring": "published"}, None, ()),
        ({"published": "", "scoring": "cleaned"}, "none", ()),
    ],
)
def test_published_answers_and_those_for_another_post_processor_are_not_repaired_unless_it_is_asked_for(
    said, flag, repairs, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert evaluate_settings("{}", {"name": ""}, flag, **said).repairs == repairs


def test_an_ablation_of_repairs_and_another_post_processor_exclude_each_other():
    with pytest.raises(ConfigurationError, match="--scoring last takes answers as they come: leave --repairs out"):
        evaluate_settings("{}", {"name": ""}, "all", published="", scoring="last")
    with pytest.raises(ConfigurationError, match="--scoring last has none: leave one out"):
        evaluate_settings("{}", {"name": ""}, None, published="", ablate="repairs", scoring="last")


def test_repairs_of_the_folders_file_hold_unless_a_flag_names_others(tmp_path):
    (tmp_path / "ghosttape.toml").write_text('[server]\nrepairs = ["prose"]\n', encoding="utf-8")
    assert settings_of("{}", {}, tmp_path).repairs == ("prose",)
    assert settings_of("{}", {}, tmp_path, repairs="none").repairs == ()


def test_a_flag_of_zero_counts_and_an_empty_one_does_not(tmp_path):
    (tmp_path / "ghosttape.toml").write_text('[server.provider]\ntemperature = 0.5\nname = "ngram"\n', encoding="utf-8")
    found = settings_of("{}", {"temperature": 0.0, "name": ""}, tmp_path).provider
    assert (found.temperature, found.name) == (0.0, "ngram")


@pytest.mark.parametrize("policy", ["../../evil", "pause:300", "..", "a/b"])
def test_the_folder_of_a_run_is_always_one_in_the_folder_of_runs(policy):
    folder = new_folder(ReplayOptions(policy=policy))
    assert folder.parent == RUNS
    assert ".." not in folder.name


def test_two_runs_of_the_same_second_have_folders_of_their_own():
    assert len({new_folder(ReplayOptions()) for _ in range(20)}) > 10


async def test_a_run_whose_folder_is_removed_while_it_goes_on_is_told_as_gone(tmp_path):
    folder = tmp_path / "run"

    def summarise(options, found):
        shutil.rmtree(folder)
        return {}

    options = ReplayOptions(settings=Settings(provider=ProviderSettings(name="oracle")), sandbox="none")
    with pytest.raises(LackingError, match=f"{folder} was removed while the run was going on"):
        await run_sources(options, [], summarise, folder)
    assert not folder.exists()
    _, kept = await run_sources(options, [], lambda *_: {}, folder)
    assert kept == folder
