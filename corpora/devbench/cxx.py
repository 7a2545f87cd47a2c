"""How DevBench's script builds C++ programs: optimised, with the libraries that words of the program stand for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

OPTIMISED = "-O2"
"""Its other options (`-Wall`, the folders of the system) change no verdict; `-std=c++17` and threads are ours too."""


@dataclass(frozen=True, slots=True)
class Library:
    """Libraries that are linked if one of `words` stands in a program; `lower` ones are also found in capitals."""

    links: tuple[str, ...]
    words: tuple[str, ...] = ()
    lower: tuple[str, ...] = ()

    def is_used(self, text: str) -> bool:
        """Whether the text has one of the words."""
        small = text.lower()
        return any(word in text for word in self.words) or any(word in small for word in self.lower)


_HARFBUZZ = Library(("harfbuzz", "freetype"), lower=("harfbuzz/", "<hb"))
_FREETYPE = Library(("freetype",), words=("ft2build.h", "FT_"))
_LIBRARIES = (
    Library(("ssl", "crypto"), lower=("openssl/",)),
    Library(("boost_system", "boost_filesystem"), lower=("boost/",)),
    Library(("curl",), lower=("<curl/",)),
    _HARFBUZZ,
    Library(("sqlite3",), words=("sqlite3.h", "sqlite3_")),
    Library(("armadillo",), words=("#include <armadillo>", "arma::")),
    Library(("python3",), words=("Python.h", "Py_")),
)
_OPENCV = Library(("opencv_core",), words=("cv::",), lower=("opencv2/",))
_OPENCV_PARTS = (
    Library(("opencv_ml",), words=("cv::ml::", "#include <opencv2/ml.hpp>")),
    Library(("opencv_imgcodecs", "opencv_imgproc"), words=("imread", "imwrite", "VideoCapture")),
    Library(("opencv_highgui",), words=("imshow", "waitKey", "namedWindow")),
    Library(("opencv_features2d",), words=("detectAndCompute", "matchFeatures")),
)


def cxx_options(text: str) -> tuple[str, ...]:
    """Return the words for g++ that a program is built with: `("-O2", "-lssl", "-lcrypto")` for one with `#include <openssl/sha.h>`.

    DevBench's script asks `python3-config` for the words of programs with Python in them; without one it links `python3`, and so does this.
    """
    return (OPTIMISED, *(f"-l{name}" for library in _used(text) for name in library.links))


def _used(text: str) -> Iterator[Library]:
    yield from (library for library in _LIBRARIES if library.is_used(text))
    if _FREETYPE.is_used(text) and not _HARFBUZZ.is_used(text):
        yield _FREETYPE
    if _OPENCV.is_used(text):
        yield _OPENCV
        yield from (library for library in _OPENCV_PARTS if library.is_used(text))
