"""The drivers of programs of one file: what leaves early does not pass, and what is right passes whatever it does."""

import pytest

from runners.programs import Program
from tests.support.scale import sampled

# Programs whose last statement is left by an exit before a check that stands in it.
IN_THE_LAST = [
    "try:\n    sys.exit(0)\n    assert f() == 2\nfinally:\n    pass\n",
    "for x in (1, 2):\n    if x == 1:\n        sys.exit(0)\n    assert f() == x\n",
    "while True:\n    raise SystemExit\n    assert f() == 2\n",
    "if __name__ == '__main__': quit(); assert f() == 2\n",
    "quit(); assert f() == 2\n",
    "assert sys.exit(0) or f() == 2\n",
]


@pytest.mark.parametrize("last", IN_THE_LAST)
@pytest.mark.asyncio(loop_scope="session")
async def test_an_exit_in_the_last_statement_but_not_at_its_end_does_not_pass(last, programs):
    result = await programs.run(Program("python", f"import sys\ndef f(): return 1\n{last}"), timeout_s=60.0)
    assert (result.verdict_class, result.message[:18]) == ("failed", "left with status 0"), result


# What programs may do that once got in the way of their drivers.
RIGHT = {
    "python": [
        "import sys\nsys.stderr = None",
        "import sys\nsys.stderr.close()\nsys.stdout.close()",
        "import os\nos.closerange(3, 64)",
        "import os\nos.closerange(3, 4096)",
        "def f(n):\n    return f(n - 1) if n else 0\nf(995)",
        "import sys\ntry:\n    sys.exit(0)\nfinally:\n    pass",
    ],
    "javascript": [
        "function process(items) { return items; }\nclass Symbol {}\nconst globalThis = process([1]);",
        "process.removeAllListeners('exit')",
        "try { process.exit('text'); } catch { console.log('not a status'); }",
        "if (process.send) process.disconnect();\nelse require('child_process').fork(__filename).on('exit', (code) => { process.exitCode = code; });",
        "const { Worker, isMainThread } = require('worker_threads');\nif (isMainThread) new Worker(__filename);",
    ],
    "typescript": ["export {};\nfunction process(items: number[]): number[] { return items; }\nprocess([1]);"],
    "cpp": ["#include <unistd.h>\nint main() { for (int i = 3; i < 64; i++) close(i); }"],
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("language", "text"), sampled([(language, text) for language, texts in RIGHT.items() for text in texts])
)
@pytest.mark.asyncio(loop_scope="session")
async def test_a_right_program_passes_whatever_it_does_to_its_process(language, text, programs, need_for):
    need_for(language)
    result = await programs.run(Program(language, text), timeout_s=90.0)
    assert result.verdict_class == "passed", result


# A program with a place for a line of a model, around which others leave it with status 0.
AROUND = {
    "python": "import os\n{}\nos._exit(0)\n",
    "javascript": "{}\nPromise.resolve(0).then(process.exit);\n",
    "java": (
        "public class P {{\n  public static void main(String[] a) {{\n    {}\n    Runtime.getRuntime().exit(0);\n  }}\n}}\n"
    ),
    "cpp": "#include <cstdlib>\nint main() {{\n{}\nstd::exit(0);\n}}\n",
}
ITS_LINE = {"python": 2, "javascript": 1, "java": 3, "cpp": 3}
ITS_EXIT = {
    "python": "os._exit(0)",
    "javascript": "setTimeout(process.exit, 0, 0);",
    "java": "if (a.length == 0) Runtime.getRuntime().exit(0);",
    "cpp": "std::exit(0);",
}


@pytest.mark.sampled
@pytest.mark.parametrize("language", sampled(list(AROUND)))
@pytest.mark.asyncio(loop_scope="session")
async def test_an_exit_of_others_is_believed_and_one_of_the_model_is_not(language, programs, need_for):
    need_for(language)
    written = (ITS_LINE[language],) * 2
    harmless = "int x = 1;" if language in {"java", "cpp"} else "x = 1"
    right = Program(language, AROUND[language].format(harmless), written=written)
    wrong = Program(language, AROUND[language].format(ITS_EXIT[language]), written=written)
    results = [await programs.run(program, timeout_s=90.0) for program in (right, wrong)]
    assert [result.verdict_class for result in results] == ["passed", "failed"], results


THREADS = """public class P {
  static void leave() { new Thread(() -> { Runtime.getRuntime().exit(0); }).start(); }
  public static void main(String[] a) {
    new Thread(() -> { try { Thread.sleep(60000); } catch (InterruptedException e) { } throw new AssertionError(); }).start();
    leave();
  }
}
"""


@pytest.mark.asyncio(loop_scope="session")
async def test_a_java_program_left_by_a_thread_after_its_main_does_not_pass(programs, need_for):
    need_for("java")
    assert (await programs.run(Program("java", THREADS, written=(2, 2)), timeout_s=90.0)).verdict_class == "failed"


RETURNS = [
    ("cpp", "#include <cassert>\nint main() {\n  return 0;\n  assert(1 == 2);\n}\n", (3, 3), "failed"),
    (
        "cpp",
        "#include <cassert>\nint main() {\n  auto f = [] { return 0; };\n  assert(f() == 0);\n}\n",
        (3, 3),
        "passed",
    ),
    ("cpp", "int main(int n, char **) {\n  if (n > 5) return 2;\n  return 0;\n}\n", (2, 2), "passed"),
    ("cpp", "int main() {\n  int x = 0;\n  return x;\n}\n", (2, 3), "passed"),
    (
        "java",
        "public class P {\n  public static void main(String[] a) {\n    if (a.length == 0) return;\n    throw new Error();\n  }\n}\n",
        (3, 3),
        "failed",
    ),
    (
        "java",
        "public class P {\n  static int f() {\n    return 1;\n  }\n  public static void main(String[] a) {\n    f();\n  }\n}\n",
        (3, 3),
        "passed",
    ),
]


@pytest.mark.parametrize("case", RETURNS)
@pytest.mark.asyncio(loop_scope="session")
async def test_a_return_of_main_before_what_others_wrote_does_not_pass(case, programs, need_for):
    language, text, written, verdict_class = case
    need_for(language)
    result = await programs.run(Program(language, text, written=written), timeout_s=90.0)
    assert result.verdict_class == verdict_class, result
