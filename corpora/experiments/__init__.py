"""Experiments: several runs that differ in named settings, over the same tapes and corpora."""
