"""Which functions each test of a script enters, as V8 counts it: of `node --test` and mocha, in the project's own text alone."""

import base64
import json
import zlib

import pytest

from runners.coverage.v8 import places_of, read


def said(found):
    return ["entered " + base64.b64encode(zlib.compress(json.dumps(found).encode())).decode()]


@pytest.mark.parametrize("shift", [0, 1])
def test_a_place_at_which_no_function_stands_is_believed_in_no_file(shift):
    text = "const é = '😀', f = (a) => b => a;\n"
    start = len(text[: text.index("(a)")].encode("utf-16-le")) // 2
    places = [[start + shift, start + len("(a) => b => a")], [start + 7, start + len("(a) => b => a")]]
    word = {json.dumps([None, "t"]): {"unseen": False, "called": {"/project/m.js": places}}}
    found = read(said(word), {"m.js": text}, frozenset({"t"}))
    assert (found is None) == bool(shift)
    assert shift or len(found.calls["t"]) == 1, "both are arrows of one line"


def test_a_number_in_the_name_of_a_test_is_no_depth_and_what_nobody_reports_is_unseen():
    text = "const f = () => 1;\n"
    place = [text.index("()"), text.index(";")]
    called = {"unseen": False, "called": {"/project/m.js": [place]}}
    some = {"t/a.mjs 0 adds 2 items", "t/a.mjs 0 1 item", "t/a.mjs 1 ends in 3 #2"}
    one = read(said({json.dumps(["t/a.mjs", None]): called}), {"m.js": text}, frozenset({*some, "t/b.mjs 0 alone"}))
    assert (set(one.calls), one.unseen) == (some, {"t/b.mjs 0 alone"})
    for name, test in {"adds 2 items": "t/a.mjs 0 adds 2 items", "ends in 3": "t/a.mjs 1 ends in 3 #2"}.items():
        assert set(read(said({json.dumps(["t/a.mjs", name]): called}), {"m.js": text}, frozenset(some)).calls) == {test}


def test_v8_counts_in_methods_behind_their_modifiers():
    text = "class A { static async f() { } get x() { return 1 } static async *#g() { } }"
    known = {text[start:end] for (start, end), function in places_of("m.js", text).items() if function is not None}
    assert {"f() { }", "async f() { }", "get x() { return 1 }", "*#g() { }", "async *#g() { }"} <= known
