"""The bundled coefficients of the acceptance model, fitted again on the data that they come from."""

import pytest

from replay.play.users.acceptance.acceptance_model import BUNDLED, load
from tools.acceptance import fit as fitting
from tools.acceptance.from_tape import trials_of_tape


@pytest.fixture(scope="module")
def refitted(study, long_session):
    return fitting.fit([study, trials_of_tape(long_session)], resamples=30)


@pytest.mark.parametrize("name", ["without_confidence", "with_confidence"])
def test_a_refit_gives_the_bundled_coefficients(refitted, name):
    bundled, again = getattr(load(BUNDLED), name), getattr(refitted, name)
    assert again.intercept == pytest.approx(bundled.intercept, abs=1e-4)
    assert list(again.features) == list(bundled.features)
    assert again.unfitted == bundled.unfitted
    for feature, weight in bundled.features.items():
        found = again.features[feature]
        assert (found.coefficient, found.center) == pytest.approx((weight.coefficient, weight.center), abs=1e-4)
        assert (found.seen, found.data) == (pytest.approx(weight.seen, abs=1e-4), weight.data)
        assert found.interval == pytest.approx(weight.interval, abs=0.6 * (weight.interval[1] - weight.interval[0]))


@pytest.mark.parametrize("name", ["without_confidence", "with_confidence"])
def test_a_refit_has_the_quality_that_the_bundled_file_tells(refitted, name):
    bundled, again = getattr(load(BUNDLED), name), getattr(refitted, name)
    for told, found in zip(bundled.quality, again.quality, strict=True):
        plain = [key for key, value in told.items() if not isinstance(value, list | tuple)]
        assert {key: found[key] for key in plain} == {key: pytest.approx(told[key], abs=2e-3) for key in plain}
        shares = [[line[:3] for line in quality["calibration"]] for quality in (found, told)]
        assert shares[0] == [pytest.approx(line, abs=2e-3) for line in shares[1]]


def test_the_bundled_file_names_its_data_and_what_was_not_fitted(refitted):
    bundled = load(BUNDLED)
    assert list(bundled.data) == list(refitted.data)
    assert bundled.without_confidence.unfitted == ()
    assert bundled.with_confidence.unfitted == ("idle", "match")
