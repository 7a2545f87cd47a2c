"""Benchmarks by name, as packages register them."""

import importlib.metadata

import pytest

from corpora import registry
from corpora.errors import CorpusError
from syntax.entry_points import Extension


@pytest.fixture
def registered(monkeypatch):
    """A function that takes the place of what is installed: name → what its entry point names."""

    def register(**places):
        points = {
            name: (importlib.metadata.EntryPoint(name, place, "ghosttape.corpora"),) for name, place in places.items()
        }
        found = {name: Extension("corpora", name, point) for name, point in points.items()}
        monkeypatch.setattr(registry, "extensions", lambda _: found)
        registry.card_of.cache_clear()
        registry.known_corpora.cache_clear()

    yield register
    registry.card_of.cache_clear()
    registry.known_corpora.cache_clear()


def test_our_benchmarks_are_registered_as_those_of_others_are():
    assert {"codev", "devbench", "mined", "simcopilot"} <= set(registry.known_corpora())
    assert registry.card_of("devbench").tasks == 1800


def test_what_cannot_be_loaded_or_is_no_card_is_refused_with_its_package(registered):
    registered(gone="no_such_module:CARD", odd="json:dumps", devbench="corpora.devbench.card:CARD")
    with pytest.raises(CorpusError, match=r"'gone' of the entry points .* is broken: 'no_such_module:CARD'"):
        registry.card_of("gone")
    with pytest.raises(CorpusError, match="its entry point is no CorpusCard"):
        registry.card_of("odd")
    assert registry.cards().keys() == {"devbench"}, "the others work"


def test_an_installation_without_entry_points_says_what_to_do(registered):
    registered()
    with pytest.raises(CorpusError, match="no benchmark is registered, not even one of ours: install ghosttape anew"):
        registry.card_of("devbench")
