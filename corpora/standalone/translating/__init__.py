"""Problems in Python as problems in Java and JavaScript: a chat translates the reference, and cases that the Python tests make decide whether it is right."""

from corpora.standalone.translating.translation import Translations, translated

__all__ = ["Translations", "translated"]
