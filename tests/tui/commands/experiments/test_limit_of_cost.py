"""Which models cost something, and so need a price."""

import pytest

from tui.commands.experiments.experiment_cells import ExperimentCells
from tui.commands.experiments.experiment_command import ExperimentRequest, planned
from tui.commands.experiments.experiment_file import read
from tui.errors import ConfigurationError


@pytest.fixture
def experiment(tmp_path, monkeypatch):
    """Read an experiment with one provider over the demo."""
    monkeypatch.chdir(tmp_path)

    def made(provider):
        path = tmp_path / "try.toml"
        path.write_text(f'tapes = ["demo"]\n[matrix]\nproviders = ["{provider}"]\n[options]\nno-tests = true\n')
        return read(path)

    return made


def check(file):
    ExperimentRequest(file, max_cost=1.0).check(ExperimentCells.of(file).cells)


@pytest.mark.parametrize("provider", ["gguf", "ngram"])
def test_providers_that_cost_nothing_need_no_price(experiment, provider):
    file = experiment(provider)
    check(file)
    assert [cell["cost"] for cell in planned(ExperimentRequest(file))["cells"]] == [0.0]


def test_a_model_server_needs_one(experiment):
    with pytest.raises(ConfigurationError, match="needs the price of the model"):
        check(experiment("openai"))
