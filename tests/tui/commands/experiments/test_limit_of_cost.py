"""Which models a limit of cost needs a price for."""

import pytest

from tui.commands.experiments.cells import ExperimentCells
from tui.commands.experiments.file import read
from tui.commands.experiments.running import ExperimentRequest
from tui.errors import ConfigurationError


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Check a limit of cost for an experiment with one provider."""
    monkeypatch.chdir(tmp_path)

    def checked(provider):
        path = tmp_path / "try.toml"
        path.write_text(f'tapes = ["demo"]\n[matrix]\nproviders = ["{provider}"]\n[options]\nno-tests = true\n')
        file = read(path)
        ExperimentRequest(file, max_cost=1.0).check(ExperimentCells.of(file).cells)

    return checked


def test_providers_that_cost_nothing_need_no_price(check):
    check("gguf")
    check("ngram")


def test_a_model_server_needs_one(check):
    with pytest.raises(ConfigurationError, match="needs the price of the model"):
        check("openai")
