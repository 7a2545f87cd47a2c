"""The class of a failure, from what the real interpreters and compilers write about small programs."""

import pytest

from runners.programs import Program
from runners.verdicts import CLASSES
from tests.support.scale import sampled

JAVA = "public class P {{ public static void main(String[] a) throws Exception {{ {} }} }}"
CPP = "#include <cassert>\n#include <cstdlib>\n#include <iostream>\n#include <stdexcept>\n#include <vector>\nint main() {{ {} }}"


def java(code):
    return JAVA.format(code)


def cpp(code):
    return CPP.format(code)


# Class, the program, and a word of the message.
CASES = {
    "python": [
        ("passed", "print('SyntaxError: not really')\nassert True", ""),
        ("syntax", "def f(:\n    pass", "SyntaxError: invalid syntax"),
        ("indentation", "if True:\nprint(1)", "IndentationError: expected an indented block"),
        ("indentation", "if True:\n\tx = 1\n        y = 2", "TabError"),
        ("undefined-name", "def f():\n    return missing\nf()", "NameError: name 'missing' is not defined"),
        ("undefined-name", "def f():\n    print(x)\n    x = 1\nf()", "UnboundLocalError"),
        ("assertion", "assert 1 + 1 == 3, 'sum'", "AssertionError: sum"),
        ("exception", "{}['key']", "KeyError: 'key'"),
        ("exception", "class Oops(Exception): pass\nraise Oops('own')", "Oops: own"),
        ("exception", "eval('1 +')", "SyntaxError: invalid syntax"),
        (
            "exception",
            "import json\ntry:\n    assert False\nexcept AssertionError:\n    json.loads('{')",
            "JSONDecodeError",
        ),
        (
            "assertion",
            "import traceback\ntry:\n    missing\nexcept NameError:\n    traceback.print_exc()\nassert False",
            "AssertionError",
        ),
        ("exception", "raise ExceptionGroup('many', [ValueError(1)])", "ExceptionGroup: many"),
        ("timeout", "while True: pass", "still running"),
        ("memory", "x = bytearray(1 << 45)", ""),
        ("output", "while True: print('y' * 1000)", "output limit"),
        ("crashed", "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("failed", "import sys\nprint('no good')\nsys.exit(3)", "no good"),
        ("failed", "raise SystemExit('\\x1b[31mred\\x1b[0m \\x07bell \\u202eback')", "red bell back"),
    ],
    "javascript": [
        ("passed", "console.log('ReferenceError: x')", ""),
        ("syntax", "function f( {", "SyntaxError: "),
        ("undefined-name", "console.log(missing)", "ReferenceError: missing is not defined"),
        ("assertion", "require('assert').strictEqual(1, 2)", "AssertionError [ERR_ASSERTION]"),
        ("exception", "null.x", "TypeError: Cannot read properties of null"),
        ("exception", "JSON.parse('{')", "SyntaxError: "),
        ("exception", "(async () => { throw new RangeError('late') })()", "RangeError: late"),
        ("exception", "console.error('ReferenceError: x is not defined'); throw new Error('real')", "Error: real"),
        ("timeout", "for (;;);", "still running"),
        ("memory", "const x = []; for (;;) x.push(Buffer.alloc(1 << 29, 1))", ""),
        ("output", "for (;;) require('fs').writeSync(1, 'y'.repeat(1000))", "output limit"),
        ("crashed", "process.kill(process.pid, 'SIGSEGV'); for (;;);", "SIGSEGV"),
        ("failed", "console.log('no good'); process.exitCode = 3", "no good"),
    ],
    "typescript": [
        ("passed", "const x: number = 1; console.log(x)", ""),
        ("syntax", "const x: = 1;", "error TS1110"),
        ("undefined-name", "console.log(missing);", "error TS2304: Cannot find name 'missing'"),
        ("undefined-name", "const value = 1; console.log(valeu);", "error TS2552"),
        ("compile", "const x: number = 'text';", "error TS2322"),
        ("assertion", "import * as assert from 'assert';\nassert.equal(1, 2);", "AssertionError [ERR_ASSERTION]"),
        ("exception", "const x: any = null; x.y;", "TypeError: "),
        ("timeout", "for (;;);", "still running"),
        ("failed", "console.log('no good'); process.exitCode = 3;", "no good"),
    ],
    "java": [
        ("passed", java('System.err.println("Exception");'), ""),
        ("syntax", java("int x = 1"), "';' expected"),
        ("syntax", "public class P {", "reached end of file"),
        ("undefined-name", java("System.out.println(missing);"), "cannot find symbol"),
        ("undefined-name", java("missing();"), "cannot find symbol"),
        ("compile", java("String s = null; s.missing();"), "cannot find symbol"),
        ("compile", java('int x = "text";'), "incompatible types"),
        ("assertion", java('assert 1 > 2 : "one";'), "java.lang.AssertionError: one"),
        ("exception", java('throw new IllegalStateException("bad");'), "IllegalStateException: bad"),
        ("timeout", java("while (true) { }"), "still running"),
        (
            "memory",
            java("java.util.List<long[]> l = new java.util.ArrayList<>(); while (true) l.add(new long[1 << 24]);"),
            "",
        ),
        ("output", java('while (true) System.out.println("y".repeat(1000));'), "output limit"),
        ("failed", java('System.out.println("no good"); System.exit(3);'), "no good"),
    ],
    "cpp": [
        ("passed", cpp('std::cerr << "error: x";'), ""),
        ("syntax", cpp("int x = 1"), "error: expected"),
        ("undefined-name", cpp("std::cout << missing;"), "was not declared in this scope"),
        ("compile", cpp('int x = "text"; (void)x;'), "invalid conversion"),
        ("compile", "int f(); int main() { return f(); }", "undefined reference"),
        ("assertion", cpp("assert(1 > 2);"), "Assertion `1 > 2' failed."),
        ("exception", cpp('throw std::runtime_error("bad");'), "std::runtime_error': bad"),
        ("timeout", cpp("for (volatile int i = 0;; i = i + 1) { }"), "still running"),
        ("memory", cpp("std::vector<char *> v; for (;;) { v.push_back(new char[1ul << 40]); }"), "std::bad_alloc"),
        ("output", cpp("for (;;) std::cout << std::string(1000, 121);"), "output limit"),
        ("crashed", cpp("*static_cast<volatile int *>(nullptr) = 1;"), "SIGSEGV"),
        ("failed", cpp('std::cout << "no good"; return 3;'), "no good"),
    ],
}
NOT_OF_PROGRAMS = {"infrastructure", "flaky"}


def cases(*, slow):
    """Each language and case; slow are those that are compiled, and those that burn a limit of time or memory."""
    return [
        pytest.param(language, case, id=f"{language}-{case[0]}-{number}")
        for language, cases in CASES.items()
        for number, case in enumerate(cases)
        if (language not in {"python", "javascript"} or case[0] in {"timeout", "memory"}) == slow
    ]


@pytest.mark.sampled
@pytest.mark.parametrize(("language", "case"), cases(slow=False) + sampled(cases(slow=True)))
@pytest.mark.asyncio(loop_scope="session")
async def test_class_of(language, case, programs, need_for):
    verdict_class, code, message = case
    need_for(language)
    patience = {"python": 2.0, "javascript": 2.0}.get(language, 4.0) if verdict_class == "timeout" else 90.0
    result = await programs.run(Program(language, code), timeout_s=patience)
    assert (result.verdict_class, result.message) == (verdict_class, result.message), result.log
    assert message in result.message


OPTIONS = {
    "optimised": ((), ("-O2",), "#ifndef __OPTIMIZE__\n#error plain\n#endif\nint main() { }"),
    "linked, behind the program that needs it": (
        ("-O0",),
        ("-lstdc++fs", "-O0"),
        '#include <experimental/filesystem>\nint main() { return !std::experimental::filesystem::exists("/"); }',
    ),
    "a word of its own": ((), ('-DWORD="a b"',), "const char *word = WORD;\nint main() { }"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", sampled(list(OPTIONS)))
@pytest.mark.asyncio(loop_scope="session")
async def test_a_cpp_program_is_built_with_its_options(name, programs, need_for):
    need_for("cpp")
    without, with_them, text = OPTIONS[name]
    found = [
        (await programs.run(Program("cpp", text, options=options), timeout_s=90.0)).verdict_class
        for options in (without, with_them)
    ]
    assert found == ["compile" if name != "a word of its own" else "undefined-name", "passed"]


def test_every_class_of_programs_is_in_the_table():
    seen = {case[0] for cases in CASES.values() for case in cases}
    assert seen == set(CLASSES) - NOT_OF_PROGRAMS
    assert all(len({case[0] for case in cases}) >= 8 for cases in CASES.values())
