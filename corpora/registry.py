"""The benchmarks by name. To add one: a folder with a class that is a `Corpus`, made from the folder of its data, and a row here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CORPORA: Mapping[str, str] = MappingProxyType({"devbench": "corpora.devbench:DevBench"})
"""Name → module and class."""
