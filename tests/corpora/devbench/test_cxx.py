"""The words that a C++ program of DevBench is built with."""

import pytest

from corpora.devbench.corpus import cxx_options


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("int main() { }", ""),
        ("#include <openssl/sha.h>", "ssl crypto"),
        ("#include <OpenSSL/sha.h>", "ssl crypto"),
        ("#include <boost/asio.hpp>", "boost_system boost_filesystem"),
        ("#include <curl/curl.h>", "curl"),
        ("// curl/curl.h", ""),
        ("#include <hb.h>\n#include <ft2build.h>", "harfbuzz freetype"),
        ("FT_Library library;", "freetype"),
        ("ft_library library;", ""),
        ("sqlite3_close(db);", "sqlite3"),
        ("cv::Mat image = cv::imread(name);", "opencv_core opencv_imgcodecs opencv_imgproc"),
        ("imread(name);", ""),
        ("arma::mat a;", "armadillo"),
        ("Py_Initialize();", "python3"),
        ("#include <sqlite3.h>\n#include <openssl/md5.h>", "ssl crypto sqlite3"),
    ],
)
def test_programs_are_optimised_and_linked_with_the_libraries_that_their_words_stand_for(text, links):
    assert cxx_options(text) == ("-O2", *(f"-l{name}" for name in links.split()))
