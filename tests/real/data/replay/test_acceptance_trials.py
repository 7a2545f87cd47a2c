"""The trials of the study that the acceptance model was fitted on."""

import numpy as np
import pytest

from tests.support.acceptance_document import document


def test_the_study_has_the_published_rates(study):
    """35.2 % accepted, 13 to 57 % by person (PEERS.md), from 21 people."""
    people = {trial.person for trial in study.trials}
    rates = [np.mean([trial.accepted for trial in study.trials if trial.person == person]) for person in people]
    assert (len(people), len(study.trials)) == (21, 1096)
    assert sum(trial.accepted for trial in study.trials) / len(study.trials) == pytest.approx(0.352, abs=5e-4)
    assert (min(rates), max(rates)) == (pytest.approx(0.13, abs=0.005), pytest.approx(0.57, abs=0.005))


def test_the_document_counts_the_study_s_trials_as_they_are(study):
    text = document()
    assert f"({sum(trial.latency is None for trial in study.trials)} trials)" in text
    assert f"{sum(trial.confidence is not None for trial in study.trials):,} trials `confidence`" in text
