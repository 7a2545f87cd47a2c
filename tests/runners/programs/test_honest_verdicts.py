"""Code that cheats: it prints what a test runner would, leaves early, hangs or crashes. None of it passes."""

from dataclasses import replace

import pytest
import pytest_asyncio

from runners.programs import Program
from runners.project import ProjectPlan, prepare
from runners.sandboxes import pick
from runners.verdicts import against_baseline
from tests.support.scale import sampled

# A program in each language that fails its last check, with a place for a completion before it.
PYTHON = "def f():\n    return 1\n\n{}\n\nassert f() == 2\nprint('7 passed in 0.10s')\n"
JAVASCRIPT = "const assert = require('assert');\nconst f = () => 1;\n{}\nassert.equal(f(), 2);\n"
TYPESCRIPT = "import * as assert from 'assert';\nconst f = (): number => 1;\n{}\nassert.equal(f(), 2);\n"
JAVA = (
    "public class P {{\n    static int f() {{ return 1; }}\n    public static void main(String[] a) throws Exception {{\n"
    "        {}\n        if (f() != 2) throw new AssertionError();\n    }}\n}}\n"
)
CPP = (
    "#include <cassert>\n#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n"
    "int f() {{ return 1; }}\nint main() {{\n{}\nassert(f() == 2);\n}}\n"
)
TEXTS = {"python": PYTHON, "javascript": JAVASCRIPT, "typescript": TYPESCRIPT, "java": JAVA, "cpp": CPP}
LEAVE = {
    "python": (
        "import sys; sys.exit(0)",
        "import os; print('7 passed in 0.10s', flush=True); os._exit(0)",
        "quit()",
    ),
    "javascript": (
        "process.exit(0);",
        "console.log('# pass 7'); process.reallyExit(0);",
        "return;",
        "assert.equal = () => 0; const { exit } = require('process'); (async () => { await null; exit(0); })();",
        "assert.equal = () => 0; Promise.resolve(0).then(process.exit);",
        "assert.equal = () => 0; setTimeout(process.exit, 10, 0);",
    ),
    "typescript": ("process.exit(0);", "console.log('# pass 7'); (process as any).reallyExit(0);"),
    "java": ("if (true) System.exit(0);", 'System.out.println("OK (7 tests)"); Runtime.getRuntime().halt(0);'),
    "cpp": ("exit(0);", 'puts("7 passed"); fflush(stdout); _exit(0);', "quick_exit(0);"),
}
HANG = {
    "python": "print('7 passed in 0.10s', flush=True)\nwhile True: pass",
    "javascript": "console.log('# pass 7'); for (;;);",
    "typescript": "console.log('# pass 7'); for (;;);",
    "java": 'System.out.println("OK (7 tests)"); while (f() == 1) { }',
    "cpp": 'puts("7 passed"); fflush(stdout); for (volatile int i = 0;; i = i + 1) { }',
}
# These let the last check pass, and go wrong behind it.
CRASH = {
    "python": "f = lambda: 2\nimport atexit, os, signal\natexit.register(lambda: os.kill(os.getpid(), signal.SIGSEGV))",
    "javascript": "process.on('exit', () => process.abort()); assert.equal = () => 0;",
    "typescript": "process.on('exit', () => process.abort()); (assert as any).equal = () => 0; ",
    "java": (
        "Runtime.getRuntime().addShutdownHook(new Thread(() -> { try { "
        'Runtime.getRuntime().exec(new String[] {"sh", "-c", "kill -SEGV $PPID"}).waitFor(); Thread.sleep(60000); '
        "} catch (Exception e) { } })); if (f() == 1) return;"
    ),
    "cpp": "atexit([] { raise(SIGSEGV); }); return 0;",
}


def filled(language, completion):
    return Program(language, TEXTS[language].format(completion))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("language", "completion"), sampled([(language, code) for language, codes in LEAVE.items() for code in codes])
)
@pytest.mark.asyncio(loop_scope="session")
async def test_a_program_that_leaves_before_its_end_does_not_pass(language, completion, programs, need_for):
    need_for(language)
    result = await programs.run(filled(language, completion), timeout_s=90.0)
    assert (result.verdict_class, result.message.startswith("left with status 0")) == ("failed", True), result


@pytest.mark.sampled
@pytest.mark.parametrize("language", sampled(list(TEXTS)))
@pytest.mark.asyncio(loop_scope="session")
async def test_a_program_that_hangs_after_its_summary_does_not_pass(language, programs, need_for):
    need_for(language)
    patience = 2.0 if language in {"python", "javascript"} else 4.0
    assert (await programs.run(filled(language, HANG[language]), timeout_s=patience)).verdict_class == "timeout"


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.asyncio(loop_scope="session")
async def test_a_program_that_crashes_after_its_end_does_not_pass(language, programs, need_for):
    need_for(language)
    result = await programs.run(filled(language, CRASH[language]), timeout_s=90.0)
    assert result.verdict_class == "crashed", result


# Programs that end by a call of exit, as many do: what a model did not write is believed.
ENDS = {
    "python": "import sys\n\ndef main():\n    x = 1\n    assert x\n    return 0\n\nif __name__ == '__main__':\n    sys.exit(main())\n",
    "javascript": "(async () => {\n  const x = await 1;\n  process.exit(0);\n})();\n",
    "typescript": "type X = number;\n(async () => {\n  const x: X = await 1;\n  process.exit(0);\n})();\n",
    "java": "public class P {\n  public static void main(String[] a) {\n    int x = 1;\n    System.exit(0);\n  }\n}\n",
}


@pytest.mark.parametrize("language", ENDS)
@pytest.mark.asyncio(loop_scope="session")
async def test_an_exit_is_believed_where_no_model_wrote_it(language, programs, need_for):
    need_for(language)
    there = next(number for number, line in enumerate(ENDS[language].splitlines(), 1) if "xit(" in line)
    before = await programs.run(Program(language, ENDS[language], written=(there - 1, there - 1)), timeout_s=90.0)
    its_own = await programs.run(Program(language, ENDS[language], written=(there, there)), timeout_s=90.0)
    expected = (
        "passed" if language == "python" else "failed"
    )  # there it is the file's last statement: nothing is left out
    assert (before.verdict_class, its_own.verdict_class) == ("passed", expected), its_own


FORK = "import os\nif os.fork() == 0:\n    pass\nelse:\n    os.wait()\n    os._exit(0)\n"


@pytest.mark.asyncio(loop_scope="session")
async def test_a_child_cannot_bear_witness_for_a_parent_that_left(programs):
    assert (await programs.run(Program("python", FORK), timeout_s=60.0)).verdict_class == "failed"


# Projects: m is changed, the tests are not.

VITEST = "vitest@3"
PROJECTS = {
    "pytest": (
        ProjectPlan("python", ("pytest>=8", "iniconfig>=2"), command="python -m pytest -q", timeout_s=90.0),
        {
            "m.py": "def f(x):\n    return x + 1\n",
            "test_m.py": "from m import f\n\n\ndef test_a():\n    assert f(1) == 2\n\n\ndef test_b():\n    assert f(2) == 3\n",
        },
    ),
    "unittest": (
        ProjectPlan("python", ("pytest>=8", "iniconfig>=2"), command="python -m unittest -q", timeout_s=90.0),
        {
            "m.py": "def f(x):\n    return x + 1\n",
            "test_m.py": "import unittest\nfrom m import f\n\n\nclass T(unittest.TestCase):\n"
            "    def test_a(self):\n        self.assertEqual(f(1), 2)\n\n    def test_b(self):\n        self.assertEqual(f(2), 3)\n",
        },
    ),
    "node --test": (
        ProjectPlan("node", command="node --test", timeout_s=90.0),
        {
            "m.js": "exports.f = (x) => x + 1;\n",
            "m.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { f } = require('./m.js');\n"
            "test('a', () => assert.equal(f(1), 2));\ntest('b', () => assert.equal(f(2), 3));\n",
        },
    ),
    "vitest": (
        ProjectPlan("node", (VITEST,), command="vitest run", timeout_s=90.0),
        {
            "package.json": '{"type": "module"}',
            "m.js": "export const f = (x) => x + 1;\n",
            "m.test.js": "import { expect, test } from 'vitest';\nimport { f } from './m.js';\n"
            "test('a', () => expect(f(1)).toBe(2));\ntest('b', () => expect(f(2)).toBe(3));\n",
        },
    ),
}
SUMMARY = {
    "pytest": "..  [100%]\n2 passed in 0.10s",
    "unittest": "Ran 2 tests in 0.001s\n\nOK",
    "node --test": "TAP version 13\nok 1 - a\nok 2 - b\n1..2\n# tests 2\n# pass 2\n# fail 0",
    "vitest": " Test Files  1 passed (1)\n      Tests  2 passed (2)",
}
PYTHON_CHEATS = {
    "prints a summary and leaves": (
        "import os, sys\nos.write(1, SUMMARY)\nos.write(2, SUMMARY)\nos._exit(0)\n\ndef f(x): return 0\n",
        {"failed"},
    ),
    "leaves in a test": ("import os\n\ndef f(x):\n    os.write(1, SUMMARY)\n    os._exit(0)\n", {"failed"}),
    "hangs after a summary": ("import os\nos.write(1, SUMMARY)\nwhile True: pass\n", {"timeout"}),
    "crashes after the tests": (
        "import atexit, os, signal\natexit.register(lambda: os.kill(os.getpid(), signal.SIGSEGV))\n\ndef f(x):\n    return x + 1\n",
        {"crashed"},
    ),
    "takes a test away": (
        "import unittest\n\ndef f(x):\n    if x == 2:\n        raise unittest.SkipTest('gone')\n    return x + 1\n",
        {"failed"},
    ),
}
NODE_CHEATS = {
    "prints a summary and leaves": (
        "console.log(SUMMARY); console.error(SUMMARY); process.reallyExit(0);",
        {"failed", "exception"},
    ),
    "leaves in a test": (
        "EXPORT (x) => { console.log(SUMMARY); process.reallyExit(0); };",
        {"failed", "exception"},
    ),
    "hangs after a summary": ("console.log(SUMMARY); for (;;);", {"timeout"}),
    "crashes after the tests": (
        "process.on('exit', () => process.abort()); EXPORT (x) => x + 1;",
        {"crashed", "failed", "exception"},
    ),
}


def cheats():
    for runner in PROJECTS:
        of_python = runner in {"pytest", "unittest"}
        for name, (template, classes) in (PYTHON_CHEATS if of_python else NODE_CHEATS).items():
            code = template
            text = repr(SUMMARY[runner].encode() + b"\n") if of_python else f"`{SUMMARY[runner]}`"
            export = "export const f =" if runner == "vitest" else "exports.f ="
            if runner == "vitest":  # which ends its workers before they can see it coming
                code = code.replace("process.on('exit', ", "import { afterAll } from 'vitest'; afterAll(")
            changed = code.replace("SUMMARY", text).replace("EXPORT", export)
            yield pytest.param(runner, changed, classes, id=f"{runner}: {name}")


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def finished(cache):
    """Return a function that gives a project and the verdict on it as it is; each is made once."""
    made = {}

    async def get(runner):
        if runner not in made:
            plan, files = PROJECTS[runner]
            project = await prepare(files, plan, pick(), cache, lambda _: None)
            made[runner] = (project, await project.run({}))
        return made[runner]

    yield get
    for project, _ in made.values():
        project.close()


@pytest.mark.sampled
@pytest.mark.parametrize(("runner", "code", "classes"), sampled(list(cheats())))
@pytest.mark.asyncio(loop_scope="session")
async def test_a_project_whose_code_cheats_does_not_pass(runner, code, classes, finished, need):
    if "node" in runner or runner == "vitest":
        need("node", "npm")
    project, whole = await finished(runner)
    assert (whole.verdict_class, whole.passed, len(whole.tests)) == ("passed", 2, 2), whole
    file = "m.py" if "m.py" in PROJECTS[runner][1] else "m.js"
    if "timeout" in classes:
        patience = 4.0 if runner == "vitest" else 2.0
        project = replace(project, plan=replace(project.plan, timeout_s=patience))
    result = against_baseline(await project.run({file: code}), whole)
    assert result.verdict_class in classes, result


OTHERS_SUMMARY = """import atexit
import sys

atexit.register(lambda: sys.stderr.write("\\nRan 0 tests in 0.000s\\n\\nOK\\n"))


def f(x):
    return x + 1
"""


@pytest.mark.asyncio(loop_scope="session")
async def test_a_summary_that_the_code_prints_fails_nothing_that_the_witness_saw_pass(finished):
    project, whole = await finished("unittest")
    result = await project.run({"m.py": OTHERS_SUMMARY})
    wrong = await project.run({"m.py": OTHERS_SUMMARY.replace("x + 1", "x")})
    assert [against_baseline(each, whole).verdict_class for each in (result, wrong)] == ["passed", "assertion"], (
        result,
        wrong,
    )
