"""A warm worker says of a program what a fresh sandbox says."""

import asyncio
import re
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from runners.programs import Program, cold
from runners.warm import warm
from runners.warm.inside import hiding

TIMEOUT_S = 60.0

PYTHON = [
    "print('hello')",
    "import sys\nsys.exit('a text for a status')",
    "import sys\nsys.exit(7)",
    "import sys\nsys.exit(137)",
    "raise SystemExit",
    "assert 1 + 1 == 3, 'arithmetic'",
    "def f(:\n    pass",
    "if True:\npass",
    "print(undefined_thing)",
    "def f(): return f()\nf()",
    "import threading\nthread = threading.Thread(target=lambda: 1 / 0)\nthread.start(); thread.join()",
    "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()",
    "import atexit, logging\natexit.register(print, 'at the end')\nlogging.warning('mind')\nlogging.shutdown()",
    "import warnings\nwarnings.warn('old', DeprecationWarning)"
    + ("\nimport cgi" if sys.version_info < (3, 13) else ""),
    "import sys\nprint(sys.argv, __file__, __name__, sys.path[0], sys.stdin.read() == '', sys.flags)",
    "import os, random, tempfile\nprint(len({os.urandom(8), os.urandom(8)}), sorted(os.environ), os.getcwd(), os.listdir())",
    "open('data.txt', 'w').write('x')\nprint(open('/project/data.txt').read(), __import__('pathlib').Path('data.txt').resolve())",
    "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True, text=True).stdout)",
    "import multiprocessing\nif __name__ == '__main__':\n    with multiprocessing.get_context('spawn').Pool(1) as pool: print(pool.map(abs, [-1]))",
    "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    raise ValueError('in a coroutine')\nasyncio.run(main())",
    "import unittest\nclass T(unittest.TestCase):\n    def test_it(self): self.assertEqual(1, 2)\nunittest.main()",
    "import signal, sys\nprint(signal.getsignal(signal.SIGINT), sys.getrecursionlimit(), sys.stdout.line_buffering)",
    "import sys\nsys.stderr.write('error\\n'); sys.stdout.write('no line end')\nimport os\nos._exit(3)",
    "import sys\nsys.stdout.close()",
    "class A:\n    def __del__(self): print('collected')\na = A()\nb = [a]; b.append(b)",
    "import faulthandler, ctypes\nctypes.string_at(0)",
    "x = bytearray(1 << 40)",
    "import os\nprint('x' * (5 << 20), flush=True)",
    "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nprint(P(1), hash('abc'))",
    "\ufeffprint('with a mark')\r\nprint('and other ends')\r\n",
    "import sys\nprint('tempfile' in sys.modules, 'logging' in sys.modules)",
    "raise OSError(28, 'No space left on device')",
    "import os\nos.closerange(3, 4096)\nos.close(1)",
    "import sys\nsys.stderr = None\nsys.exit(0)\nassert False",
    "def f(n=1):\n    try:\n        return f(n + 1)\n    except RecursionError:\n        return n\nprint(f())",
    "while True: pass",
]
JAVASCRIPT = [
    "function process(items) { return items; }",
    "process.removeAllListeners('exit'); Promise.resolve(0).then(process.exit)",
    "console.log(process.argv.length, __filename, require('fs').readdirSync('.'))",
    "throw new TypeError('no')",
    "require('assert').strictEqual(1, 2)",
    "process.exit(0)",
    "process.exitCode = 4",
    "let x = ;",
    "undefinedThing()",
    "Promise.reject(new Error('nobody caught it'))",
    "setTimeout(() => { throw new Error('late') }, 50)",
    "process.abort()",
    "const all = []; for (;;) all.push(new Array(1e6).fill(all.length))",
    "require('child_process').spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).unref()",
]
TYPESCRIPT = [
    "import * as assert from 'assert';\nconst list: number[] = [1, 2];\nassert.strictEqual(list.length, 2);\nconsole.log(__filename, require('fs').readdirSync('.'));",
    "const n: number = 'text';",
    "console.log(undefinedThing);",
    "let x = ;",
    "interface Window { mine: string }\nconst name = 'clashes with the library';\nconsole.log(name);",
    "export {};\ndeclare global { interface Array<T> { mine(): T } }\nArray.prototype.mine = function () { return this[0]; };\nconsole.log([4].mine());",
    "console.log([4].mine());",
    "throw new Error('at run time');",
    "import { thing } from './nowhere';\nconsole.log(thing);",
    "import * as path from 'path';\nconst p: string = path.join('a', 'b');\nif (p !== 'a/c') throw new RangeError(`got ${p}`);",
    "enum Colour { Red }\nnamespace N { export const x = Colour.Red; }\nconst gone: never = N.x;",
    "async function main(): Promise<void> { await null; process.exit(5); }\nmain();",
]
JAVA = [
    'public class Main {\n  public static void main(String[] a) { System.out.println(a.length + System.getProperty("java.class.path")); }\n}',
    "import java.util.*;\npublic class Other {\n  record P(int x) {}\n  public static void main(String[] a) { System.out.println(List.of(new P(1))); }\n}",
    "public class Main {\n  public static void main(String[] a) { int x = y; }\n}",
    "public class Main {\n  public static void main(String[] a) { int x = 1 }\n}",
    "public class Main {\n  public static void main(String[] a) { String s = 1; }\n}",
    'public class Main {\n  public static void main(String[] a) { throw new IllegalStateException("no"); }\n}',
    'public class Main {\n  public static void main(String[] a) { assert a.length == 1 : "asserted"; }\n}',
    "import java.util.*;\npublic class Main {\n  public static void main(String[] a) { List l = new ArrayList(); l.add(1); System.out.println(l); }\n}",
    "public class Main {\n  public static void main(String[] a) { System.exit(3); }\n}",
    "package deep.down;\npublic class Main {\n  class Inner {}\n  public static void main(String[] a) { System.out.println(Main.class); }\n}",
    'class First {\n  static int one() { return 1; }\n}\nclass Second {\n  public static void main(String[] a) throws Exception { Thread t = new Thread(() -> { throw new RuntimeException("in a thread"); }); t.start(); t.join(); }\n}',
    "public class Main {\n  static int f(int x) { return f(x) + 1; }\n  public static void main(String[] a) { f(1); }\n}",
]
_INCLUDES = "#include <iostream>\n#include <cassert>\n"
CPP = [
    _INCLUDES + "int main() { std::cout << __FILE__ << ' ' << __LINE__ << '\\n'; assert(1 == 1); }",
    _INCLUDES + "int main() { assert(1 == 2); }",
    _INCLUDES + "int main() { undefined_thing(); }",
    _INCLUDES + "int main() { std::vector<int> v; }",
    _INCLUDES + 'int main() { int x = "text"; }',
    _INCLUDES + "int main() { return 3 }",
    _INCLUDES + '#include <stdexcept>\nint main() { throw std::runtime_error("no"); }',
    _INCLUDES + "int main() { volatile int *p = nullptr; return *p; }",
    _INCLUDES + "int missing();\nint main() { return missing(); }",
    "#define NDEBUG\n" + _INCLUDES + "int main() { assert(1 == 2); }",
    _INCLUDES + "int main() { int unused; return std::cin.get() == EOF ? 0 : 1; }\n#warning said",
    _INCLUDES + "#include <cstdlib>\nint main() { std::exit(0); }",
]
SAMPLES = {"python": PYTHON, "javascript": JAVASCRIPT, "typescript": TYPESCRIPT, "java": JAVA, "cpp": CPP}


async def every(programs, samples, *, ways):
    """The results of all samples, so many at a time."""
    numbers, results = count(), [None] * len(samples)

    async def work():
        while (number := next(numbers)) < len(samples):
            timeout_s = 3.0 if "while True: pass" in samples[number].text else TIMEOUT_S
            results[number] = await programs.run(samples[number], timeout_s=timeout_s)

    await asyncio.gather(*(work() for _ in range(ways)))
    return results


def settled(result):
    """A result without what differs from run to run: times, addresses, and names drawn for temporary files."""
    if result.verdict_class in {"timeout", "memory"}:
        return result.verdict_class
    change = re.compile(r"\d+\.\d+ ?s\b|/tmp/cc\w+|0x[0-9a-f]{6,}")
    return result.verdict_class, *(change.sub("…", text) for text in (result.message, result.log))


@pytest.mark.parametrize("language", SAMPLES)
async def test_warm_and_cold_say_the_same(language, bubblewrap, cache, need_for):
    need_for(language)
    samples = [Program(language, text) for text in SAMPLES[language]]
    warmly, coldly = (
        await warm(bubblewrap, cache, lambda _: None, workers=2),
        await cold(bubblewrap, cache, lambda _: None),
    )
    try:
        got, expected = await every(warmly, samples, ways=2), await every(coldly, samples, ways=2)
    finally:
        await warmly.close()
        await coldly.close()
    unequal = [
        (sample.text, here, there)
        for sample, here, there in zip(samples, got, expected, strict=True)
        if settled(here) != settled(there)
    ]
    assert unequal == []
    assert len({result.verdict_class for result in expected}) > 3, "a sample of one kind shows little"


_PACKAGES = "asyncio collections concurrent ctypes email encodings html http importlib json logging re tomllib unittest urllib wsgiref xml"
_SEEN_BY = """
import importlib, types
for name in {names!r}.split():
    module = importlib.import_module(name)
    print(name, sorted(key for key, value in vars(module).items() if isinstance(value, types.ModuleType)))
# {hint}
"""
_PARTS = [
    "import urllib\nprint(urllib.parse.quote('a b'))",
    "import urllib.request\nprint(urllib.parse.quote('a b'), urllib.error.URLError, __import__)",
    "import urllib.request\nimport http, email\nprint(urllib.parse.quote('a b'), http.client.OK, email.message.Message)",
    "import xml\nprint(xml.etree.ElementTree)",
    "import concurrent\nprint(concurrent.futures.Future)",
    "import asyncio\nimport concurrent\nprint(concurrent.futures.Future)",
    "import unittest\nprint(unittest.main, unittest.case, unittest.mock.Mock)",
    "import unittest.mock\nprint(unittest.main, unittest.mock.patch('urllib.request.urlopen').__class__)",
    "from unittest import mock, main\nfrom email import message\nprint(mock.__name__, mock.__spec__, mock.__loader__, message.Message)",
    "import importlib\nprint(importlib.util.spec_from_loader)",
    "import importlib\nprint(importlib.machinery.ModuleSpec)",
    "import collections\nprint(collections.abc.Mapping, collections.deque.__module__)",
    "import pickle, dataclasses, enum, logging.handlers, decimal, typing\nprint(pickle.loads(pickle.dumps(decimal.Decimal(1))), logging.INFO)",
    "import threading, concurrent.futures\nwith concurrent.futures.ThreadPoolExecutor() as pool: print(list(pool.map(abs, [-1])))",
    "import runpy\nprint(runpy.run_module('keyword')['kwlist'][:3])",
]
"""Python programs that use parts of a package, imported or not."""


@pytest.mark.parametrize("hint", ["", "unittest"])
async def test_a_package_has_the_submodules_that_the_program_has_imported_and_no_others(hint, bubblewrap, cache):
    texts = [_SEEN_BY.format(names=names, hint=hint) for names in (*_PACKAGES.split(), _PACKAGES)]
    both = await warm(bubblewrap, cache, lambda _: None, workers=1), await cold(bubblewrap, cache, lambda _: None)
    try:
        samples = [Program("python", f"{text}\n# {hint}") for text in (*texts, *_PARTS)]
        warmly, coldly = [await every(programs, samples, ways=1) for programs in both]
        assert [one.runs for _, one in both[0].pool._idle]  # it was not all left to fresh sandboxes
    finally:
        for programs in both:
            await programs.close()
    for sample, got, expected in zip(samples, warmly, coldly, strict=True):
        assert settled(got) == settled(expected), sample.text
    assert {result.verdict_class for result in coldly} > {"passed"}


_PUT_AWAY = """
import sys
sys.path.insert(0, sys.argv[1])
import hiding
hidden = hiding.Hidden()
import tarfile
del sys.path[0]
hidden.put_away("hiding")
import runpy
sys.argv[1:] = ["-h"]
runpy.run_module("tarfile", run_name="__main__", alter_sys=True)
"""


def test_a_module_that_was_put_away_runs_as_a_program_by_its_own_name():
    """As `python -m tarfile -h` does, which takes its name from its file."""
    argv = [sys.executable, "-S", "-c", _PUT_AWAY, str(Path(hiding.__file__).parent)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.startswith("usage: tarfile.py")) == (0, True), done.stderr
