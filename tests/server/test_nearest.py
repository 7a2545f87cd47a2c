import pytest

from server.nearest import did_you_mean


@pytest.mark.parametrize(
    ("wanted", "said"),
    [("opnai", " (did you mean 'openai'?)"), ("oracel", " (did you mean 'oracle'?)"), ("x", ""), ("", "")],
)
def test_the_nearest_known_name_is_proposed_where_one_is_near(wanted, said):
    assert did_you_mean(wanted, ("openai", "ollama", "oracle")) == said
