"""The probes that find out which functions of a script are called: where they stand, and in which files."""

import os
import re
import subprocess
import sys

import pytest

from runners.coverage.function_spans import functions
from runners.coverage.node import with_probes
from runners.files import remove_tree
from tests.support.places import ROOT
from tests.support.waiting import PATIENCE_S

CALL = "globalThis.process.__ghosttape_touch__(0)"
P, Q = CALL, CALL.replace("(0)", "(1)")
BEGIN, END = CALL.replace("(0)", "(0, 1)"), CALL.replace("(0)", "(0, -1)")
GIVE = CALL.removesuffix(")") + ", -1, "
TYPED = P.replace("(0)", "(0 satisfies string)")


@pytest.mark.parametrize(
    ("path", "text", "probed"),
    [
        ("a.js", "function f() { return 1 }", f"function f() {{;{P}; return 1 }}"),
        ("a.js", "function f() {\n  // c\n  'use strict'\n  g()\n}", f"function f() {{\n  // c\n  'use strict';{P};\n  g()\n}}"),
        ("a.js", "function f() { `x`; 'a'.b; }", f"function f() {{;{P}; `x`; 'a'.b; }}"),
        ("a.mjs", "const f = async x => await x, g = y => ({ y })", f"const f = async x => ({BEGIN}, {GIVE}await x)), g = y => ({Q}, ({{ y }}))"),
        ("a.jsx", "const F = () => <a b={() => 1}/>;", f"const F = () => ({P}, <a b={{() => ({P}, 1)}}/>);"),
        ("a.js", "class A { static { g() } #x = () => 1; m() { return 1 } }", f"class A {{ static {{ g() }} #x = () => ({P}, 1); m() {{;{Q}; return 1 }} }}"),
        ("a.js", "function f(a = () => 1) { return () => 2 }", f"function f(a = () => 1) {{;{P}; return () => ({P}, 2) }}"),
        ("a.js", "const f = () => () => ({ g() {} });", f"const f = () => ({P}, () => ({P}, ({{ g() {{;{P};}} }})));"),
        ("a.js", "function f() { return x => async () => x }\nf()", f"function f() {{;{P}; return x => ({P}, async () => ({BEGIN}, {GIVE}x))) }}\nf()"),
        ("a.js", "function* f() { 'use strict'; yield () => 1 }", f"function* f() {{ 'use strict';;{BEGIN};try{{ yield () => ({P}, 1) }}finally{{{END}}}}}"),
        ("a.js", "const f = { async *m() {} }", f"const f = {{ async *m() {{;{BEGIN};try{{}}finally{{{END}}}}} }}"),
        ("a.js", "async () => { () => 1 // c\n}", f"async () => {{;{BEGIN};try{{ () => ({P}, 1) // c\n}}finally{{{END}}}}}"),
        ("a.js", "function f() { g((a = () => 1) => 2) }", f"function f() {{;{P}; g((a = () => ({P}, 1)) => ({P}, 2)) }}"),
        ("ü.ts", "// 𝄞\nexport function f(x: 'ü'): void;\nexport function f(x): void {}\n", f"// 𝄞\nexport function f(x: 'ü'): void;\nexport function f(x): void {{;{TYPED};}}\n"),
        ("a.js", "function f( { return 1 }", None),
        ("a.js", "const x = 1;\n", None),
        ("a.d.ts", "export declare function f(): void;\n", None),
        ("node_modules/a.js", "function f() { }", None),
        ("a.py", "def f():\n    pass\n", None),
    ],
)  # fmt: skip
def test_each_function_gets_the_probe_of_its_outermost_one_and_no_line_moves(path, text, probed, tmp_path):
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(text)
    changed, found = with_probes(tmp_path)
    assert changed == ({} if probed is None else {path: probed})
    numbers = set(re.findall(r"__ghosttape_touch__\((\d+)", probed or ""))
    assert numbers == {str(number) for number in range(len(found))}


def test_what_is_no_text_or_lies_elsewhere_gets_no_probe(tmp_path):
    (tmp_path / "a.js").write_bytes(b"function f() { return '\xff' }")
    (tmp_path / "b.js").symlink_to("/etc/passwd")
    (tmp_path / "c.js").write_text("function f() { }" + " " * (1 << 20))
    assert with_probes(tmp_path) == ({}, [])


def test_pipes_deep_folders_and_what_nobody_may_read_have_no_coverage_and_do_not_hold_up_the_rest(tmp_path):
    os.mkfifo(tmp_path / "x.js")
    (tmp_path / "y.js").mkdir()
    (tmp_path / "y.js" / "in.js").write_text("const f = () => 1;\n")
    code = (
        "import os, sys, pathlib; from runners.coverage.node import with_probes; p = pathlib.Path(sys.argv[1])\n"
        "os.chdir(p)\nfor _ in range(1500): os.mkdir('ddd'); os.chdir('ddd')\n"
        "os.chdir('/'); print([one.path for one in with_probes(p)[1]])"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path],
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            cwd=ROOT,
        )
    finally:
        remove_tree(tmp_path / "ddd")
    assert done.stdout == "['y.js/in.js']\n", done.stderr


@pytest.mark.parametrize("call", ["open", "scandir"])
def test_what_cannot_be_read_has_no_coverage(call, tmp_path, monkeypatch):
    """By a fault that is put in, as root may read everything."""
    for name in ("a/x.js", "b/y.js"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("const f = () => 1;\n")
    real = getattr(os, call)

    def refuse(path, *words):
        if str(path).startswith(str(tmp_path / "a")):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *words)

    monkeypatch.setattr(os, call, refuse)
    assert [one.path for one in with_probes(tmp_path)[1]] == ["b/y.js"]


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ("function f({ a }, b = 1) { return (c, ...d) => c }", False),
        ("class A { x = 1; m(y) { return y } }", False),
        ("function f() { return (a = 1) => a }", True),
        ("function f() { return ({ a }) => a }", True),
        ("function f() { return function (a, ...[b]) {} }", True),
        ("function f() { return class { x = 1 } }", True),
        ("function f() { return class { static x = 1; static { g() } get y() { return 2 } } }", False),
        ("function f() {}\nclass A { x = ({ a }) => a }", False),
    ],
)
def test_a_function_leaks_if_what_it_made_executes_more_than_bodies(text, leaks):
    assert any(one.leaks for one in functions("a.js", text)) is leaks
    assert any(one.leaks for one in functions("a.ts", text)) is leaks
